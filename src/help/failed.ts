/** The help beside an error: two lines on the verb that failed, or else the remedy for errors of that name. */
import { newcomers, type PrimitiveRow, rows, systemWords, writtenInstead } from "../k3/documents.ts"
import type { Example } from "./HelpEntry.ts"
import { remedyOf } from "./errors.ts"
import { formOf } from "./primitives.ts"

/** Finds the verb in the text at the caret: alone, below an adverb, before a bracket, or in `a+:`. */
const VERB = /^(?:(_[A-Za-z]+|\d:)|[A-Za-z.][\w.]*(?:\[[^]*\])?([-+*%|&^!<>=~?_,#@.$]):|([-+*%|&^!<>=~?_,#@.$])(?=:?(?:['/\\[]|$)))/

const rowAt = (at: string, valence: number | undefined): PrimitiveRow | undefined => {
  const [, name, amending, glyph] = VERB.exec(at) ?? []
  const found = rows.filter((row) => row.glyph === (name ?? amending ?? glyph))
  const wanted = at === `${glyph}:` ? 1 : valence
  return found.find((row) => row.valence === wanted) ?? (found.length === 1 ? found[0] : undefined)
}

/** The system name that lacks its `_`. Two letters are more likely a variable. */
const systemName = (name: string): string | undefined => (name.length > 2 && systemWords.includes(`_${name}`) ? `_${name}` : undefined)

const shortest = (examples: PrimitiveRow["examples"]): Example | undefined =>
  examples.filter((each) => !each.join("").includes("\n")).toSorted((a, b) => a.join("").length - b.join("").length)[0]

interface Failed {
  /** K's name of the error. */
  readonly name: string
  /** The text at the caret, and the number of arguments the verb was given there. */
  readonly at?: string | undefined
  readonly valence?: number | undefined
}

/** Errors that are about the evaluation, whatever verb stood there. */
const ofTheWhole: ReadonlySet<string> = new Set(["limit", "wsfull", "stack", "break", "access"])

const DIVISION = [/[\w)\]]\/$/, "/ after a noun is the adverb over: % divides, x%y."] as const

/** Habits of other languages: the error in which they end, the text at its place, and what is written instead. */
const habits: readonly (readonly [error: string, at: RegExp, told: string])[] = [
  ["domain", /^\?$/, "x?y searches the list x. Random numbers are n _draw m: 5 _draw 10, and 5 _draw -10 without repetition."],
  [
    "reserved",
    /^_(?:and|or|xor|not|shift|rot)$/,
    "K3 has no verbs for bits; _vs makes digits of ints: 2 _sv &/'2 _vs 6 3 is 2, the bits of both.",
  ],
  ["index", ...DIVISION],
  ["rank", /^-[12]$/, '-1 and -2 print nothing. A value alone on its line is printed, and `0:"text\\n" prints text.'],
  ["rank", /^(?:if|while|do)$/, "if[c;…], while[c;…] and do[n;…] take a condition or a count, then at least one expression."],
  ["rank", ...DIVISION],
  [
    "rank",
    /^[@.]\[/,
    "@[x;i;f] and .[x;i;f] amend x, which has no items here. To trap an error write @[f;x;:], which gives (0;result) or (1;error).",
  ],
]

const TEXT = "/ and \\ neither join nor split text in K3: k_help join and k_help split show how."

const noName = (at: string, instead: string | undefined): string | undefined => instead && `${at} is no name of K: ${instead}`

const noCharacter = (at: string, instead: string | undefined): string | undefined => instead && `${at} is not K: write ${instead}.`

/** By the name of the error: the K for a word or character of other languages. */
const words: ReadonlyMap<string, (at: string) => string | undefined> = new Map([
  ["value", (at) => noName(at, newcomers.get(at) ?? systemName(at))],
  ["reserved", (at) => noName(at, newcomers.get(at.slice(1)))],
  ["character", (at) => noCharacter(at, writtenInstead(at))],
])

/** What is written instead of the habit of another language at the error's place; undefined when there is none. */
const habitAt = (name: string, at: string): string | undefined => {
  if (/"[/\\]$/.test(at)) return TEXT
  const habit = habits.find(([error, place]) => error === name && place.test(at))
  return habit === undefined ? words.get(name)?.(at) : habit[2]
}

/** Undefined when the help has nothing to add to the error. */
export const failedEntry = ({ name, at, valence }: Failed): string | undefined => {
  const habit = at === undefined ? undefined : habitAt(name, at)
  if (habit !== undefined || name === "value") return habit
  const row = at === undefined || ofTheWhole.has(name) ? undefined : rowAt(at, valence)
  if (row === undefined) return remedyOf(name)
  const example = shortest(row.examples)
  return `${formOf(row)}  ${row.name}: ${row.doc}${example === undefined ? "" : `\n  ${example[0]}  →  ${example[1]}`}`
}
