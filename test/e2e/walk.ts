/** A walk-through: calls of a real client on the built server, and what was said beside them, as texts that docs/walkthroughs.md and docs/tutorial.md show. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { onTestFinished } from "vitest"
import { steady } from "../lib/steady.ts"
import { serverFile } from "./server.ts"

export interface Walk {
  /** A call; it and its text go into the transcript. Gives the structured content. */
  readonly call: (tool: string, given: object) => Promise<any>
  /** The same again and again until its structured content is so; the last goes into the transcript. */
  readonly callUntil: (holds: (structured: any) => boolean, tool: string, given: object) => Promise<void>
  /** What a person does meanwhile. */
  readonly say: (text: string) => void
  /** A command line of the `k3` program that stands here, run for the transcript. */
  readonly k3: (...args: readonly string[]) => string
  /** Since it was last asked for, without what differs from run to run. */
  readonly transcript: () => string
}

/** `{"code": "1+1", "all": true}` */
const shown = (given: object): string =>
  `{${Object.entries(given)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(", ")}}`

const quoted = (arg: string): string => (/^[\w.-]+$/.test(arg) ? arg : arg.includes("'") ? JSON.stringify(arg) : `'${arg}'`)

/** Begins one in this folder. */
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
