/**
 * Translates captured variables to the encoding of another engine. Pure.
 *
 * Guarantees: data keep their image, whose layout is the same in both engines; functions become texts. A variable that the other engine cannot
 * take loses its image and gets a reason. Does not: know whether the other engine restores the value exactly; its tracker checks that.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { EngineKind } from "../../engineKinds.ts"
import { type Contents, isExact, type Variable } from "../Contents.ts"
import { imageBytes, type DictionaryItem, emptyImage, holdsFunction, imageOf, type Item, itemOf } from "./image.ts"
import { decoded, empties, mostBytes } from "./k3csharpForm.ts"
import { utf8Of } from "./letters.ts"

const PLAIN_NAME = /^[A-Za-z]\w*$/

const without = (variable: Variable, why: string): Variable => ({ ...variable, image: undefined, attributes: undefined, why })

const forK3CSharp = (variable: Variable, item: Item): readonly Variable[] => {
  const { path } = variable
  if (item.type === 10 && !item.text.startsWith("{")) return [without(variable, "K3CSharp is given functions in braces only")]
  if (item.type === 10) {
    if (item.captured !== undefined)
      return [without(variable, "it holds variables of the function that made it, which K3CSharp does not keep")]
    if (!["", path.slice(0, path.lastIndexOf("."))].includes(item.directory))
      return [without(variable, `it is a function of the directory ${item.directory}, which K3CSharp does not keep`)]
    const text = utf8Of(item.text)
    return [text === undefined ? without(variable, "its text has bytes that are no UTF-8") : { ...variable, type: 7, image: text }]
  }
  if (item.type === 5 && holdsFunction(item)) return entriesOf(path, item).flatMap(([entry, value]) => forK3CSharp(entry, value))
  if (holdsFunction(item)) return [without(variable, "K3CSharp does not bring back functions in a list")]
  const image = imageOf(item)
  if (image.length > mostBytes)
    return [without(variable, `its ${image.length} bytes are more than the ${mostBytes} that K3CSharp is given`)]
  return [{ ...variable, image: decoded + image.join(" ") }]
}

/** The entries of a dictionary as variables of their own. */
const entriesOf = (path: string, { items }: DictionaryItem): readonly (readonly [Variable, Item])[] =>
  items.map(({ items: [key, value, attributes] }) => {
    const isPlain = PLAIN_NAME.test(key.text)
    const entry: Variable = {
      path: `${path}.${isPlain ? key.text : JSON.stringify(key.text)}`,
      type: value.type,
      shape: "",
      bytes: value.bytes.length,
      text: "",
      ...(attributes.type !== 6 && { why: attributesLost }),
    }
    return [entry, value]
  })

const attributesLost = "K3CSharp has no attributes to give it"

const toK3CSharp = (variable: Variable): readonly Variable[] => {
  if (!isExact(variable)) return [variable]
  const { image, attributes, ...given } = variable
  // Its printed text in K3CSharp is not known yet.
  const rest = { ...given, text: "" }
  if (image === undefined) return [without(variable, attributesLost)]
  // The text of a function of K3CSharp, which the embedded engine was given and has not returned yet.
  if (image.startsWith("{")) return [{ ...rest, image }]
  const item = Result.getOrUndefined(Result.map(Base64.decode(image), (bytes) => itemOf(bytes)))
  if (item === undefined) return [without(variable, "its image is nested too deeply")]
  return forK3CSharp(attributes === undefined ? rest : { ...rest, why: attributesLost }, item)
}

const toEmbedded = (variable: Variable): Variable => {
  const { image, type } = variable
  if (image === undefined) return variable
  if (image.startsWith(decoded)) return { ...variable, image: Base64.encode(imageBytes(image.slice(decoded.length))) }
  if (type === 7) return image.startsWith("{") ? variable : without(variable, `K3CSharp writes it as ${image}, which is no K`)
  const empty = empties.has(image) ? emptyImage(type) : undefined
  return empty === undefined
    ? without(variable, "it has letters beyond Latin-1, or was kept by an earlier version")
    : { ...variable, image: Base64.encode(empty) }
}

/** The contents for engine `to`. Functions become texts, which a child of either engine accepts. */
export const translated = (contents: Contents, from: EngineKind, to: EngineKind): Contents => {
  if (from === to) return contents
  const all = [...contents.variables.values()].flatMap((each) => (to === "embedded" ? toEmbedded(each) : toK3CSharp(each)))
  return { ...contents, variables: new Map(all.map((each) => [each.path, each])) }
}
