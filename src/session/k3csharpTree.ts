/**
 * Looking into K3CSharp's K tree by evaluating: `!` enumerates a directory, `4:` and `#` tell type and count, `5:` prints.
 *
 * Bounded: at most `mostNames` names, and a long list is cut before it is printed, so that looking costs little whatever is there.
 */
import * as Effect from "effect/Effect"
import type { Child, ChildEnded } from "./Child.ts"
import type { Sight } from "./Engine.ts"
import { text } from "./k3csharpAsk.ts"
import { kindOf, noValue } from "./kinds.ts"
import type { Entry } from "./Session.ts"

const mostNames = 200
const mostPrinted = 60
const mostItems = 30

const symbols = (printed: string): readonly string[] =>
  printed
    .split("`")
    .slice(1)
    .map((name) => name.trim())

/** What `5:` gives, a string (of one character: enlisted), as the text in it; only the escapes that keep a line whole are undone. */
const unquoted = (printed: string): string => {
  const string = /^,?"(.*)"$/s.exec(printed)
  return string === null ? printed : string[1]!.replaceAll(/\\(["\\])/g, "$1")
}

const cut = (shown: string): string => (shown.length > mostPrinted ? `${shown.slice(0, mostPrinted)}…` : shown)

const entry = Effect.fnUntraced(function* (child: Child, name: string, path: string): Effect.fn.Return<Entry, ChildEnded> {
  const [type = Number.NaN, count = 1] = (yield* text(child, `(4:${path};#${path})`)).split(" ").map(Number)
  if (Number.isNaN(type)) return noValue(name)
  const long = count > mostItems && type <= 0
  const preview = unquoted(yield* text(child, long ? `5:${mostItems}#${path}` : `5:${path}`))
  // `4:` of a function is 0, as of a list.
  const code = type === 0 && preview.startsWith("{") ? 7 : type
  const list = code <= 0
  return { name, type: code, kind: kindOf(code), shape: list ? String(count) : "", preview: cut(long ? `${preview}…` : preview) }
})

/** `.` is the directory the session is in; else an absolute path or a name in it. */
export const inspectTree = Effect.fnUntraced(function* (child: Child, path: string): Effect.fn.Return<Sight, ChildEnded> {
  const full = path === "." || path === "" ? (yield* text(child, "\\d")).trim() : path
  if (!/^\.?[\w.]*$/.test(full)) return { path, entries: [], omitted: 0 }
  const listed = yield* text(child, `!\`${full}`)
  if (listed.startsWith("Error: ")) return { path: full, entries: [], value: yield* entry(child, full, full), omitted: 0 }
  const all = symbols(listed)
  const entries = yield* Effect.forEach(all.slice(0, mostNames), (name) => entry(child, name, `${full}.${name}`))
  return { path: full, entries, omitted: all.length - entries.length }
})
