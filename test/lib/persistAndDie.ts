/**
 * A program that persists a session and is killed meanwhile: loads the session of a state folder, changes it, writes it, and kills itself by
 * SIGKILL before a chosen file-system call. Arguments: the folder, the number of calls that succeed, `first` for the first contents. Prints the
 * calls if it is not killed.
 */
import * as Effect from "effect/Effect"
import { empty, type Variable } from "../../src/child/Contents.ts"
import { Store } from "../../src/store/Store.ts"
import { Faults } from "./faultyFileSystem.ts"
import { variable } from "./holder.ts"
import { asServer } from "./stateFolder.ts"

const [folder = "", calls = "", what = ""] = process.argv.slice(2)

const change = (variables: Map<string, Variable>): readonly string[] => {
  const set = (name: string, image: string) => {
    const made = variable(name, image)
    variables.set(made.path, made)
    return made.path
  }
  if (what === "first") return [set("a", "old"), set("b", "old"), set("c", "old".repeat(1000))]
  variables.delete(".k.b")
  return [set("a", "new"), set("d", "new".repeat(200_000)), ".k.b"]
}

const faults = new Faults()
const program = Effect.gen(function* () {
  const stored = yield* Store.use((store) => store.workspace("main", "/"))
  const before = (yield* stored.load("embedded"))?.held ?? empty
  const variables = new Map(before.variables)
  const changed = new Set(change(variables))
  const held = { ...before, variables }
  faults.calls.length = 0
  faults.left = Number(calls)
  faults.whenOver = () => process.kill(process.pid, "SIGKILL")
  yield* stored.persist({ engine: "embedded", takeUnsaved: () => ({ held, changed }), stillUnsaved: () => {} })
  faults.left = Number.POSITIVE_INFINITY
  process.stdout.write(JSON.stringify(faults.calls))
})

await Effect.runPromise(asServer(folder, faults)(program))
