/**
 * Shows how K reads a text: each statement as a nested list in one line, the applied function first, then its arguments.
 *
 *     2*x+1      (*;2;(+;`x;1))          #x       (#:;`x)           f[1;2]    (`f;1;2)
 *     a[0]:1     (:;(`a;0);1)            +/x      ((/;+);`x)        {x+1}     {x+1}
 *
 * Guarantees: bounded time and text. A name is shown as a symbol and a symbol is enlisted, so that they differ; a monad has its colon; a list in
 * parentheses is `(list;…)`. Does not: parse functions, which are shown as their text, or show the values of names.
 */
import { written } from "../values/format.ts"
import { byKind, type ByKind, type ItemNodes, type Node, type NodeOf } from "./ast.ts"

/** Nested levels that are shown. */
const deepest = 60
const mostText = 20_000
const EXACT = 7

const glued = (head: string, items: readonly string[]): string => `(${[head, ...items].join(";")})`

/** The literal as K prints it, in one line. */
const literal = ({ value }: NodeOf<"literal">): string => {
  const text = written(value, EXACT).replaceAll(/\n */g, ";")
  return text.startsWith("`") ? `,${text}` : text
}

class Writer {
  private length = 0

  all(items: ItemNodes, depth: number): readonly string[] {
    return items.map((each) => (each === undefined ? "" : this.text(each, depth)))
  }

  applied(f: Node, args: ItemNodes, depth: number): string {
    const head =
      f.kind === "verb" && args.length === 1 ? f.verb.glyph + (/^\w/.test(f.verb.glyph.slice(1)) ? "" : ":") : this.text(f, depth)
    return glued(head, this.all(args, depth))
  }

  text(node: Node, depth = 0): string {
    if (depth > deepest || this.length > mostText) return "…"
    const shown = byKind(forms, node, this, depth + 1)
    if (!shown.startsWith("(")) this.length += shown.length
    return shown
  }
}

/** Makes the text of each kind of node, with its children at `depth`. */
const forms: ByKind<string, [writer: Writer, depth: number]> = {
  literal,
  name: ({ name }) => `\`${name}`,
  system: ({ row }) => row.glyph,
  self: () => "_f",
  verb: ({ verb }) => verb.text,
  lambda: ({ text }) => text,
  derived: ({ adverb, f }, w, depth) => glued(adverb, [w.text(f, depth)]),
  list: ({ items }, w, depth) => glued("list", w.all(items, depth)),
  apply: ({ f, args }, w, depth) => w.applied(f, args, depth),
  monad: ({ f, x }, w, depth) => w.applied(f, [x], depth),
  dyad: ({ f, x, y }, w, depth) => w.applied(f, [x, y], depth),
  section: ({ f, x }, w, depth) => glued(w.text(f, depth), [w.text(x, depth), ""]),
  compose: ({ parts }, w, depth) => glued("train", w.all(parts, depth)),
  return: ({ x }, w, depth) => glued(":", [w.text(x, depth)]),
  signal: ({ x }, w, depth) => glued("'", [w.text(x, depth)]),
  cond: ({ branches, otherwise }, w, depth) => {
    const inBranches = branches.flatMap(({ condition, value }) => [condition, value])
    return glued(":[]", w.all(otherwise === undefined ? inBranches : [...inBranches, otherwise], depth))
  },
  loop: ({ word, condition, body }, w, depth) => glued(word, w.all([condition, ...body], depth)),
  sequence: ({ statements }, w, depth) => glued(";", w.all(statements, depth)),
  assign: ({ name, path, verb, value, global }, w, depth) => {
    const place = path === undefined ? `\`${name}` : glued(`\`${name}`, w.all(path, depth))
    const written = value === undefined ? [] : [w.text(value, depth)]
    return glued(`${verb?.text ?? ""}${global ? "::" : ":"}`, [place, ...written])
  },
}

/** The tree of a text. Several statements are a list that begins with `;`. */
export const treeText = (tree: NodeOf<"sequence">): string => {
  const [only] = tree.statements
  const text = new Writer().text(tree.statements.length === 1 && only !== undefined ? only : tree)
  return text.length > mostText ? `${text.slice(0, mostText)}…` : text
}
