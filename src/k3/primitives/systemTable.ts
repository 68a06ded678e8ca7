/**
 * The rows of the system names (`_sin`, `_t`, …) and the verbs of digits (`0:` … `6:`) of k.exe 3.2, one row per valence, by topic.
 *
 * Does not: hold `_f`, the current function, which is syntax; nor the names of Kx's 64-bit interpreter.
 */
import { rows as base } from "./base.ts"
import { rows as searching } from "./bin.ts"
import { rows as deleting } from "./delete.ts"
import { rows as environment } from "./environment.ts"
import { rows as files } from "./files.ts"
import { rows as image } from "../values/image.ts"
import { rows as linearAlgebra } from "./linearAlgebra.ts"
import { rows as math } from "./math.ts"
import { rows as random } from "./random.ts"
import type { SystemRow } from "./Row.ts"
import { rows as text } from "./text.ts"
import { rows as time } from "./time.ts"

export const systemNames: readonly SystemRow[] = [
  ...math,
  ...linearAlgebra,
  ...base,
  ...random,
  ...text,
  ...searching,
  ...deleting,
  ...time,
  ...environment,
  ...image,
  ...files,
]

/** The names among them, which begin with `_`. */
export const systemWords: readonly string[] = [...new Set(systemNames.map(({ glyph }) => glyph).filter((glyph) => glyph.startsWith("_")))]
