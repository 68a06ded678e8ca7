/**
 * The shape of the primitives' tables: one row for a verb and valence, one for a system name.
 *
 * Guarantees: a row holds everything that is true of its verb. Adverbs, the compiler, amendments, checks and help read it here; nothing
 * else knows a verb by its text.
 */
import type { Dyad, Kernel, Monad } from "../run/kernel.ts"
import type { List, Value, Vector } from "../values/value.ts"

/** Its topic. An `atomic` verb works on the atoms of its arguments: of two vectors it gives what it gives item by item. */
export type VerbClass = "atomic" | "list" | "search" | "order" | "text" | "apply" | "tree" | "file" | "math" | "time" | "system"

/** JavaScript that computes the verb on ints, in place of a call. */
export interface IntCode {
  /** The expression for operands that are simple expressions themselves. */
  readonly code: (x: string, y: string) => string
  /** What must hold besides both being ints: `&&` and a condition. */
  readonly when?: (x: string, y: string) => string
}

/**
 * Functions that adverbs call instead of the verb item by item: faster, with the same result. Each gives `undefined` for values that it does
 * not take.
 */
export interface FastWays {
  /** `f/x`. */
  readonly over?: (x: Vector | List) => Value | undefined
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
  /** As written: `+`, `_ssr`, `0:`. */
  readonly glyph: string
  /** English name, as the K manual has it: `flip`, `plus`. */
  readonly name: string
  readonly class: VerbClass
  /** One sentence. */
  readonly doc: string
  /** K text and exactly what the console prints for it; each is run as a test. Statements in one example are separated by newlines. */
  readonly examples: readonly (readonly [code: string, prints: string])[]
  /** It may run a user's code: apply a function, evaluate a text or a dependency. */
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
  /** `x[f x]` is x in ascending or descending order. */
  readonly sorts?: "up" | "down"
  /** `execute`: the console shows its result as that of the text it runs. */
  readonly role?: "execute"
  /** `5:` writes values with it: before a literal, or before the entries of a dictionary. */
  readonly writes?: "literal" | "entries"
}

export interface DyadRow extends Document {
  readonly valence: 2
  readonly run: Dyad
  /** As for monads; `atom`: only when y is an atom. */
  readonly fresh?: boolean | "atom"
  readonly int?: IntCode
  /** What over gives for a list without items: for one of ints or of no type, and for one of floats. Without it that is an error. */
  readonly identity?: readonly [ofInts: number, ofFloats: number]
  readonly fast?: FastWays
  /** `f/x g y` in one go, g being the verb of that glyph; `run` gives `undefined` for values that it does not take. */
  readonly overOf?: { readonly glyph: string; readonly run: (x: Value, y: Value) => Value | undefined }
  /** The text of a function that means this verb: adverbs use the verb's fast ways for it. */
  readonly idiom?: string
  /**
   * What the language uses the verb for. `join`: `a,:y` appends in place. `replace`: an amendment puts y there; as the last of three arguments
   * of `@` and `.` it makes a trap. `apply`: `f@x` is `f x`. `attributes`: as an index, it stands for all attributes of a dictionary.
   */
  readonly role?: "join" | "replace" | "apply" | "attributes"
  /** `5:` writes values with it, between literals. */
  readonly writes?: "literal"
  /** Other languages take it for something else: what `k_validate` tells of. */
  readonly misread?: Misread
}

export interface Misread {
  /**
   * Verbs on its right that other languages do after it, and K before it. `numbers`: `2*3+4` is 2*(3+4). `comparisons`: `x>1&x<5` compares x
   * with `1&x<5`.
   */
  readonly order?: { readonly after: string; readonly among: "numbers" | "comparisons" }
  /** Its result is a float even for ints; this K gives an int. */
  readonly float?: string
  /** Its left argument counts items, and is an int. */
  readonly counts?: boolean
  /** Other languages assign with it. */
  readonly assigns?: boolean
  /** To it a char differs from the string of that char. */
  readonly chars?: boolean
}

/** `_t`, `_d`: read like a name. */
export interface NounRow extends Document {
  readonly valence: 0
  readonly run: (k: Kernel) => Value
  /** What it always is. */
  readonly constant?: Value
}
/** `_ssr[s;p;r]`. */
export interface TriadRow extends Document {
  readonly valence: 3
  readonly run: (x: Value, y: Value, z: Value, k: Kernel) => Value
}

export type VerbRow = MonadRow | DyadRow
export type SystemRow = NounRow | MonadRow | DyadRow | TriadRow
