/**
 * Reads the exact value of one statement in K3CSharp: assigns it, prints it as a console does, and asks for its image. Meanwhile the value is in
 * `.t`, the interpreter's own directory, which is no part of a workspace. An assignment, for which K3CSharp gives nil, has the value of its
 * variable afterwards. Does not: give the value of an assignment to items of a variable.
 */
import * as Effect from "effect/Effect"
import type { Child } from "../Child.ts"
import { beginningOf } from "../replyText.ts"
import type { Engine } from "./Engine.ts"
import { codeAlone, lastStatement } from "../../k3/text/scan.ts"
import { imageBytes, itemOf } from "./image.ts"
import { line, text, whole } from "./ownRequests.ts"
import { isError } from "./k3csharpErrors.ts"
import { holdsChars, mayHoldWide } from "./k3csharpLetters.ts"

const held = ".t.k3mcp"
/** Assigned before the statement. It stays when the statement has no value: K3CSharp silently ignores some malformed statements. */
const none = '`"k3-mcp none"'

/** The variable that a statement assigns as a whole. */
const assignedBy = (statement: string): string | undefined => /^\s*([A-Za-z.][\w.]*)\s*[-+*%&|<>=^!~,#$?@]?::?(?!:)/.exec(statement)?.[1]

const DEEPEST = 200

/** Holds the image of the value. `piece`: bytes read by one request, since printing takes K3CSharp a hundred bytes of memory for each. */
const heldImage = ".t.k3image"
const piece = 500_000

const printedImage = Effect.fnUntraced(
  function* (child: Child, most: number) {
    yield* child.ask(line(`${heldImage}:_bd ${held};`))
    const size = Number(yield* text(child, `#${heldImage}`))
    if (!(size >= 12 && size <= most)) return undefined
    const image = new Uint8Array(size)
    for (let from = 0; from < size; from += piece) {
      const n = Math.min(piece, size - from)
      const bytes = imageBytes((yield* whole(child, `_ic ${n}#${from}_${heldImage}`)) ?? "")
      if (bytes.length !== n) return undefined
      image.set(bytes, from)
    }
    return image
  },
  (effect, child) => Effect.tap(effect, drop(child, heldImage)),
)

/**
 * Takes the image of the held value, which is dropped. Undefined when none is held, and for a value with chars beyond Latin-1, of which an image
 * would be wrong.
 */
const taken = Effect.fnUntraced(
  function* (child: Child, most: number) {
    const isSymbol = (yield* text(child, `4:${held}`)).trim() === "4"
    if (isSymbol && (yield* text(child, held)).trim() === none) return undefined
    const bytes = yield* printedImage(child, most)
    const item = bytes && itemOf(bytes, DEEPEST)
    if (item === undefined || !holdsChars(item)) return item && bytes
    const shown = yield* whole(child, held)
    return shown === undefined || mayHoldWide(shown) ? undefined : bytes
  },
  (effect, child) => Effect.tap(effect, drop(child, held)),
)

/** Frees the memory of a variable. */
const drop = (child: Child, path: string) => child.ask(line(`${path}:0;`))

export const value: Engine["value"] = Effect.fnUntraced(function* (child, { wire, command }, { image, quiet }, spill) {
  const begins = lastStatement(wire)
  // A command, and a line that ends with a semicolon, have no value.
  if (command || wire.slice(begins).trim() === "") return { reply: yield* child.ask(line(wire), spill) }
  yield* child.ask(line(`${held}:${none};`))
  const variable = assignedBy(codeAlone(wire).slice(begins))
  if (variable !== undefined) {
    const reply = yield* child.ask(line(quiet === true ? `${wire};` : wire), spill)
    if (isError(beginningOf(reply))) return { reply }
    yield* child.ask(line(`${held}:${variable};`))
    return { reply, image: yield* taken(child, image) }
  }
  // The value is printed by the next request; here only output during the evaluation is recorded.
  const before = spill && { ...spill, live: false }
  const assigned = yield* child.ask(line(`${wire.slice(0, begins)}${held}:${wire.slice(begins)};`), before)
  if (isError(beginningOf(assigned))) return { reply: assigned }
  if (quiet === true) return { reply: assigned, image: yield* taken(child, image) }
  const reply = yield* child.ask(line(held), spill)
  const shown = beginningOf(reply)
  const isNone = shown.trim() === none
  // No image for a value with chars beyond Latin-1, which would be wrong.
  const isTold = !isNone && reply.bytes <= Math.min(image, piece) && !mayHoldWide(shown)
  const bytes = !isTold ? undefined : imageBytes(yield* text(child, `_ic _bd ${held}`))
  yield* drop(child, held)
  if (isNone) return { reply: assigned }
  return bytes === undefined || bytes.length < 12 || bytes.length > image ? { reply } : { reply, image: bytes }
})
