/**
 * Errors and console behaviour that no record of Kx's shows, settled from the language page: `test/cases/*.k`, K text and exact print.
 *
 * A blank line begins a fresh session; lines that begin with `> ` are entered, the others are what is printed, errors as a console would
 * show them; a line that begins with `/` at the start of a block is a heading. To write down what is printed now:
 * `npx vitest run test/k3/transcripts.test.ts -u`, and read the difference as one reads code.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { makeInterpreter } from "../../src/k3/k3.ts"
import { memoryHost } from "../lib/memoryHost.ts"
import { statements } from "../../src/k3/text/statements.ts"

const folder = join(import.meta.dirname, "../cases")

/** One block with its answers made anew. */
const replay = (block: string): string => {
  const host = memoryHost()
  const interpreter = makeInterpreter(host, { steps: 2e6, memory: 64 * 1024 ** 2, depth: 200 })
  const lines = block.split("\n")
  const heading = lines.filter((line) => line.startsWith("/"))
  const entered = lines.filter((line) => line.startsWith("> ")).map((line) => line.slice(2))
  const answers = statements(entered.join("\n")).map(({ source }) => {
    const failure = interpreter.evaluate(source)
    return source.replace(/^/gm, "> ") + "\n" + host.take() + (failure?.rendered ?? "")
  })
  return [...heading, ...answers.map((answer) => answer.replace(/\n$/, ""))].join("\n")
}

it.each(readdirSync(folder).filter((name) => name.endsWith(".k")))("%s prints what it says", async (name) => {
  const file = join(folder, name)
  const blocks = readFileSync(file, "utf8")
    .trimEnd()
    .split(/\n{2,}/)
  expect(blocks.length).toBeGreaterThan(5)
  await expect(blocks.map(replay).join("\n\n") + "\n").toMatchFileSnapshot(file)
})
