/** A program in a pseudo-terminal, as a person meets it, which `script` of util-linux makes: what is typed, and waiting for what is shown. */
import { spawn, spawnSync } from "node:child_process"
import { onTestFinished } from "vitest"

/** Can one be had here? */
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
  const ended = new Promise<number | null>((resolve) => terminal.once("exit", resolve))
  const type = (text: string): void => void terminal.stdin.write(text)
  const enter = (line: string, shown: string): Promise<string> => {
    type(`${line}\r`)
    return see(shown)
  }
  return { type, see, enter, ended, all: () => all }
}
