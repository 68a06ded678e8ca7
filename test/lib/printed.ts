/** Runs statements of K, one a line, in a fresh interpreter over a host in memory. */
import { makeInterpreter } from "../../src/k3/k3.ts"
import { memoryHost } from "./memoryHost.ts"
import { statements } from "../../src/k3/text/statements.ts"

/** What the statements print, without the last newline; an error of K is thrown with its text. */
export const printed = (code: string, host = memoryHost()): string => {
  const interpreter = makeInterpreter(host)
  for (const { source } of statements(code)) {
    const failure = interpreter.evaluate(source)
    if (failure !== undefined) throw new Error(`${failure.rendered}${failure.hint}`)
  }
  return host.take().replace(/\n$/, "")
}
