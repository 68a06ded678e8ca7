/** The bytes of the captured values of variables. */
import * as Iterable from "effect/Iterable"
import { sumAll } from "effect/Number"
import { kept, type Variable } from "../../child/Contents.ts"

export const bytesOf = (variables: Iterable<Variable>): number => sumAll(Iterable.map(variables, kept))
