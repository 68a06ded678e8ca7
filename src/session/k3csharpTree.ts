/**
 * Looking into K3CSharp's K tree by evaluating: `!` enumerates a directory, `4:` and `#` tell type and count, `5:` prints.
 *
 * Bounded: at most `mostNames` names, and a long list is cut before it is printed, so that looking costs little whatever is there.
 */
import * as Effect from "effect/Effect"
import type { Child, ChildEnded } from "./Child.ts"
import type { Sight } from "./Engine.ts"
import { text } from "./k3csharpAsk.ts"
import { factsOf, usersOf } from "./functionText.ts"
import { kindOf, noValue } from "./kinds.ts"
import type { Detail, Entry } from "./Session.ts"
import { mostDepth, mostEntries, type Slice, type View } from "./view.ts"

const mostNames = 200
const mostPrinted = 60
const mostItems = 30
const mostFigured = 100_000

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

const number = (printed: string): number | undefined => {
  const value = Number(printed.trim())
  return printed.trim() === "" || Number.isNaN(value) ? undefined : value
}

/** What is known of one value. Figures of a long vector are asked for up to `mostFigured` items. */
const detail = Effect.fnUntraced(function* (child: Child, name: string, path: string): Effect.fn.Return<Detail, ChildEnded> {
  const own = yield* entry(child, name, path)
  if (own.type === 7) {
    const printed = (yield* text(child, path)).trim()
    return { ...own, function: { ...factsOf(printed), text: printed, usedBy: usersOf(path, yield* functions(child)) } }
  }
  const n = own.shape === "" ? 0 : Number(own.shape)
  const tail = n > mostItems ? { tail: cut(unquoted(yield* text(child, `5:${n - mostItems / 2}_ ${path}`))) } : {}
  const width = { [-1]: 4, [-2]: 8, [-3]: 1, [-4]: 8, 0: 8 }[own.type]
  const bytes = width === undefined || own.shape === "" ? {} : { bytes: width * n }
  if (n === 0 || n > mostFigured) return { ...own, ...bytes, ...tail }
  const asked = (code: string) => Effect.map(text(child, code), number)
  if (own.type === -4) return { ...own, ...bytes, ...tail, ...defined({ distinct: yield* asked(`#?${path}`) }) }
  if (own.type !== -1 && own.type !== -2) return { ...own, ...bytes, ...tail }
  const figures = { least: yield* asked(`&/${path}`), greatest: yield* asked(`|/${path}`), mean: yield* asked(`(+/0.0+${path})%${n}`) }
  return { ...own, ...bytes, ...tail, ...defined(figures) }
})

const defined = <A extends object>(fields: A): { [K in keyof A]?: Exclude<A[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as { [K in keyof A]?: Exclude<A[K], undefined> }

/** Functions of the whole tree, as they are printed. */
const functions = Effect.fnUntraced(function* (
  child: Child,
): Effect.fn.Return<{ readonly path: string; readonly text: string }[], ChildEnded> {
  const found: { readonly path: string; readonly text: string }[] = []
  let asked = 0
  for (const top of symbols(yield* text(child, "!`"))) {
    if (top === "t" || !/^[A-Za-z]\w*$/.test(top)) continue
    for (const name of symbols(yield* text(child, `!\`.${top}`))) {
      if (!/^[A-Za-z]\w*$/.test(name) || asked++ >= mostNames) continue
      const path = `.${top}.${name}`
      // `4:` of a function is 0, as of a list, but its count is 1.
      if ((yield* text(child, `(4:${path};#${path})`)).trim() !== "0 1") continue
      const printed = (yield* text(child, path)).trim()
      if (printed.startsWith("{")) found.push({ path, text: printed })
    }
  }
  return found
})

/** The part of a value that a slice names. */
const sliced = Effect.fnUntraced(function* (child: Child, path: string, slice: Slice): Effect.fn.Return<Sight, ChildEnded> {
  // One place at a time: it does not take several at once in a list of lists.
  const item =
    "index" in slice
      ? slice.index.reduce((of: string, place) => (typeof place === "string" ? `(${of}@\`${place})` : `(${of}@${place})`), path)
      : undefined
  const count = Number(yield* text(child, `#${path}`))
  const [from, to] = "range" in slice ? slice.range : [0, 0]
  const bounded = item ?? `${Math.max(0, Math.min(to, count || 0) - from)}#${from}_ ${path}`
  const one = yield* entry(child, path.slice(path.lastIndexOf(".") + 1), `(${bounded})`)
  if (one.kind !== "no value") return { path, entries: [], value: one, omitted: 0 }
  return { path, entries: [], omitted: 0, problem: (yield* text(child, bounded)).trim() }
})

/** `.` is the directory the session is in; else an absolute path or a name in it. */
export const inspectTree = Effect.fnUntraced(function* (child: Child, path: string, view: View): Effect.fn.Return<Sight, ChildEnded> {
  const directory = path.startsWith(".") && path !== "." ? "" : (yield* text(child, "\\d")).trim()
  const full = directory === "" ? path : path === "." || path === "" ? directory : `${directory}.${path}`
  if (!/^\.?[\w.]*$/.test(full)) return { path, entries: [], omitted: 0, value: noValue(path) }
  if (view.slice !== undefined) return yield* sliced(child, full, view.slice)
  const listed = yield* text(child, `!\`${full}`)
  const leaf = full.slice(full.lastIndexOf(".") + 1)
  if (listed.startsWith("Error: ")) return { path: full, entries: [], value: yield* detail(child, leaf, full), omitted: 0 }
  const { depth = 1, skip = 0 } = view
  const entries: Entry[] = []
  let total = 0
  const visit = (below: string, prefix: string, names: readonly string[], left: number): Effect.Effect<void, ChildEnded> =>
    Effect.forEach(
      names,
      Effect.fnUntraced(function* (name) {
        if (total >= skip + mostNames) return void total++
        const own = { path: `${below}.${name}`, name: prefix === "" ? name : `${prefix}.${name}` }
        const isShown = total++ >= skip && entries.length < mostEntries
        const one = isShown || left > 1 ? yield* entry(child, own.name, own.path) : undefined
        if (isShown) entries.push(one!)
        if (left > 1 && one?.type === 5) yield* visit(own.path, own.name, symbols(yield* text(child, `!\`${own.path}`)), left - 1)
      }),
      { discard: true },
    )
  yield* visit(full, "", symbols(listed), Math.min(depth, mostDepth))
  const omitted = Math.max(0, total - skip - entries.length)
  return { path: full, entries, omitted, ...(omitted > 0 && { next: skip + entries.length }) }
})
