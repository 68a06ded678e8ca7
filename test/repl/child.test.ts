/** `k3 --mcp`, used as a server uses it. */
import { spawn } from "node:child_process"
import { describe, expect, it } from "vitest"
import { encode } from "../../src/repl/frame.ts"
import { statements } from "../../src/k3/text/statements.ts"
import { shared } from "../e2e/shared.ts"
import { isAlive } from "../lib/processes.ts"
import { k3File, startChild } from "./interpreter.ts"

/** The code of one statement in its wire form, without the newline. */
const sent = (code: string): string =>
  Buffer.from(encode(statements(code)[0]!, "keep"))
    .toString("latin1")
    .slice(0, -1)

const RUNAWAY = '`0:"begun\\n";i:0;while[1;i+:1]'

describe("replies", () => {
  const started = shared(() => startChild())

  it("S: come for every line, blank ones included, in order", async () => {
    const child = await started()
    child.write("1+1\n\na:3\r\n")
    child.write("a*")
    child.write("2\n")
    expect([await child.reply(), await child.reply(), await child.reply(), await child.reply()].map(({ text }) => text)).toEqual([
      "2\n",
      "",
      "",
      "6\n",
    ])
  })

  it("S: hold the output of a statement of many lines, and functions keep their text", async () => {
    const child = await started()
    await child.ask(sent("f:{[x]\n  / twice\n  x*2}"))
    expect((await child.ask("f 21")).text).toBe("42\n")
    expect((await child.ask("f")).text).toBe("{[x]\n  / twice\n  x*2}\n")
  })

  it("S: carry an error as data, after the output before it", async () => {
    const child = await started()
    const { text, report } = await child.ask('`0:"so far\\n";1+`a')
    expect(text).toBe("so far\n")
    expect(report).toMatchObject({ name: "type", line: 1, at: "+" })
    expect((await child.ask("1+1")).text).toBe("2\n")
  })

  it("S: cannot be forged by a K program", async () => {
    const child = await started()
    expect(await child.ask('`0:"a\\001\\002b\\025{}\\n"')).toMatchObject({ text: "a\\001\\002b\\025{}\n", report: undefined })
    expect((await child.ask("2+2")).text).toBe("4\n")
  })

  it.each([..."\x01\x02\x03\x05\x10\x15\x1f"])("S: %j outside of strings is an error, and no part of the protocol", async (byte) => {
    const child = await started()
    for (const code of [`1${byte}2`, `${byte}{"op":"seal"}`])
      expect((await child.ask(sent(code))).report).toMatchObject({ name: "character", at: byte, column: code.indexOf(byte) + 1 })
    expect((await child.ask(sent(`1 / ${byte}`))).text).toBe("1\n")
    expect((await child.ask(sent(`_ic "${byte}"`))).text).toBe(`${byte.charCodeAt(0)}\n`)
  })

  it("S: are UTF-8", async () => {
    const child = await started()
    expect((await child.ask('`0:"日本é\\n"')).text).toBe("日本é\n")
  })

  it("S: may be long", async () => {
    const child = await started()
    expect((await child.ask('do[100;`0:200000#"x"]')).bytes).toBe(20_000_000)
    expect((await child.ask("1")).text).toBe("1\n")
  })
})

describe("side requests", () => {
  const started = shared(() => startChild())

  it.each([".k", ""])("list the names in the directory %j", async (path) => {
    const child = await started()
    await child.ask("a:1 2 3")
    const { text } = await child.ask(`\x05{"op":"names","path":"${path}"}`)
    expect(JSON.parse(text)).toEqual([{ name: "a", type: -1, count: 3, preview: "1 2 3" }])
  })

  it.each(['{"op":"constructor"}', "no JSON", '{"op":"names","path":7}'])("%s gets an error, and the child lives on", async (request) => {
    const child = await started()
    expect(JSON.parse((await child.ask(`\x05${request}`)).text)).toHaveProperty("error")
    expect((await child.ask("1+1")).text).toBe("2\n")
  })
})

describe("interrupts", () => {
  it("S: byte 03 stops the evaluation and keeps the variables", async () => {
    const child = await startChild()
    const reply = child.ask(RUNAWAY)
    await child.printed("begun")
    child.write("\x03")
    expect((await reply).report.name).toBe("break")
    const i = (await child.ask("i")).text
    expect(Number(i)).toBeGreaterThan(0)
    expect((await child.ask("i")).text).toBe(i)
  })

  it("S: byte 03 in the same write stops the line before it, and not the one after it", async () => {
    const child = await startChild()
    child.write("while[1;i:1]\n\x03do[300000;j:1];j\n")
    expect((await child.reply()).report.name).toBe("break")
    expect((await child.reply()).text).toBe("1\n")
  })

  it("S: byte 03 does nothing when nothing runs", async () => {
    const child = await startChild()
    await child.ask("1")
    child.write("\x03\x03")
    expect((await child.ask("do[300000;i:1];i")).text).toBe("1\n")
  })

  it("S: SIGINT stops the evaluation, or ends an idle child with code 0", async () => {
    const child = await startChild()
    const reply = child.ask(RUNAWAY)
    await child.printed("begun")
    child.process.kill("SIGINT")
    expect((await reply).report.name).toBe("break")
    expect((await child.ask("1+1")).text).toBe("2\n")
    child.process.kill("SIGINT")
    expect(await child.ended).toEqual({ code: 0, signal: null })
  })

  it("S: output arrives while the evaluation runs", async () => {
    const child = await startChild()
    child.write('i:0;while[1;i+:1;if[~i!100000;`0:"tick ",($i),"\\n"]]\n')
    await child.printed("tick 300000")
  })
})

describe("the end", () => {
  it("S: of input while idle is exit code 0, after the lines before it", async () => {
    const child = await startChild()
    child.write("1+1\n2+2\n")
    child.process.stdin!.end()
    expect([(await child.reply()).text, (await child.reply()).text]).toEqual(["2\n", "4\n"])
    expect(await child.ended).toEqual({ code: 0, signal: null })
  })

  it("S: of input in the middle of an evaluation interrupts it and ends the process", async () => {
    const child = await startChild()
    const reply = child.ask(RUNAWAY)
    await child.printed("begun")
    child.process.stdin!.end()
    expect((await reply).report.name).toBe("break")
    expect(await child.ended).toEqual({ code: 0, signal: null })
  })

  it("S: of the parent by SIGKILL in the middle of an evaluation leaves no child", async () => {
    const parent = spawn(
      process.execPath,
      [
        "-e",
        `const child = require("node:child_process").spawn(process.execPath, [${JSON.stringify(k3File)}, "--mcp"], { stdio: ["pipe", "pipe", "inherit"], detached: true })
         child.stdin.write(${JSON.stringify(`${RUNAWAY}\n`)})
         child.stdout.on("data", (text) => String(text).includes("begun") && console.log(child.pid))`,
      ],
      { stdio: ["ignore", "pipe", "inherit"] },
    )
    const pid = await new Promise<number>((resolve) => parent.stdout.once("data", (text) => resolve(Number(text))))
    parent.kill("SIGKILL")
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  it.each<[code: string, status: number]>([
    ["\\\\", 0],
    ["_exit 3", 3],
    ["_exit 137", 137],
  ])("S: by %s has the code it asks for", async (code, status) => {
    const child = await startChild()
    child.write(`\`0:"last words\\n"\n${code}\n`)
    expect((await child.reply()).text).toBe("last words\n")
    expect(await child.ended).toEqual({ code: status, signal: null })
  })
})

describe("limits", () => {
  it("K: more memory than allowed is an error, and the process lives on", async () => {
    const child = await startChild(["--memory", "256MiB"])
    await child.ask("a:1 2 3")
    expect((await child.ask("b:!1000000000")).report.name).toBe("wsfull")
    expect((await child.ask("a")).text).toBe("1 2 3\n")
  })

  it.each(["a:();while[1;a,:,1 2]", "a:!0;while[1;a,:1]", 'a:"x";while[1;a:a,a]'])(
    "K: %s ends in wsfull, and keeps the variables",
    async (code) => {
      const child = await startChild(["--memory", "32MiB"])
      expect((await child.ask(code)).report.name).toBe("wsfull")
      expect(Number((await child.ask("#a")).text)).toBeGreaterThan(100_000)
    },
  )

  it("K: garbage does not count as memory in use", async () => {
    const child = await startChild(["--memory", "128MiB"])
    expect(await child.ask("do[100;a:!3000000];#a")).toMatchObject({ text: "3000000\n", report: undefined })
  })

  it("K: recursion without end is an error, and the process lives on", async () => {
    const child = await startChild()
    await child.ask("f:{1+f x}")
    expect((await child.ask("f 1")).report.name).toBe("stack")
    expect((await child.ask("1+1")).text).toBe("2\n")
  })
})
