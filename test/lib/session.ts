/** A K console in memory: takes lines, returns the output with rendered errors. */
import type { Limits } from "../../src/k3/Host.ts"
import { makeInterpreter, type Interpreter } from "../../src/k3/k3.ts"
import { memoryHost, type MemoryHost } from "./memoryHost.ts"
import { statements } from "../../src/k3/text/statements.ts"

export interface Console {
  readonly host: MemoryHost
  readonly k: Interpreter
  /** Enters a script; returns its whole output without the last newline. */
  enter(script: string): string
}

export const makeConsole = (limits: Limits = {}, host: MemoryHost = memoryHost()): Console => {
  const k = makeInterpreter(host, limits)
  return {
    host,
    k,
    enter: (script) => {
      let printed = ""
      for (const { source } of statements(script)) {
        const failure = k.evaluate(source)
        printed += host.take() + (failure?.rendered ?? "")
      }
      return printed.replace(/\n$/, "")
    },
  }
}

/** The output of a script in a fresh console. */
export const printed = (script: string, limits?: Limits): string => makeConsole(limits).enter(script)
