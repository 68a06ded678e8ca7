/** The console as a person meets it: in a pseudo-terminal, which `script` of util-linux makes. Skipped where that is not to be had. */
import { stripVTControlCharacters } from "node:util"
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { k3File, scratchFolder } from "./interpreter.ts"

const pseudoTerminal = String(spawnSync("script", ["--version"]).stdout).includes("util-linux")
const quoted = (text: string): string => `'${text}'`

/** A console in a terminal: what is typed, and waiting for what is shown. */
const openConsole = (history = join(scratchFolder(), "history"), environment: NodeJS.ProcessEnv = {}, cwd?: string) => {
  const terminal = spawn("script", ["-qefc", `${quoted(process.execPath)} ${quoted(k3File)} --memory 256MiB`, "/dev/null"], {
    stdio: ["pipe", "pipe", "inherit"],
    cwd,
    env: { ...process.env, NO_COLOR: "", TERM: "xterm", ...environment, K3_HISTORY: history },
  })
  onTestFinished(() => void terminal.kill("SIGKILL"))
  let shown = ""
  let all = ""
  let look = (): void => {}
  terminal.stdout.on("data", (data: Buffer) => {
    shown += data.toString()
    all += data.toString()
    look()
  })
  /** Waits for the text and gives what came up to it; what came is then behind us. */
  const see = (text: string): Promise<string> =>
    new Promise((resolve) => {
      look = () => {
        const at = shown.indexOf(text)
        if (at < 0) return
        look = () => {}
        const before = shown.slice(0, at + text.length)
        shown = shown.slice(at + text.length)
        resolve(before)
      }
      look()
    })
  /** The first prompt, at which the terminal is ours. */
  const ready = async (): Promise<void> => {
    await see("to leave")
    await see("  ")
  }
  const ended = new Promise<number | null>((resolve) => terminal.once("exit", resolve))
  return { type: (text: string) => void terminal.stdin.write(text), see, ready, ended, all: () => all }
}

const CTRL_C = "\x03"
const CTRL_D = "\x04"
const UP = "\x1b[A"
const LEFT = "\x1b[D"

describe.skipIf(!pseudoTerminal)("the console", () => {
  it("reads a statement of many lines while a bracket is open, and keeps variables", async () => {
    const { type, see, ready } = openConsole()
    await ready()
    type("f:{[x]\r")
    await see("> ")
    type("x+1}\r")
    type("f 10 20\r")
    await see("11 21\r\n")
  })

  it("Ctrl-C stops the evaluation and keeps the console and its variables", async () => {
    const { type, see, ready } = openConsole()
    await ready()
    type('x:7;`0:"started\\n";while[1;x+:1]\r')
    await see("\nstarted")
    type(CTRL_C)
    await see("break error")
    await see("  ")
    type("x>7\r")
    await see("\n1\r\n")
  })

  it("keeps what is typed while an evaluation runs, and shows it in its turn", async () => {
    const { type, see, ready } = openConsole()
    await ready()
    type('`0:"started\\n";while[1;1]\r')
    await see("\nstarted")
    type("lost:1\r")
    type(CTRL_C)
    await see("break error")
    await see("  ")
    type('i:0;`0:"again\\n";while[i<100000000;i+:1]\r')
    await see("\nagain")
    type("i\r10+\\\b10")
    // Without the moves of the cursor, should the evaluation be over sooner than the typing.
    expect(stripVTControlCharacters(await see("100000000\r\n"))).toContain("  i\r\n")
    await see("10+10")
    type("\r")
    await see("\n20\r\n")
    type("lost\r")
    await see("value error")
  })

  it("Ctrl-C drops what was typed, an open statement included", async () => {
    const { type, see, ready } = openConsole()
    await ready()
    type("(1;\r")
    await see("> ")
    type(`2${CTRL_C}`)
    type("40+2\r")
    await see("\n42\r\n")
  })

  it("completes the scripts that \\l can load", async () => {
    const roots = scratchFolder()
    mkdirSync(join(roots, "lib"))
    writeFileSync(join(roots, "lib", "statistics.k"), "mean:{(+/x)%#x}\n")
    const { type, see, ready } = openConsole(undefined, {}, roots)
    await ready()
    type("\\l lib/sta\t")
    await see("lib/statistics.k")
    type("\r")
    await see("  ")
    type("mean 1 2 6\r")
    await see("\n3.0\r\n")
  })

  it("completes variables and system names", async () => {
    const { type, see, ready } = openConsole()
    await ready()
    type("velocity:42\r")
    await see("velocity:42")
    await see("\n")
    await see("  ")
    type("velo\t")
    await see("velocity")
    type("\r")
    await see("\n42\r\n")
    await see("  ")
    type("_floo\t")
    await see("_floor")
    type(" 7.5\r")
    await see("\n7.0\r\n")
    await see("  ")
    // There is nothing below a number.
    type("velocity.x.y\t")
    await see("velocity.x.y")
    type(`${CTRL_C}velocity\r`)
    await see("\n42\r\n")
  })

  it("keeps history between runs", async () => {
    const history = join(scratchFolder(), "history")
    const first = openConsole(history)
    await first.ready()
    first.type("100+11\r")
    await first.see("111")
    first.type("\\\\\r")
    expect(await first.ended).toBe(0)
    expect(readFileSync(history, "utf8")).toBe("100+11\n\\\\\n")
    writeFileSync(history, "100+11\n")
    const second = openConsole(history)
    await second.ready()
    second.type(`${UP}\r`)
    await second.see("\n111\r\n")
  })

  it("the up arrow recalls a function of several lines as one entry, in this run and the next", async () => {
    const history = join(scratchFolder(), "history")
    const first = openConsole(history)
    await first.ready()
    first.type("f:{[x]\r")
    await first.see("> ")
    first.type(" x+1}\r")
    await first.see("  ")
    first.type("f:0\r")
    first.type(`${UP}${UP}\r`)
    first.type("f 41\r")
    await first.see("\n42\r\n")
    first.type("\\\\\r")
    expect(await first.ended).toBe(0)
    const second = openConsole(history)
    await second.ready()
    second.type(`${UP}${UP}${UP}\r`)
    second.type("f 41\r")
    await second.see("\n42\r\n")
  })

  it("text without a newline is shown, and the prompt begins a line", async () => {
    const { type, see, ready } = openConsole()
    await ready()
    type('`0:"ab","cd"\r')
    await see("\nabcd\r\n")
    type('`0:"ef";1+1\r')
    await see("\nef2\r\n")
  })

  it("what is pasted goes where the cursor is", async () => {
    const { type, see, ready } = openConsole()
    await ready()
    type("1+1")
    await see("1+1")
    type(`${LEFT}20*`)
    type("\r")
    await see("\n21\r\n")
  })

  it("errors are red, unless NO_COLOR is set or the terminal is a dumb one", async () => {
    const red = openConsole()
    await red.ready()
    red.type("1+`a\r")
    await red.see("\x1b[31mtype error")
    for (const environment of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
      const plain = openConsole(undefined, environment)
      await plain.ready()
      plain.type("1+`a\r")
      await plain.see("type error")
      expect(plain.all()).not.toContain("\x1b[31m")
    }
  })

  it("helps: \\ in general, \\help about one thing", async () => {
    const { type, see, ready } = openConsole()
    await ready()
    type("\\\r")
    await see("verbs ")
    type("\\help _ss\r")
    await see("string search")
    type("\\help movng avrage\r")
    await see("moving-average")
    type("\\help zzqqxx\r")
    await see("nothing is like zzqqxx")
    type("1+1\r")
    await see("\n2\r\n")
  })

  it("lives on when the memory is full", async () => {
    const { type, see, ready } = openConsole()
    await ready()
    type('a:();while[1;a,:,"abc"]\r')
    await see("wsfull error")
    type("a:0;40+2\r")
    await see("\n42\r\n")
  })

  it("Ctrl-D leaves", async () => {
    const { type, ready, ended } = openConsole()
    await ready()
    type(CTRL_D)
    expect(await ended).toBe(0)
  })
})
