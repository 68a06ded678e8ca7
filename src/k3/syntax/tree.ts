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
import type { Items, Node } from "./ast.ts"

/** Nested levels that are shown. */
const deepest = 60
const mostText = 20_000
const EXACT = 7

const glued = (head: string, items: readonly string[]): string => `(${[head, ...items].join(";")})`

/** The literal as K prints it, in one line. */
const literal = (node: Node & { readonly kind: "literal" }): string => {
  const text = written(node.value, EXACT).replaceAll(/\n */g, ";")
  return text.startsWith("`") ? `,${text}` : text
}

class Writer {
  private length = 0

  private readonly all = (items: Items, depth: number): readonly string[] =>
    items.map((each) => (each === undefined ? "" : this.text(each, depth)))

  private readonly applied = (f: Node, args: Items, depth: number): string => {
    const head =
      f.kind === "verb" && args.length === 1 ? f.verb.glyph + (/^\w/.test(f.verb.glyph.slice(1)) ? "" : ":") : this.text(f, depth)
    return glued(head, this.all(args, depth))
  }

  text(node: Node, depth = 0): string {
    if (depth > deepest || this.length > mostText) return "…"
    const shown = this.shown(node, depth + 1)
    if (!shown.startsWith("(")) this.length += shown.length
    return shown
  }

  private shown(node: Node, depth: number): string {
    switch (node.kind) {
      case "literal":
        return literal(node)
      case "name":
        return `\`${node.name}`
      case "system":
        return node.row.glyph
      case "self":
        return "_f"
      case "verb":
        return node.verb.text
      case "lambda":
        return node.text
      case "derived":
        return glued(node.adverb, [this.text(node.f, depth)])
      case "list":
        return glued("list", this.all(node.items, depth))
      case "apply":
        return this.applied(node.f, node.args, depth)
      case "monad":
        return this.applied(node.f, [node.x], depth)
      case "dyad":
        return this.applied(node.f, [node.x, node.y], depth)
      case "section":
        return glued(this.text(node.f, depth), [this.text(node.x, depth), ""])
      case "compose":
        return glued("train", this.all(node.parts, depth))
      case "return":
        return glued(":", [this.text(node.x, depth)])
      case "signal":
        return glued("'", [this.text(node.x, depth)])
      case "cond":
        return glued(":[]", [
          ...node.branches.flatMap(({ condition, value }) => this.all([condition, value], depth)),
          ...(node.otherwise === undefined ? [] : [this.text(node.otherwise, depth)]),
        ])
      case "loop":
        return glued(node.word, this.all([node.condition, ...node.body], depth))
      case "sequence":
        return glued(";", this.all(node.statements, depth))
      case "assign": {
        const place = node.path === undefined ? `\`${node.name}` : glued(`\`${node.name}`, this.all(node.path, depth))
        return glued(`${node.verb?.text ?? ""}${node.global ? "::" : ":"}`, [
          place,
          ...(node.value === undefined ? [] : [this.text(node.value, depth)]),
        ])
      }
    }
  }
}

/** The tree of a text. Several statements are a list that begins with `;`. */
export const treeText = (tree: Node & { readonly kind: "sequence" }): string => {
  const [only] = tree.statements
  const text = new Writer().text(tree.statements.length === 1 && only !== undefined ? only : tree)
  return text.length > mostText ? `${text.slice(0, mostText)}…` : text
}
