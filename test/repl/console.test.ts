/** The console in a pseudo-terminal made by `script` of util-linux. Skipped where `script` is not installed. */
import { stripVTControlCharacters } from "node:util"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { openTerminal, pseudoTerminal } from "../lib/terminal.ts"
import { k3File, scratchFolder } from "./interpreter.ts"

/** Starts a console in a terminal and waits for its first prompt. */
const openConsole = async (history = join(scratchFolder(), "history"), environment: NodeJS.ProcessEnv = {}, cwd?: string) => {
  const terminal = openTerminal([process.execPath, k3File, "--memory", "256MiB"], { ...environment, K3_HISTORY: history }, cwd)
  // After the first prompt the line editor reads the input.
  await terminal.see("to leave")
  await terminal.see("  ")
  return terminal
}

const CTRL_C = "\x03"
const CTRL_D = "\x04"
const CTRL_Z = "\x1a"
const BACKSPACE = "\x7f"
const UP = "\x1b[A"
const LEFT = "\x1b[D"
const CUT = "\x15"
const PUT_BACK = "\x19"

describe.skipIf(!pseudoTerminal)("the console", () => {
  it("reads a statement of many lines while a bracket is open, and keeps variables", async () => {
    const { type, enter } = await openConsole()
    await enter("f:{[x]", "> ")
    type("x+1}\r")
    await enter("f 10 20", "11 21\r\n")
  })

  it("Ctrl-C stops the evaluation and keeps the console and its variables", async () => {
    const { type, see, enter } = await openConsole()
    await enter('x:7;`0:"started\\n";while[1;x+:1]', "\nstarted")
    type(CTRL_C)
    await see("break error")
    await see("  ")
    await enter("x>7", "\n1\r\n")
  })

  it("keeps text typed during an evaluation, and shows it at its prompt", async () => {
    const { type, see, enter } = await openConsole()
    await enter('`0:"started\\n";while[1;1]', "\nstarted")
    type("lost:1\r")
    type(CTRL_C)
    await see("break error")
    await see("  ")
    await enter('i:0;`0:"again\\n";while[i<100000000;i+:1]', "\nagain")
    type("i\r10+\\\b10")
    // Cursor moves are ignored: the evaluation may end before the typing does.
    expect(stripVTControlCharacters(await see("100000000\r\n"))).toContain("  i\r\n")
    await see("10+10")
    await enter("", "\n20\r\n")
    await enter("lost", "value error")
  })

  it("Ctrl-C drops the typed text, an open statement included", async () => {
    const { type, enter } = await openConsole()
    await enter("(1;", "> ")
    type(`2${CTRL_C}`)
    await enter("40+2", "\n42\r\n")
  })

  it("completes the scripts that \\l can load", async () => {
    const roots = scratchFolder()
    mkdirSync(join(roots, "lib"))
    writeFileSync(join(roots, "lib", "statistics.k"), "mean:{(+/x)%#x}\n")
    const { type, see, enter } = await openConsole(undefined, {}, roots)
    type("\\l lib/sta\t")
    await see("lib/statistics.k")
    await enter("", "  ")
    await enter("mean 1 2 6", "\n3.0\r\n")
  })

  it("completes variables and system names", async () => {
    const { type, see, enter } = await openConsole()
    await enter("velocity:42", "velocity:42")
    await see("\n")
    await see("  ")
    type("velo\t")
    await see("velocity")
    await enter("", "\n42\r\n")
    await see("  ")
    type("_si\t")
    await see("_si")
    type("\t")
    await see("_sin\r\r\n_sinh\r\r\n_size")
    type(CTRL_C)
    type("_floo\t")
    await see("_floor")
    await enter(" 7.5", "\n7.0\r\n")
    await see("  ")
    // A number has no names below it.
    type("velocity.x.y\t")
    await see("velocity.x.y")
    await enter(`${CTRL_C}velocity`, "\n42\r\n")
  })

  it("keeps history between runs", async () => {
    const history = join(scratchFolder(), "history")
    const first = await openConsole(history)
    await first.enter("100+11", "111")
    first.type("\\\\\r")
    expect(await first.ended).toBe(0)
    expect(readFileSync(history, "utf8")).toBe("100+11\n\\\\\n")
    writeFileSync(history, "100+11\n")
    const second = await openConsole(history)
    await second.enter(UP, "\n111\r\n")
  })

  it("the up arrow recalls a function of several lines as one entry, in this run and the next", async () => {
    const history = join(scratchFolder(), "history")
    const first = await openConsole(history)
    await first.enter("f:{[x]", "> ")
    await first.enter(" x+1}", "  ")
    first.type("f:0\r")
    first.type(`${UP}${UP}\r`)
    await first.enter("f 41", "\n42\r\n")
    await first.see("  ")
    first.type(`f:0\r${UP}${UP}${UP}${CUT}${PUT_BACK}\r`)
    await first.enter("f 42", "\n43\r\n")
    first.type("\\\\\r")
    expect(await first.ended).toBe(0)
    const second = await openConsole(history)
    second.type(`${UP}${UP}${UP}\r`)
    await second.enter("f 41", "\n42\r\n")
  })

  it("text without a newline is shown, and the prompt begins a line", async () => {
    const { enter } = await openConsole()
    await enter('`0:"ab","cd"', "\nabcd\r\n")
    await enter('`0:"ef";1+1', "\nef2\r\n")
  })

  it("pasted text goes in at the cursor", async () => {
    const { type, see, enter } = await openConsole()
    type("1+1")
    await see("1+1")
    type(`${LEFT}20*`)
    await enter("", "\n21\r\n")
  })

  it("a pasted tab inside a line is part of the text", async () => {
    const { type, see, enter } = await openConsole()
    await enter("velocity:42", "  ")
    type('#""')
    await see('#""')
    type(`${LEFT}velo\tx`)
    await enter("", "\n6\r\n")
  })

  it("Ctrl-Z hands the terminal to the shell, and fg brings back the text that was being typed", async () => {
    const { type, see, enter } = openTerminal(["sh", "-i"], { K3_HISTORY: join(scratchFolder(), "history") })
    await enter(`${process.execPath} ${k3File}`, "to leave")
    await see("  ")
    await enter("a:41", "  ")
    type("a+1")
    await see("a+1")
    type(CTRL_Z)
    await see("Stopped")
    await enter("fg", "a+1")
    await enter("", "\n42\r\n")
  })

  it("Ctrl-Z changes nothing where no shell controls jobs", async () => {
    const { type, see, enter } = await openConsole()
    await enter("velocity:42", "  ")
    type(`${CTRL_Z}velo`)
    await see("velo")
    type("\t")
    await see("city")
    await enter("", "\n42\r\n")
  })

  describe("text of several rows", () => {
    const items = Array.from({ length: 27 }, (_, n) => String(n + 1)).join(" ")
    const MOVES_UP = "\x1b[2A"
    const openNarrow = async (history = join(scratchFolder(), "history")) => {
      const terminal = openTerminal(["sh", "-c", `stty cols 30; exec ${process.execPath} ${k3File}`], { K3_HISTORY: history })
      await terminal.see("to leave")
      await terminal.see("  ")
      return terminal
    }

    it("recalled during an evaluation covers nothing of the output", async () => {
      const history = join(scratchFolder(), "history")
      writeFileSync(history, `${items}\n`)
      const { type, see, enter } = await openNarrow(history)
      await enter('i:0;`0:"again\\n";while[i<100000000;i+:1];!3', "\nagain")
      type(`${UP}${UP}`)
      await see("0 1 2\r\n")
      expect(await see(" 27")).not.toContain(MOVES_UP)
    })

    it("is written anew in its place after it was pasted, and stays on the screen when Ctrl-C drops it", async () => {
      const { type, see, enter } = await openNarrow()
      type(items)
      await see(" 27")
      type(BACKSPACE)
      await see(MOVES_UP)
      await see(" 2")
      type(CTRL_C)
      expect(await enter("40+2", "\n42\r\n")).not.toContain(MOVES_UP)
    })
  })

  it("errors are red, unless NO_COLOR is set or the terminal is dumb", async () => {
    const red = await openConsole()
    await red.enter("1+`a", "\x1b[31mtype error")
    for (const environment of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
      const plain = await openConsole(undefined, environment)
      await plain.enter("1+`a", "type error")
      expect(plain.all()).not.toContain("\x1b[31m")
    }
  })

  it("answers \\ with an overview and \\help TOPIC with an entry", async () => {
    const { enter } = await openConsole()
    await enter("\\", "verbs ")
    await enter("\\help _ss", "string search")
    await enter("\\help movng avrage", "moving-average")
    await enter("\\help zzqqxx", "nothing is like zzqqxx")
    await enter("1+1", "\n2\r\n")
  })

  it("survives a full memory", async () => {
    const { enter } = await openConsole()
    await enter('a:();while[1;a,:,"abc"]', "wsfull error")
    await enter("a:0;40+2", "\n42\r\n")
  })

  it("Ctrl-D leaves", async () => {
    const { type, ended } = await openConsole()
    type(CTRL_D)
    expect(await ended).toBe(0)
  })

  it("Ctrl-D in an unfinished statement is an error, as in a script", async () => {
    const { type, enter, see, ended } = await openConsole()
    await enter("a:(1;", "> ")
    type(CTRL_D)
    await see("open error: ( is not closed")
    expect(await ended).toBe(1)
  })
})
