/** Runs a program in a pseudo-terminal made by `script` of util-linux: types text, and waits for shown text. A test that fails prints the text. */
import { spawn, spawnSync } from "node:child_process"
import { onTestFailed, onTestFinished } from "vitest"

/** Is `script` of util-linux installed? */
export const pseudoTerminal = String(spawnSync("script", ["--version"]).stdout).includes("util-linux")

const quoted = (text: string): string => `'${text}'`

export const openTerminal = (command: readonly string[], environment: NodeJS.ProcessEnv, cwd?: string) => {
  const terminal = spawn("script", ["-qefc", command.map(quoted).join(" "), "/dev/null"], {
    stdio: ["pipe", "pipe", "inherit"],
    cwd,
    env: { ...process.env, NO_COLOR: "", TERM: "xterm", ...environment },
  })
  onTestFinished(() => void terminal.kill("SIGKILL"))
  let shown = ""
  let all = ""
  let look = (): void => {}
  onTestFailed(() => console.log(`the terminal showed ${JSON.stringify(all)}`))
  terminal.stdout.on("data", (data: Buffer) => {
    shown += data.toString()
    all += data.toString()
    look()
  })
  /** Waits for the text and returns the output up to it; the next call begins after it. */
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
  const ended = new Promise<number | null>((resolve) => terminal.once("exit", resolve))
  const type = (text: string): void => void terminal.stdin.write(text)
  const enter = (line: string, shown: string): Promise<string> => {
    type(`${line}\r`)
    return see(shown)
  }
  return { type, see, enter, ended, all: () => all }
}
