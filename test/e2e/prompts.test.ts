/** M14: the calls in the texts of prompts work as written, on the built server. */
import { expect, it } from "vitest"
import { prompts } from "../../src/mcp/prompts/index.ts"
import { begin } from "./server.ts"
import { shared } from "./shared.ts"

/** Arguments for each prompt, and the calls that must end in an error: a prompt about an error shows one. */
const given: Readonly<Record<string, Record<string, string>>> = {
  "explore-data": { file: "sales.csv" },
  "fix-error": { code: "1+`a", error: "type error" },
  "write-tests": { function: "mean" },
}
const meantToFail: ReadonlySet<string> = new Set(['k_eval {"code":"1+`a","rollback":true}'])
/** Calls that need a compiler, which are skipped. */
const needsCompiler = /^k_reload .*"build":true/

const begun = shared(() => begin(["--engine", "embedded", "--state-dir", "none"]))

it.each(prompts.map((each) => [each.name, each] as const))("M14: %s", async (name, prompt) => {
  const server = await begun()
  await server.call("k_reset", { all: true })
  await server.call("k_eval", { code: 'mean:{(+/x)%#x}\n"sales.csv" 0:("shop,n,price";"a,2,1.5";"b,,4.0";"a,5,")' })
  const text = (await server.request("prompts/get", { name, arguments: given[name] ?? {} })).result.messages[0].content.text as string
  expect(text).toBe(prompt.text(given[name] ?? {}))
  const calls = [...text.matchAll(/^(k_\w+) (\{.*\})$/gm)].filter(([line]) => !needsCompiler.test(line))
  expect(calls.length).toBeGreaterThan(0)
  for (const [line, tool, json] of calls) {
    const { structuredContent } = await server.call(tool!, JSON.parse(json!) as object)
    expect(structuredContent.ok, `${line}: ${structuredContent.error?.text}`).toBe(!meantToFail.has(line))
  }
})
