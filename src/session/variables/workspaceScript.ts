/**
 * Writes captured variables as a K script. Run in an empty workspace, the script makes every variable again, with directories, attributes,
 * precision, seed and current directory.
 *
 * Guarantees: values are exact. A function has its original text where that is known. A variable that has no K text, or is too long, is named in
 * a comment with the reason. Does not: run code, or read a child.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { EngineKind } from "../../engineKinds.ts"
import { itemOf, read } from "../../child/engines/image.ts"
import { literal, plainText, textOf } from "../../child/engines/imageText.ts"
import { narrow } from "../../child/engines/k3csharpLetters.ts"
import { utf8Of } from "../../child/engines/letters.ts"
import { type Contents, initial, type Lost, type Variable } from "../../child/Contents.ts"

export interface WorkspaceScript {
  /** Only texts of functions, and K3CSharp's letters beyond Latin-1, are not ASCII. */
  readonly text: string
  readonly variables: number
  readonly left: readonly Lost[]
}

/** Characters that a file, or code sent to a child, does not keep. */
// oxlint-disable-next-line no-control-regex
const changeable = /[\x00-\x08\x0b-\x1f\x7f]/

/** The letters of K text that is a byte string; undefined when they do not read back as these bytes. */
const lasting = (text: string): string | undefined => (changeable.test(text) ? undefined : utf8Of(text))

/** K text that makes the value of an image. Text that is no image is returned unchanged. */
const valueText = (engine: EngineKind, image: string, directory: string): string => {
  if (image.startsWith("{")) return image
  if (engine === "k3csharp") {
    if (!image.startsWith("_db ")) return image
    const { item, holdsEmpty } = read(image)
    const text = item !== undefined && (plainTypes.has(item.type) || holdsEmpty) ? plainText(narrow(item), directory) : undefined
    return text === undefined || changeable.test(text) ? image : text
  }
  const bytes = Result.getOrElse(Base64.decode(image), () => new Uint8Array())
  const text = Result.try(() => lasting(textOf(bytes, directory)))
  return Result.getOrUndefined(text) ?? `_db ${literal(bytes)}`
}

/** Types whose text K3CSharp reads exactly. */
const plainTypes: ReadonlySet<number> = new Set([1, 3, 4, -1, -3, -4])

/** Do these attributes have a dependency? It computes the value, whatever was assigned before. */
const hasDependency = (attributes: string): boolean => {
  const item = itemOf(Result.getOrElse(Base64.decode(attributes), () => new Uint8Array()))
  return item?.type === 5 && item.items.some(({ items: [key, { type }] }) => key.text === "d" && Math.abs(type) === 3)
}

/** Splits `.k.a.x` into `.k.a` and `x`. */
const parts = (path: string): readonly [directory: string, name: string] => {
  const at = path.lastIndexOf(".")
  return [path.slice(0, at), path.slice(at + 1)]
}

/** `most`: characters of the script. `left` has the variables that did not fit. */
export const scriptOf = (engine: EngineKind, { variables, settings }: Contents, most: number): WorkspaceScript => {
  const left: Lost[] = []
  const values: string[] = []
  const attributes: string[] = []
  let room = most
  let made = 0
  let directory: string = initial.directory
  const add = (lines: string[], line: string): boolean => {
    if (line.length > room) return false
    room -= line.length + 1
    lines.push(line)
    return true
  }
  const enter = (to: string): void => {
    if (to === directory) return
    directory = to
    values.push(`\\d ${to || "."}`)
  }
  const assign = ({ path, image, why }: Variable): void => {
    if (image === undefined) return void left.push({ path, why: why ?? "its value is not held" })
    const [home, name] = parts(path)
    // A cheap lower bound of the text's length: an image in base64 has three bytes in four characters.
    const fits = image.length / 4 < room
    enter(home)
    if (!fits || !add(values, `${name}:${valueText(engine, image, home)}`)) left.push({ path, why: "it is too long for the script" })
    else made++
  }
  for (const variable of variables.values()) {
    const isOver = variable.image !== undefined && variable.attributes !== undefined && hasDependency(variable.attributes)
    if (isOver) left.push({ path: variable.path, why: "the value was assigned over its dependency, which computes it again" })
    else if (variable.image !== undefined || variable.attributes === undefined) assign(variable)
    if (variable.attributes === undefined) continue
    const text = valueText(engine, variable.attributes, parts(variable.path)[0])
    if (!add(attributes, `.[\`${variable.path}.;();:;${text}];`))
      left.push({ path: `${variable.path}.`, why: "its attributes are too long for the script" })
    else if (variable.image === undefined) made++
  }
  enter(initial.directory)
  const commands =
    settings === undefined
      ? []
      : [
          ...(settings.precision === initial.precision ? [] : [`\\p ${settings.precision}`]),
          ...(settings.seed === initial.seed ? [] : [`\\r ${settings.seed}`]),
          ...(settings.directory === initial.directory ? [] : [`\\d ${settings.directory || "."}`]),
        ]
  const missing = left.map(({ path, why }) => `/ not in it: ${path} (${why.replaceAll("\n", " ")})`)
  const lines = [...missing, ...values, ...attributes, ...commands]
  return { text: lines.length === 0 ? "" : `${lines.join("\n")}\n`, variables: made, left }
}
