/** A minimal definition and a minimal crash record, for tests of stores. */
import type { CrashRecord } from "../../src/session/history/CrashRecord.ts"
import type { Definition } from "../../src/session/Definitions.ts"

export const someDefinition: Omit<Definition, "version" | "at"> = {
  name: "mean",
  description: "Mean",
  code: "{x}",
  parameters: [{ name: "x", type: "any" }],
  session: "main",
  touches: [],
  assigns: [],
  unknown: [],
}

export const someCrash: Omit<CrashRecord, "n" | "at" | "times"> = {
  session: "main",
  reason: "exit",
  exitCode: 1,
  signal: null,
  stderr: "",
  engine: "embedded",
  build: "11",
  generation: 1,
  memory: null,
  inputs: [],
  script: "",
}
