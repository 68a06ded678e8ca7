/** The help beside an error: two lines on the verb that failed, or else the remedy for errors of that name. */
import { newcomers, type PrimitiveRow, rows, systemWords, writtenInstead } from "../k3/documents.ts"
import type { Example } from "./Entry.ts"
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

const DIVISION = "/ after a noun is the adverb over: % divides, x%y."
const AMEND =
  "@[x;i;f] and .[x;i;f] amend x, which has no items here. To trap an error write @[f;x;:], which gives (0;result) or (1;error)."

const PRINTS = '-1 and -2 print nothing. A value alone on its line is printed, and `0:"text\\n" prints text.'

const RANDOM = "x?y searches the list x. Random numbers are n _draw m: 5 _draw 10, and 5 _draw -10 without repetition."
const TEXT = "/ and \\ neither join nor split text in K3: k_help join and k_help split show how."
const BITS = "K3 has no verbs for bits; _vs makes digits of ints: 2 _sv &/'2 _vs 6 3 is 2, the bits of both."

const CONTROL = "if[c;…], while[c;…] and do[n;…] take a condition or a count, then at least one expression."

const divisionAt = (at: string): string | undefined => (/[\w)\]]\/$/.test(at) ? DIVISION : undefined)

/** What is written instead of the habit of another language at the error's place; undefined when there is none. */
const habitAt = (name: string, at: string): string | undefined => {
  if (/"[/\\]$/.test(at)) return TEXT
  switch (name) {
    case "value": {
      const instead = newcomers.get(at) ?? systemName(at)
      return instead && `${at} is no name of K: ${instead}`
    }
    case "reserved": {
      if (/^_(?:and|or|xor|not|shift|rot)$/.test(at)) return BITS
      const instead = newcomers.get(at.slice(1))
      return instead && `${at} is no name of K: ${instead}`
    }
    case "domain":
      return at === "?" ? RANDOM : undefined
    case "character": {
      const instead = writtenInstead(at)
      return instead && `${at} is not K: write ${instead}.`
    }
    case "rank":
      if (/^-[12]$/.test(at)) return PRINTS
      return /^(?:if|while|do)$/.test(at) ? CONTROL : (divisionAt(at) ?? (/^[@.]\[/.test(at) ? AMEND : undefined))
    case "index":
      return divisionAt(at)
    default:
      return undefined
  }
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
