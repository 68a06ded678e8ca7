/**
 * The types of the primitives' tables: a row for each verb and valence, and for each system name.
 *
 * Guarantees: a row holds all facts about its verb. Adverbs, the compiler, amendments, checks and help read them here; no other code knows a verb by
 * its text.
 */
import type { Dyad, Kernel, Monad } from "../run/kernel.ts"
import type { List, Value, Vector } from "../values/value.ts"

/** The verb's topic. An `atomic` verb works on the atoms of its arguments: two vectors give the results item by item. */
type VerbClass = "atomic" | "list" | "search" | "order" | "text" | "apply" | "tree" | "file" | "math" | "time" | "system"

/** JavaScript that computes the verb on ints, in place of a call. */
interface IntCode {
  /** The expression for operands that are simple expressions themselves. */
  readonly code: (x: string, y: string) => string
  /** A condition besides both operands being ints: `&&` and an expression. */
  readonly when?: (x: string, y: string) => string
}

/**
 * Functions that adverbs call in place of the verb, item by item: faster, with the same result. Each gives `undefined` for values that it does not
 * take.
 */
export interface FastPaths {
  /** `f/x`. */
  readonly over?: (x: Vector | List) => Value | undefined
  /** `f/'x`. */
  readonly overEach?: (x: Vector | List) => Value | undefined
  /** `s f/x`. */
  readonly overFrom?: (start: Value, x: Vector | List) => Value | undefined
  /** `f\x`. */
  readonly scan?: (x: Vector | List) => Value | undefined
  /** `s f\x`. */
  readonly scanFrom?: (start: Value, x: Vector | List) => Value | undefined
  /** `f':x`. */
  readonly eachPrior?: (x: Vector | List) => Value | undefined
  /** `x f'y` for lists of one length. */
  readonly each?: (x: Value, y: Value) => Value | undefined
  /** `x f/:y`, y a list. */
  readonly eachRight?: (x: Value, y: Vector | List) => Value | undefined
  /** `x f\:y`, x a list. */
  readonly eachLeft?: (x: Vector | List, y: Value) => Value | undefined
}

interface Document {
  /** The verb's text: `+`, `_ssr`, `0:`. */
  readonly glyph: string
  /** The English name, as in the K manual: `flip`, `plus`. */
  readonly name: string
  readonly class: VerbClass
  /** One sentence. */
  readonly doc: string
  /** Words of other languages and of everyday use, by which the help finds the verb. */
  readonly words?: string
  /** K text and exactly the console's output for it; tests run each. Newlines separate the statements of one example. */
  readonly examples: readonly (readonly [code: string, prints: string])[]
  /** True: it may run a user's code, by applying a function or evaluating a text or a dependency. */
  readonly runsCode?: boolean
}

export interface MonadRow extends Document {
  readonly valence: 1
  readonly run: Monad
  /**
   * The result never is, nor holds, the argument or an item of it: reading a variable only to pass it here does not end the variable's
   * ownership of its value, so that it can still be amended in place.
   */
  readonly fresh?: boolean
  readonly int?: (x: string) => string
  /** `5:` writes values with this verb: before a literal, or before the entries of a dictionary. */
  readonly writes?: "literal" | "entries"
}

export interface DyadRow extends Document {
  readonly valence: 2
  readonly run: Dyad
  /** As for monads; `atom`: only when y is an atom. */
  readonly fresh?: boolean | "atom"
  readonly int?: IntCode
  /** The result of over for an empty list: of ints or without a type, and of floats. Without it over is an error. */
  readonly identity?: readonly [ofInts: number, ofFloats?: number]
  readonly fast?: FastPaths
  /** The text of a function that means this verb: for it, adverbs use the verb's fast paths. */
  readonly idiom?: string
  /**
   * The verb's use in the language itself. `join`: `a,:y` appends in place. `replace`: an amendment stores y; as the last of three arguments of `@`
   * and `.` it makes a trap. `apply`: `f@x` is `f x`. `attributes`: as an index, it stands for all attributes of a dictionary.
   */
  readonly role?: "join" | "replace" | "apply" | "attributes"
  /** `5:` writes values with this verb, between literals. */
  readonly writes?: "literal"
  /** The verb's different meaning in other languages, for the checks of `k_validate`. */
  readonly misread?: Misread
}

export interface Misread {
  /**
   * Verbs on its right that other languages apply after it, and K before it. `numbers`: `2*3+4` is 2*(3+4). `comparisons`: `x>1&x<5` compares x with
   * `1&x<5`.
   */
  readonly order?: { readonly after: string; readonly among: "numbers" | "comparisons" }
  /** The verb's result is a float even for ints; this K text gives an int. */
  readonly float?: string
  /** The left argument counts items, so it must be an int. */
  readonly counts?: boolean
  /** Other languages assign with this verb. */
  readonly assigns?: boolean
  /** To this verb, a char differs from the string of that char. */
  readonly chars?: boolean
}

/** `_t`, `_d`: read like a name. */
export interface NounRow extends Document {
  readonly valence: 0
  readonly run: (k: Kernel) => Value
  /** The value, when it is always the same. */
  readonly constant?: Value
}
/** `_ssr[s;p;r]`. */
export interface TriadRow extends Document {
  readonly valence: 3
  readonly run: (x: Value, y: Value, z: Value, k: Kernel) => Value
}

export type VerbRow = MonadRow | DyadRow
export type SystemRow = NounRow | MonadRow | DyadRow | TriadRow
