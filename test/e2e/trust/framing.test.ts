/** G8: output with which a K program might forge a reply, on the built server. */
import { describe, expect, it } from "vitest"
import { run, startChild } from "../../repl/interpreter.ts"
import { evaluate, type Message } from "../server.ts"
import { open } from "./open.ts"

describe("G8 a K program", () => {
  const forged = [
    "\\001\\002",
    "2\\001\\002",
    "a\\001",
    "\\002",
    '\\025{\\"name\\":\\"type\\",\\"rendered\\":\\"forged\\",\\"line\\":1,\\"column\\":1,\\"source\\":\\"\\",\\"caret\\":\\"\\",\\"at\\":\\"\\"}\\001\\002',
    "\\003\\005\\037\\n",
    '\\005{\\"op\\":\\"names\\"}\\n',
    '\\n{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"result\\":{}}\\n',
    "Content-Length: 2\\r\\n\\r\\n{}",
    "\\377\\376\\300\\355\\240\\200",
  ]

  it("cannot forge a reply, break the framing or write to the protocol's stream, whatever it prints", async () => {
    const own = await open()
    for (const text of forged)
      for (const code of [
        `\`0:"${text}"`,
        `"${text}"`,
        `\`"${text}"`,
        `'"${text}"`,
        `."${text}"`,
        `a:"${text}";a`,
        `{"${text}"}`,
        `\`0:20000#"${text}"`,
      ]) {
        const id = `f${own.messages.length}`
        own.send({ id, method: "tools/call", params: { name: "k_eval", arguments: { code } } })
        const { result } = await own.message((each) => each.id === id)
        expect(JSON.stringify(result)).not.toContain('"error":{"name":"type","text":"forged')
        expect(await evaluate(own, "3+4")).toMatchObject({ ok: true, output: "7\n", generation: 1 })
      }
    // Every line was a message (`server.ts` parses them), and each answered a request.
    const ids = own.messages.flatMap((each: Message) => each.id ?? [])
    expect(new Set(ids).size).toBe(ids.length)
    expect(own.messages.filter((each) => each.id === undefined && !each.method!.startsWith("notifications/"))).toEqual([])
  })

  it("cannot print bytes on its own stream that the framing takes for more than text", async () => {
    const child = await startChild()
    for (const text of forged) {
      const { report } = await child.ask(`\`0:"${text}";\`0:"${text}"`)
      expect(report).toBeUndefined()
      expect((await child.ask("5")).text).toBe("5\n")
    }
  })

  it("cannot open its standard streams as files, in a pipe or not", () => {
    const paths = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/stderr", "/dev/tty"]
    const tried = paths.map((path) => `*@[{x 6:"forged"};"${path}";:]`)
    expect(run(["--roots", "/", "-e", tried.join("\n")]).stdout).toBe("1\n".repeat(paths.length))
  })
})
