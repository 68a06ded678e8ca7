/** Evaluates K in a fresh interpreter over a host in memory. An error of K throws; `session.ts` renders errors instead. */
import { makeInterpreter } from "../../src/k3/k3.ts"
import { memoryHost } from "./memoryHost.ts"
import { statements } from "../../src/k3/text/statements.ts"

/** The output of the statements, without the last newline. Throws an error of K with its text. */
export const printed = (code: string, host = memoryHost()): string => {
  const interpreter = makeInterpreter(host)
  for (const { source } of statements(code)) {
    const failure = interpreter.evaluate(source)
    if (failure !== undefined) throw new Error(`${failure.rendered}${failure.hint}`)
  }
  return host.take().replace(/\n$/, "")
}
