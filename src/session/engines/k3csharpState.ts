/**
 * The state of a K3CSharp child, by asking it in K: `!` enumerates, `_bd` gives exact images, and an assignment puts them back.
 *
 * An image is kept as the K expression that makes the value. What `_db` does not bring back has another one: functions, which it
 * returns without their code, are kept as text, and empty vectors as their own notation. It prints a function without its quotes, so
 * the text is taken from the statement that made it when that was heard. Reading is slow (a million ints take a second), hence the
 * limit on a value. Measured on its head of 2026-04-18.
 */
import * as Effect from "effect/Effect"
import type { Child, ChildEnded } from "../child/Child.ts"
import { read as readImage } from "../variables/image.ts"
import { line, text } from "./k3csharpAsk.ts"
import type { Lost, Variable } from "../variables/Snapshot.ts"
import type { Tracker } from "./Tracker.ts"

/** Bytes of the largest image that is read: about 0.1 s. */
const mostBytes = 256 * 1024
const mostHeard = 1000
const previewed = 60
const mostItems = 30

const utf8 = new TextDecoder()
/** An image is written in integers: it prints, and reads, a string with many escapes in time that grows with their square. */
const decoded = "_db _ci "
/** How it prints empty vectors, and their types: `4:` says -1 of each. */
const empties: Readonly<Record<string, number>> = { "!0": -1, "0#0.0": -2, '""': -3, "0#`": -4 }

/** Names in what `!` printed; one that needs quotes cannot be a variable's. */
const names = (printed: string): readonly string[] =>
  printed.startsWith("Error: ")
    ? []
    : printed
        .split("`")
        .slice(1)
        .map((name) => name.trim())
        .filter((name) => /^[A-Za-z]\w*$/.test(name))

/** As it prints a function: without quotes and blanks. */
const bare = (code: string): string => code.replaceAll(/["\s]/g, "")
/** The same of a function as it was written: quotes in its strings are printed without the backslash. */
const printedOf = (written: string): string =>
  bare(written.replaceAll(/"(?:[^"\\]|\\[^])*"/g, (string) => string.replaceAll(/\\(["\\])/g, "$1")))

const cut = (shown: string): string => (shown.length > previewed ? `${shown.slice(0, previewed)}…` : shown)

/** `heard`: functions as they were written, by how they print; `undefined` when two print alike. */
export const k3csharpTracker = (child: Child, heard: Map<string, string | undefined>): Tracker => {
  /** The whole reply, or undefined when it is longer than what is kept. */
  const whole = (code: string) =>
    Effect.map(child.ask(line(code)), ({ head, tail, omitted }) => (omitted > 0 ? undefined : utf8.decode(head) + utf8.decode(tail)))

  const functionOf = (printed: string): Pick<Variable, "image" | "why"> => {
    const written = heard.get(bare(printed))
    return written === undefined
      ? { image: printed, why: "given back from its printed form, in which K3CSharp drops quotes: look at it" }
      : { image: written }
  }

  const variable = Effect.fnUntraced(function* (path: string): Effect.fn.Return<readonly Variable[], ChildEnded> {
    const facts = /^\((-?\d+);(.*);(\d+)\)$/.exec(yield* text(child, `(4:${path};^${path};#${path})`))
    if (facts === null) return []
    const [, code, axes, items] = facts
    const type = Number(code)
    const count = Number(items)
    const shape = type > 0 || axes === "!0" ? "" : axes!.replace(",", "")
    const long = type <= 0 && count > mostItems
    const about = { path, type, shape, bytes: 0, text: cut(yield* text(child, long ? `${mostItems}#${path}` : path)) }
    const least = type === 0 ? 8 : ({ [-1]: 4, [-2]: 8, [-3]: 1, [-4]: 2 }[type] ?? 0)
    const large = { ...about, why: `it takes more than the ${mostBytes} bytes that are read of a K3CSharp variable` }
    if (count * least > mostBytes) return [{ ...large, bytes: count * least }]
    if (type < 0 && count === 0) return [{ ...about, type: empties[about.text] ?? type, image: about.text }]
    const printed = yield* whole(`_ic _bd ${path}`)
    if (printed === undefined) return [large]
    if (printed.startsWith("Error: ")) return [{ ...about, why: `K3CSharp makes no image of it: ${printed.trim().slice(0, 200)}` }]
    const image = readImage(printed)
    if (image.isFunction)
      return [
        {
          ...about,
          type: 7,
          shape: "",
          bytes: image.bytes,
          ...functionOf(about.text.endsWith("…") ? yield* text(child, path) : about.text),
        },
      ]
    if (!image.holdsFunction)
      return image.bytes > mostBytes
        ? [{ ...large, bytes: image.bytes }]
        : [{ ...about, bytes: image.bytes, image: `${decoded}${printed}` }]
    if (type !== 5) return [{ ...about, bytes: image.bytes, why: "K3CSharp does not bring back functions in a list" }]
    const parts = yield* Effect.forEach(names(yield* text(child, `!\`${path}`)), (name) => variable(`${path}.${name}`))
    return parts.flat()
  })

  const remember = (definition: string): void => {
    const key = printedOf(definition)
    heard.set(key, heard.has(key) && heard.get(key) !== definition ? undefined : definition)
  }

  return {
    look: Effect.fnUntraced(function* (_held, { hurry }) {
      const changed = new Map<string, Variable>()
      for (const top of names(yield* text(child, "!`"))) {
        // `.t` is the interpreter's own.
        if (top === "t") continue
        for (const name of names(yield* text(child, `!\`.${top}`))) {
          if (hurry()) return undefined
          for (const each of yield* variable(`.${top}.${name}`)) changed.set(each.path, each)
        }
      }
      if (hurry()) return undefined
      const setting = (command: string) => Effect.map(text(child, command), (printed) => printed.trim())
      const workspace = {
        precision: Number(yield* setting("\\p")),
        seed: Number(yield* setting("\\r")),
        directory: yield* setting("\\d"),
        folder: yield* setting("\\cd"),
      }
      return { anew: true, changed, removed: new Set(), workspace }
    }),

    restore: Effect.fnUntraced(function* (variables) {
      const lost: Lost[] = []
      for (const { path, image, type, why } of variables) {
        if (image === undefined) continue
        if (type === 7 && why === undefined) remember(image)
        // A semicolon at the end: it would print the value.
        const said = yield* text(child, `${path}:${image};`)
        const wrong = said.startsWith("Error: ") ? said.trim().slice(0, 200) : undefined
        const printed = wrong ?? (yield* whole(type === 7 ? path : `_ic _bd ${path}`))
        const equal =
          type === 7
            ? [bare(image), printedOf(image)].includes(bare(printed ?? ""))
            : !image.startsWith(decoded) || printed === image.slice(decoded.length)
        if (wrong !== undefined) lost.push({ path, why: wrong })
        else if (!equal) lost.push({ path, why: "what came back is not equal" })
      }
      return lost
    }),

    remove: null,

    settle: Effect.fnUntraced(function* ({ precision, seed, directory, folder }) {
      const lost: Lost[] = []
      for (const command of [`\\p ${precision}`, `\\r ${seed}`, `\\cd ${folder}`, `\\d ${directory}`]) {
        const said = yield* text(child, command)
        if (said.startsWith("Error: ")) lost.push({ path: command, why: said.trim() })
      }
      return lost
    }),

    marks: null,

    heard: (statement) => {
      const definition = /^[^{]*?:\s*(\{[^]*\})\s*$/.exec(statement)?.[1]
      if (definition !== undefined && heard.size < mostHeard) remember(definition)
    },
  }
}
