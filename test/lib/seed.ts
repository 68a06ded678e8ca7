/**
 * The seed of all random choices in tests. It is fixed in usual runs, so that they are reproducible; `FUZZ_SEED=…` sets another one, and longer
 * runs (`FUZZ`, `K3_LIVES`) take a different one each time.
 */
import * as fc from "fast-check"

const isLong = ["FUZZ", "K3_LIVES"].some((name) => process.env[name] !== undefined)

export const seed = Number(process.env["FUZZ_SEED"] ?? (isLong ? Date.now() % 2 ** 31 : 1))

fc.configureGlobal({ seed })
