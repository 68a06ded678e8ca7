/** Requests of the host between evaluations: each finds nothing of the evaluation before it under way. */
import { expect, it } from "vitest"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

it("names compute a dependency after an evaluation that went too deep", () => {
  const interpreter = makeInterpreter(memoryHost(), { depth: 50 })
  for (const statement of ["a:1", "g:{x+1}", 'b..d:"g a"']) expect(interpreter.evaluate(statement)).toBeUndefined()
  expect(interpreter.evaluate("{_f x}1")?.name).toBe("stack")
  expect(interpreter.names(".k").find(({ name }) => name === "b")?.preview).toBe("2")
})
