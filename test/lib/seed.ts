/**
 * The seed of everything that the tests draw at random. The gate draws the same every time, so that it says the same every time;
 * `FUZZ_SEED=…` sets another one, and longer runs (`FUZZ`, `K3_LIVES`) begin anywhere.
 */
import * as fc from "fast-check"

const isLong = ["FUZZ", "K3_LIVES"].some((name) => process.env[name] !== undefined)

export const seed = Number(process.env["FUZZ_SEED"] ?? (isLong ? Date.now() % 2 ** 31 : 1))

fc.configureGlobal({ seed })
