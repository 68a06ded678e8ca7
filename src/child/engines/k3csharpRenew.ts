/**
 * Making a K3CSharp child as new without launching another: `\9` empties its tree and sets the seed, but leaves what was assigned with `::`,
 * and everything that other commands change.
 *
 * Guarantees: true only when nothing that lasts was in the code, every name in it has no value afterwards, and the tree, the precision,
 * the seed and the directory are those of a new child. Does not: see what a build keeps where no question reaches; after a statement that
 * failed, nothing is sure.
 */
import * as Effect from "effect/Effect"
import type { Child, ChildEnded } from "../Child.ts"
import { text } from "./k3csharpAsk.ts"
import { failureOf } from "./k3csharpErrors.ts"

/** Globals made with `::`, commands, files and libraries, the environment. */
const lasting = /::|^\s*\\|\d:|_setenv/m
const mostNames = 50

/** What a new child answers. */
const asNew: readonly (readonly [asked: string, printed: string])[] = [
  ["!`", "`k`t"],
  ["\\v", ""],
  ["\\p", "7"],
  ["\\r", "-314159"],
  ["\\d", ".k"],
]

export const renew = Effect.fnUntraced(function* (child: Child, ran: readonly string[] | undefined): Effect.fn.Return<boolean, ChildEnded> {
  if (ran === undefined || ran.some((code) => lasting.test(code))) return false
  const names = new Set(ran.flatMap((code) => code.match(/(?<!\w)[A-Za-z]\w*/g) ?? []))
  if (names.size > mostNames) return false
  yield* text(child, "\\9")
  for (const name of names) if (failureOf(yield* text(child, name))?.name !== "value") return false
  // Asking for a name makes the directory it would be in.
  yield* text(child, "\\9")
  for (const [asked, printed] of asNew) if ((yield* text(child, asked)).trim() !== printed) return false
  return true
})
