/**
 * Returns a K3CSharp child to the state of a new one. `\9` empties its tree and sets the seed, but keeps names assigned with `::`, and all
 * changes by other commands.
 *
 * Guarantees: true only when the code had no lasting effect that can be recognised, every name in it has no value afterwards, and the tree,
 * the precision, the seed and the directory are those of a new child. Does not: renew a child after a failed statement, or find state that no
 * request can read.
 */
import * as Effect from "effect/Effect"
import type { Child, ChildEnded } from "../Child.ts"
import { initial } from "../Contents.ts"
import { text } from "./ownRequests.ts"
import { failureOf } from "./k3csharpErrors.ts"

/** Code with lasting effects: globals made with `::`, commands, files and libraries, the environment. */
const lasting = /::|^\s*\\|\d:|_setenv/m
const mostNames = 50

/** The answers of a new child. */
const asNew: readonly (readonly [asked: string, printed: string])[] = [
  ["!`", "`k`t"],
  ["\\v", ""],
  ["\\p", `${initial.precision}`],
  ["\\r", `${initial.seed}`],
  ["\\d", initial.directory],
]

export const renew = Effect.fnUntraced(function* (child: Child, ran: readonly string[] | undefined): Effect.fn.Return<boolean, ChildEnded> {
  if (ran === undefined || ran.some((code) => lasting.test(code))) return false
  const names = new Set(ran.flatMap((code) => code.match(/(?<!\w)[A-Za-z]\w*/g) ?? []))
  if (names.size > mostNames) return false
  yield* text(child, "\\9")
  for (const name of names) if (failureOf(yield* text(child, name))?.name !== "value") return false
  // Reading a name makes its directory, so the tree is emptied again.
  yield* text(child, "\\9")
  for (const [asked, printed] of asNew) if ((yield* text(child, asked)).trim() !== printed) return false
  return true
})
