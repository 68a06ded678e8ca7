/** Runs scripts. Guarantees: an error in a script names its file and line, with a line for each `\l` that loads it. */
import { kErrorOf } from "./thrown.ts"
import { placeOf } from "../text/place.ts"
import { scriptText, statements } from "../text/statements.ts"

/** Runs each statement in order, up to the first error. */
export const runScript = (script: string, name: string, run: (statement: string) => void): void => {
  for (const { source, line } of statements(scriptText(script)))
    try {
      run(source)
    } catch (thrown) {
      const error = kErrorOf(thrown)
      const last = error.trace.pop() ?? { source, span: { start: 0, end: source.length } }
      const at = line + placeOf(last.source, last.span.start).line - 1
      const loading = `\\l ${name}`
      error.add({ ...last, name: `${name}:${at}`, isScript: true })
      error.add({ source: loading, span: { start: 0, end: loading.length } })
      throw error
    }
}
