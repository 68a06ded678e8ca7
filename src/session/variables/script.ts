/**
 * What a session holds as a K script: run in an empty workspace, it makes every variable again, with directories, attributes, precision,
 * seed and current directory.
 *
 * Guarantees: values are exact, and functions are the text they were written as where that is known; what cannot be written down, or is
 * too long, is named in a comment with the reason. Does not: run anything, or look at a child; what it is given is the last capture.
 */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { Engine } from "../../child/engines/Engine.ts"
import { bytesOf as imageBytes, read, typeOf } from "../../child/engines/image.ts"
import { literal, textOf } from "../../child/engines/imageText.ts"
import type { Contents, Lost, Variable } from "../../child/Contents.ts"

export interface Script {
  /** A byte string: one character a byte, in ASCII but for the texts of functions. */
  readonly text: string
  readonly variables: number
  readonly left: readonly Lost[]
}

/** K text of an image as an engine codes it; one that does not read as an image is left as it is. */
const valueText = (engine: Engine["kind"], image: string, directory: string): string => {
  if (image.startsWith("{") || (engine === "k3csharp" && !image.startsWith("_db "))) return image
  const bytes = engine === "embedded" ? Result.getOrElse(Base64.decode(image), () => new Uint8Array()) : imageBytes(image)
  const asBytes = engine === "embedded" ? `_db ${literal(bytes)}` : image
  const text = Result.try(() =>
    engine === "embedded" || plainTypes.has(typeOf(bytes)) || read(image).holdsEmpty ? textOf(bytes, directory) : asBytes,
  )
  return Result.getOrElse(text, () => asBytes)
}

/** Those whose text K3CSharp reads as K does. */
const plainTypes: ReadonlySet<number> = new Set([1, 3, 4, -1, -3, -4])

/** `.k.a.x` in two. */
const parts = (path: string): readonly [directory: string, name: string] => {
  const at = path.lastIndexOf(".")
  return [path.slice(0, at), path.slice(at + 1)]
}

const start = ".k"

/** `most`: characters; what does not fit is left out by name. */
export const scriptOf = (engine: Engine["kind"], { variables, workspace }: Contents, most: number): Script => {
  const left: Lost[] = []
  const values: string[] = []
  const attributes: string[] = []
  let room = most
  let made = 0
  let directory = start
  const add = (lines: string[], line: string): boolean => {
    if (line.length > room) return false
    room -= line.length + 1
    lines.push(line)
    return true
  }
  const enter = (to: string): void => {
    if (to === directory) return
    directory = to
    values.push(`\\d ${to}`)
  }
  const assign = ({ path, image, why }: Variable): void => {
    if (image === undefined) return void left.push({ path, why: why ?? "its value is not held" })
    const [home, name] = parts(path)
    // Enough to tell without making it: an image of base64 has three bytes in four characters.
    const fits = image.length / 4 < room
    enter(home)
    if (!fits || !add(values, `${name}:${valueText(engine, image, home)}`)) left.push({ path, why: "it is too long for the script" })
    else made++
  }
  for (const variable of variables.values()) {
    if (variable.image !== undefined || variable.attributes === undefined) assign(variable)
    if (variable.attributes === undefined) continue
    const text = valueText(engine, variable.attributes, parts(variable.path)[0])
    if (!add(attributes, `.[\`${variable.path}.;();:;${text}];`))
      left.push({ path: `${variable.path}.`, why: "its attributes are too long for the script" })
    else if (variable.image === undefined) made++
  }
  enter(start)
  const settings =
    workspace === undefined
      ? []
      : [
          ...(workspace.precision === 7 ? [] : [`\\p ${workspace.precision}`]),
          ...(workspace.seed === -314159 ? [] : [`\\r ${workspace.seed}`]),
          ...(workspace.directory === start ? [] : [`\\d ${workspace.directory || "."}`]),
        ]
  const missing = left.map(({ path, why }) => `/ not in it: ${path} (${why.replaceAll("\n", " ")})`)
  const lines = [...missing, ...values, ...attributes, ...settings]
  return { text: lines.length === 0 ? "" : `${lines.join("\n")}\n`, variables: made, left }
}
