/**
 * Inspects K3CSharp's K tree by evaluating K: `!` lists a directory, `4:` and `#` give type and count, `5:` prints.
 *
 * Guarantees: the cost is bounded. At most `mostNames` names are listed, a long list is cut before it is printed, and the figures of a long vector
 * come from a sample.
 */
import * as Effect from "effect/Effect"
import type { Child, ChildEnded } from "../Child.ts"
import { text } from "./ownRequests.ts"
import { factsOf } from "./functionText.ts"
import { isError } from "./k3csharpErrors.ts"
import { impactOf, type Named } from "./impact.ts"
import { cut, paths, symbols } from "./k3csharpVariable.ts"
import { recall, type WrittenForms } from "./k3csharpWritten.ts"
import { kindOf, noValue } from "./kinds.ts"
import {
  absolutePath,
  directoriesBeside,
  leafOf,
  type ListedName,
  type ListedValue,
  type Listing,
  listingOf,
  mostDepth,
  mostEntries,
  nameBelow,
  type Slice,
  type View,
} from "./Listing.ts"

/** The tree of a child, and the original texts of its functions. */
interface Tree {
  readonly child: Child
  readonly written: WrittenForms
}

const mostNames = 200
const mostItems = 30
/** Items from which figures are computed. */
const mostFigured = 10_000

/** The text in a printed string, which may be enlisted. Only the escapes of quotes and backslashes are undone, so that the text stays one line. */
const unquoted = (printed: string): string => {
  const string = /^,?"(.*)"$/s.exec(printed)
  return string === null ? printed : string[1]!.replaceAll(/\\(["\\])/g, "$1")
}

const entry = Effect.fnUntraced(function* (child: Child, name: string, path: string): Effect.fn.Return<ListedName, ChildEnded> {
  const [type = Number.NaN, count = 1] = (yield* text(child, `(4:${path};#${path})`)).split(" ").map(Number)
  if (Number.isNaN(type)) return noValue(name)
  const long = count > mostItems && type <= 0
  // For a directory of the root, only names are printed: `5:` prints all values in it, which takes minutes for a long vector.
  const isTop = type === 5 && path.lastIndexOf(".") === 0
  const printed = isTop ? `!\`${path}` : long ? `5:${mostItems}#${path}` : `5:${path}`
  const preview = unquoted(type === 6 ? "" : yield* text(child, printed))
  // `4:` of a function is 0, as of a list.
  const code = type === 0 && preview.startsWith("{") ? 7 : type
  const list = code <= 0
  return { name, type: code, kind: kindOf(code), shape: list ? String(count) : "", preview: cut(preview, long) }
})

const number = (printed: string): number | undefined => {
  const value = Number(printed.trim())
  return printed.trim() === "" || Number.isNaN(value) ? undefined : value
}

/** Details of one value. `path`: its path, or an expression. */
const detail = Effect.fnUntraced(function* (
  { child, written }: Tree,
  name: string,
  path: string,
): Effect.fn.Return<ListedValue, ChildEnded> {
  const own = yield* entry(child, name, path)
  if (own.type === 7) {
    const [code, all] = [original(written, yield* text(child, path)), yield* functions({ child, written })]
    return { ...own, function: { ...factsOf(code), text: code, ...impactOf(path, code, all) } }
  }
  const n = own.shape === "" ? 0 : Number(own.shape)
  const tail = n > mostItems ? { tail: cut(unquoted(yield* text(child, `5:${n - mostItems / 2}_ ${path}`))) } : {}
  const width = { [-1]: 4, [-2]: 8, [-3]: 1, [-4]: 8 }[own.type]
  const bytes = width === undefined || own.shape === "" ? {} : { bytes: width * n }
  if (n === 0 || ![-1, -2, -4].includes(own.type)) return { ...own, ...bytes, ...tail }
  const step = Math.ceil(n / mostFigured)
  const size = Math.ceil(n / step)
  const items = step === 1 ? path : `(${path}@${step}*!${size})`
  const sampled = step === 1 ? {} : { sampled: size }
  const asked = (code: string) => Effect.map(text(child, code), number)
  const figures =
    own.type === -4
      ? { distinct: yield* asked(`#?${items}`) }
      : {
          least: yield* asked(`&/${items}`),
          greatest: yield* asked(`|/${items}`),
          mean: yield* asked(`(+/0.0+${items})%${size}`),
        }
  return { ...own, ...bytes, ...tail, ...defined(figures), ...sampled }
})

const defined = <A extends object>(fields: A): { [K in keyof A]?: Exclude<A[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as { [K in keyof A]?: Exclude<A[K], undefined> }

/** The text of a function. Its printed form lacks quotes: `{"f" 0:x}` is `{f0:x}`, which reads no file. */
const original = (written: WrittenForms, printed: string): string => recall(written, printed) ?? printed.trim()

/** All functions of the tree. */
const functions = Effect.fnUntraced(function* ({ child, written }: Tree): Effect.fn.Return<readonly Named[], ChildEnded> {
  const found: Named[] = []
  for (const path of (yield* paths(child)).slice(0, mostNames)) {
    // `4:` of a function is 0, as of a list, but its count is 1.
    if ((yield* text(child, `(4:${path};#${path})`)).trim() !== "0 1") continue
    const code = original(written, yield* text(child, path))
    if (code.startsWith("{")) found.push({ path, text: code })
  }
  return found
})

/** The part of a value that a slice selects. */
const sliced = Effect.fnUntraced(function* (tree: Tree, path: string, slice: Slice): Effect.fn.Return<Listing, ChildEnded> {
  const { child } = tree
  // One index at a time: K3CSharp does not take several at once in a list of lists.
  const item =
    "index" in slice
      ? slice.index.reduce((of: string, place) => (typeof place === "string" ? `(${of}@\`${place})` : `(${of}@${place})`), path)
      : undefined
  const counted = yield* text(child, `#${path}`)
  if (isError(counted)) return { path, entries: [], value: noValue(leafOf(path)), omitted: 0 }
  const count = Number(counted)
  const [from, to] = "range" in slice ? slice.range : [0, 0]
  const bounded = item ?? `${Math.max(0, Math.min(to, count || 0) - from)}#${from}_ ${path}`
  const name = leafOf(path)
  const one = yield* item === undefined ? entry(child, name, `(${bounded})`) : detail(tree, name, `(${item})`)
  if (one.kind !== "no value") return { path, entries: [], value: item === undefined ? { ...one, shape: String(count) } : one, omitted: 0 }
  return { path, entries: [], omitted: 0, problem: (yield* text(child, bounded)).trim() }
})

/** An expression for a value, and its name in lists. */
interface Place {
  readonly path: string
  readonly name: string
}

/** Is the place of a value an expression? It has no path, so its entries are found by indexing; so is an entry whose key needs quotes. */
const isExpression = (path: string): boolean => path.startsWith("(")

const below = (path: string, prefix: string, names: readonly string[]): readonly Place[] =>
  names.map((name) => ({
    path: path === "." ? `.${name}` : isExpression(path) || name.startsWith('"') ? `(${path}@\`${name})` : `${path}.${name}`,
    name: prefix === "" ? nameBelow(path, name) : `${prefix}.${name}`,
  }))

const itemsOf = (path: string, prefix: string, n: number): readonly Place[] =>
  Array.from({ length: Math.min(n, mostNames) }, (_, i) => ({ path: `(${path}@${i})`, name: `${prefix}[${i}]` }))

/** Names of the root, the interpreter's own `t` among them. */
const topNames = (child: Child) => Effect.map(text(child, "!`"), symbols)

/** The names in a directory; undefined when the path is no directory. `!` fails for an empty directory, which is nil or missing in the tree. */
const listed = Effect.fnUntraced(function* (child: Child, path: string): Effect.fn.Return<readonly string[] | undefined, ChildEnded> {
  if (path === ".") return yield* topNames(child)
  const printed = yield* text(child, `!\`${path}`)
  if (!isError(printed)) return symbols(printed)
  const type = (yield* text(child, `4:${path}`)).trim()
  if (type !== "6" && !isError(type)) return undefined
  const isThere = (yield* topNames(child)).includes(path.slice(1)) || (yield* text(child, "\\d")).trim() === path
  return isThere ? [] : undefined
})

/** `path` is resolved as in `absolutePath`. */
export const inspectTree = Effect.fnUntraced(function* (
  child: Child,
  path: string,
  view: View,
  written: WrittenForms = new Map(),
): Effect.fn.Return<Listing, ChildEnded> {
  const tree = { child, written }
  const directory = path.startsWith(".") ? "" : (yield* text(child, "\\d")).trim()
  const full = absolutePath(directory, path)
  if (!/^\.?[\w.]*$/.test(full)) return { path, entries: [], omitted: 0, value: noValue(path) }
  if (view.slice !== undefined) return yield* sliced(tree, full, view.slice)
  const found = yield* listed(child, full)
  const { depth = 1, skip = 0 } = view
  const value = found === undefined ? yield* detail(tree, leafOf(full), full) : undefined
  const entries: ListedName[] = []
  let total = 0
  const items = (of: ListedName, path: string, prefix: string): Effect.Effect<readonly Place[], ChildEnded> =>
    of.type === 5
      ? Effect.map(text(child, isExpression(path) ? `!${path}` : `!\`${path}`), (names) => below(path, prefix, symbols(names)))
      : Effect.succeed(of.type === 0 ? itemsOf(path, prefix, Number(of.shape)) : [])
  const visit = (places: readonly Place[], left: number): Effect.Effect<void, ChildEnded> =>
    Effect.forEach(
      places,
      Effect.fnUntraced(function* ({ path, name }) {
        if (total >= skip + mostNames) return void total++
        const isShown = total++ >= skip && entries.length < mostEntries
        const seen = isShown || left > 1 ? yield* entry(child, name, path) : undefined
        const one = seen?.type === 6 && full === "." ? { ...seen, type: 5, kind: kindOf(5), preview: ".()" } : seen
        if (isShown) entries.push(one!)
        if (left > 1 && one !== undefined) yield* visit(yield* items(one, path, name), left - 1)
      }),
      { discard: true },
    )
  const levels = Math.min(depth, mostDepth)
  if (found !== undefined) yield* visit(below(full, "", found), levels)
  else if (levels > 1) yield* visit(yield* items(value!, full, ""), levels - 1)
  const others = path === "" ? { others: directoriesBeside(directory, yield* topNames(child)) } : {}
  return { ...listingOf(full, entries, total, skip), ...others, ...(value !== undefined && { value }) }
})
