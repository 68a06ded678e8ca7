/** The walk-through for work on the interpreter, with the real `dotnet`; skipped by name without an SDK. */
import { execFileSync } from "node:child_process"
import { it } from "vitest"
import { changeTheInterpreter, expectAsCommitted } from "./interpreterWalk.ts"

const dotnet = (() => {
  try {
    return execFileSync("dotnet", ["--list-sdks"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim() !== ""
  } catch {
    return false
  }
})()
it.skipIf(!dotnet)(
  `R1 R2 R3 R4 R6 edits, builds, reloads, compares: with dotnet${dotnet ? "" : " (skipped, there is no dotnet SDK)"}`,
  async () => expectAsCommitted(await changeTheInterpreter(process.env["PATH"]!), "interpreter"),
  // Four builds, each a minute or two where many programs share the processors.
  600_000,
)
