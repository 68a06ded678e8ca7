/** A walk-through: calls of a real client on the built server with comments, as the transcripts in docs/walkthroughs.md and docs/tutorial.md. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { onTestFinished } from "vitest"
import { steady } from "../lib/steady.ts"
import { serverFile } from "./server.ts"

export interface Walk {
  /** Calls a tool; call and text go into the transcript. Returns the structured content. */
  readonly call: (tool: string, given: object) => Promise<any>
  /** Repeats a call until its structured content satisfies `holds`; only the last one goes into the transcript. */
  readonly callUntil: (holds: (structured: any) => boolean, tool: string, given: object) => Promise<void>
  /** Adds a comment on a person's action to the transcript. */
  readonly say: (text: string) => void
  /** Runs the `k3` program; command line and output go into the transcript. */
  readonly k3: (...args: readonly string[]) => string
  /** The transcript since the last call, without the parts that differ between runs (`lib/steady.ts`). */
  readonly transcript: () => string
}

/** `{"code": "1+1", "all": true}` */
const shown = (given: object): string =>
  `{${Object.entries(given)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(", ")}}`

const quoted = (arg: string): string => (/^[\w.-]+$/.test(arg) ? arg : arg.includes("'") ? JSON.stringify(arg) : `'${arg}'`)

/** Begins a walk-through in this folder. */
export const beginWalk = async (folder: string, args: readonly string[], environment: Record<string, string> = {}): Promise<Walk> => {
  const client = new Client({ name: "walk-through", version: "1" })
  onTestFinished(() => client.close())
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [serverFile, "--state-dir", "none", ...args],
      env: { ...(process.env as Record<string, string>), ...environment },
      cwd: folder,
      stderr: "ignore",
    }),
  )
  const parts: string[] = []
  const add = (asked: string, answered: string): void => void parts.push(`${asked}\n${answered.trimEnd()}`)
  const ask = async (tool: string, given: object): Promise<any> =>
    client.callTool({ name: tool, arguments: given as Record<string, unknown> }, { timeout: 120_000 })
  const told = (tool: string, given: object, { content, structuredContent }: any): any => {
    add(`${tool} ${shown(given)}`, content[0].text)
    return structuredContent
  }
  return {
    call: async (tool, given) => told(tool, given, await ask(tool, given)),
    callUntil: async (holds, tool, given) => {
      let result = await ask(tool, given)
      while (!holds(result.structuredContent)) result = await ask(tool, given)
      told(tool, given, result)
    },
    say: (text) => void parts.push(text.replaceAll(/^/gm, "# ")),
    k3: (...args) => {
      const printed = execFileSync(process.execPath, [join(serverFile, "../k3.js"), ...args], { cwd: folder, encoding: "utf8" })
      add(`$ k3 ${args.map(quoted).join(" ")}`, printed)
      return printed
    },
    transcript: () => `${steady(parts.splice(0).join("\n\n"), folder)}\n`,
  }
}
