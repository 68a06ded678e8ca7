/**
 * All tools of a space: the server's own, and the tools made of K functions. Guarantees: the server's own tools come first and cannot be
 * replaced. `find` waits for nothing, and misses only defined tools that are not read from disk yet; `all` waits for these.
 */
import * as Effect from "effect/Effect"
import type { Definitions } from "../session/Definitions.ts"
import { toolName } from "../define/definition.ts"
import { definedTool } from "./definedTool.ts"
import type { Tool } from "./Tool.ts"
import { tools } from "./tools/index.ts"
import { viewTools } from "./viewTools.ts"

const own: ReadonlyMap<string, Tool> = new Map([...tools, ...viewTools].map((tool) => [tool.name, tool]))

export class Registry {
  constructor(private readonly definitions: Pick<Definitions["Service"], "all" | "known">) {}

  get all(): Effect.Effect<readonly Tool[]> {
    return Effect.map(this.definitions.all, (all) => [...tools, ...all.map(definedTool)])
  }

  find(name: string): Tool | undefined {
    const present = own.get(name)
    if (present !== undefined) return present
    const defined = this.definitions.known()?.find((each) => toolName(each.name) === name)
    return defined && definedTool(defined)
  }
}
