/**
 * Random programs of K from `sharing.grammar`. Many of their statements are errors, on purpose.
 * Guarantees: a seed gives the same program as long as the grammar does not change.
 */
import { readFileSync } from "node:fs"
import { randomFrom } from "./random.ts"

const forms = new Map<string, string[]>()
let below: string[] = []
for (const line of readFileSync(new URL("sharing.grammar", import.meta.url), "utf8").split("\n")) {
  if (line.startsWith("/") || line === "") continue
  if (line.startsWith(" ")) below.push(...line.trim().split(/ {2,}/))
  else forms.set(line, (below = []))
}

export const statementForms = new Set(forms.get("S")).size

/** The depth from which only the first form of a rule is used. */
const DEEPEST = 6
const BEGIN = [
  "a:1 2 3;b:4 5 6;c:7 8",
  "m:(1 2 3;4 5 6);n:((1 2;3 4);(5 6;7 8))",
  "d:.((`k;1 2 3);(`l;4));e:.,(`k;.,(`l;1 2))",
  "f:{x[0]:9;x};g:{a};h:{x}",
]
const LEAST = 4
const MOST = 16

/** Statements of K, and actions of the host, which begin with a colon and a word. */
export const sharingProgram = (seed: number): readonly string[] => {
  const next = randomFrom(seed)
  const upTo = (n: number): number => Math.floor(next() * n)
  let same = new Map<string, string>()
  const expand = (text: string, depth: number): string =>
    text.replaceAll(/<(\w+)(=?)>/g, (_, name: string, isSame: string) => {
      const all = forms.get(name)!
      const chosen = (): string => expand(all[depth >= DEEPEST ? 0 : upTo(all.length)]!, depth + 1)
      if (isSame === "") return chosen()
      const known = same.get(name) ?? chosen()
      same.set(name, known)
      return known
    })
  const statement = (): string => {
    same = new Map()
    return expand("<S>", 0)
  }
  return [...BEGIN, ...Array.from({ length: LEAST + upTo(MOST - LEAST) }, statement)]
}
