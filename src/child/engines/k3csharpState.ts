/**
 * The tracker of a K3CSharp child. It evaluates K: `!` lists names, `_bd` gives exact images (`k3csharpVariable.ts`), and an assignment restores
 * a variable.
 *
 * K3CSharp prints a function without its quotes and backquotes, so its text is taken from the statement that made it, if that was noted
 * (`k3csharpWritten.ts`).
 * A value that differs after its restore is replaced by nil. Does not: remove a name, or mark a state inside the child.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Child } from "../Child.ts"
import type { Lost, Variable } from "../Contents.ts"
import { isError } from "./k3csharpErrors.ts"
import { text } from "./ownRequests.ts"
import { holds, type Item, read as readImage } from "./image.ts"
import { plainText } from "./imageText.ts"
import { decoded, mostBytes } from "./k3csharpForm.ts"
import { narrow } from "./k3csharpLetters.ts"
import { utf8Of } from "./letters.ts"
import { measured, leastBytesOf, paths, readVariable, tooLarge } from "./k3csharpVariable.ts"
import { lineOf, noteStatement, isPrintOf, remember, type WrittenForms } from "./k3csharpWritten.ts"
import type { Tracker } from "./Tracker.ts"

/** The error message in a reply; undefined when there is none. */
const errorIn = (said: string): string | undefined => (isError(said) ? said.trim().slice(0, 200) : undefined)

/** Whether a symbol in it has bytes that are no UTF-8: `_db` replaces them. */
const isGarbled = (item: Item): boolean =>
  holds(item, (each) =>
    each.type === 4 ? utf8Of(each.text) === undefined : each.type === -4 && each.texts.some((text) => utf8Of(text) === undefined),
  )

/** The value as K text; undefined when it has none. */
const textOf = (image: string): string | undefined => {
  if (!image.startsWith(decoded)) return image
  const { item } = readImage(image.slice(decoded.length))
  return item === undefined || isGarbled(item) ? undefined : plainText(narrow(item), "")
}

/** A thing that was not restored, for the filter of a list. Without a reason, it is left out. */
const lost =
  (path: string) =>
  (why: string | undefined): Result.Result<Lost, void> =>
    why === undefined ? Result.failVoid : Result.succeed({ path, why })

type Restorable = Variable & { readonly image: string }

const isSame = (a: string, b: string): boolean => a === b || (textOf(a) !== undefined && textOf(a) === textOf(b))

/** Expressions that may make the value, the best first. Text comes first for a list with empty vectors, of which `_db` makes empty lists. */
const formsOf = (image: string): readonly string[] => {
  const text = textOf(image)
  if (text === undefined || text === image) return [image]
  return readImage(image.slice(decoded.length)).holdsEmpty ? [text, image] : [image, text]
}
/** Names that code assigns. At most `mostAsked` of them are measured. */
const assigned = /(?<![\w`])(\.?[A-Za-z]\w*(?:\.[A-Za-z]\w*)*)\s*:(?!:)/g
const mostAsked = 8

export const k3csharpTracker = (child: Child, written: WrittenForms): Tracker => {
  const setting = (command: string) => Effect.map(text(child, command), (printed) => printed.trim())

  /** Assigns a value; the semicolon at the end prevents printing. Gives the error, if any. */
  const assign = (path: string, form: string) => Effect.map(text(child, `${path}:${form};`), errorIn)
  const absolute = (name: string) =>
    name.startsWith(".") ? Effect.succeed(name) : Effect.map(setting("\\d"), (directory) => `${directory}.${name}`)

  /** How the present value differs from the variable in image or printed text; undefined when it does not. */
  const unequal = Effect.fnUntraced(function* ({ path, image, text: shown, type }: Restorable) {
    if (type === 7) return isPrintOf(image, yield* text(child, path)) ? undefined : "what came back is not equal"
    const [now] = yield* readVariable(child, path, written)
    if (now?.image === undefined || !isSame(now.image, image)) return "what came back is not equal"
    // For a variable of another engine, the printed text of this one is not known. `_db` of some images makes values that cannot be printed.
    const isShown = shown === "" ? !isError(now.text) : now.text === shown
    return isShown ? undefined : `what came back prints otherwise: ${now.text}`
  })

  /** Restores a variable. Gives the reason of a failure, after which the name has nil, since it cannot be removed. */
  const putBack = Effect.fnUntraced(function* (variable: Variable) {
    const { path, image, type, why } = variable
    if (image === undefined) return undefined
    if (type === 7 && why === undefined) remember(written, image)
    let problem: string | undefined
    let isAssigned = false
    for (const form of type === 7 ? [lineOf(image)] : formsOf(image)) {
      problem = yield* assign(path, form)
      if (problem !== undefined) continue
      isAssigned = true
      problem = yield* unequal({ ...variable, image })
      if (problem === undefined) return undefined
    }
    if (isAssigned) yield* assign(path, "_n")
    return problem
  })

  return {
    read: Effect.fnUntraced(function* ({ hurry }) {
      const changed = new Map<string, Variable>()
      for (const path of yield* paths(child)) {
        if (hurry()) return undefined
        for (const each of yield* readVariable(child, path, written)) changed.set(each.path, each)
      }
      if (hurry()) return undefined
      const settings = {
        precision: Number(yield* setting("\\p")),
        seed: Number(yield* setting("\\r")),
        directory: yield* setting("\\d"),
        folder: yield* setting("\\cd"),
      }
      return { anew: true, changed, removed: new Set(), settings }
    }),

    restore: Effect.fnUntraced(function* (variables, precision) {
      // The precision of the printed texts, which are compared.
      yield* text(child, `\\p ${precision}`)
      return yield* Effect.filterMapEffect(variables, (variable) => Effect.map(putBack(variable), lost(variable.path)))
    }),

    large: Effect.fnUntraced(function* (code) {
      const found: Lost[] = []
      const names = new Set(Array.from(code.matchAll(assigned), ([, name]) => name!))
      for (const name of [...names].slice(0, mostAsked)) {
        const size = yield* measured(child, name)
        if (size !== undefined && leastBytesOf(size) > mostBytes) found.push({ path: yield* absolute(name), why: tooLarge })
      }
      return found
    }),

    cutQuotes: () => Effect.succeed(false),
    remove: null,

    settle: ({ precision, seed, directory, folder }) =>
      Effect.filterMapEffect([`\\p ${precision}`, `\\r ${seed}`, `\\cd ${folder}`, `\\d ${directory}`], (command) =>
        Effect.map(text(child, command), (printed) => lost(command)(errorIn(printed))),
      ),

    marks: null,

    onStatement: (statement) => noteStatement(written, statement),
    forget: () => {},
  }
}
