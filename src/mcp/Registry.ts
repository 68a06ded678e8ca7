/**
 * Every tool there is now: the server's own, and those made of K functions. Guarantees: the server's own come first and cannot be
 * replaced; finding one waits for nothing, and misses only what was not read from disk yet, which `all` waits for.
 */
import * as Effect from "effect/Effect"
import type { Definitions } from "../session/Definitions.ts"
import { toolName } from "../define/definition.ts"
import { definedTool } from "./definedTool.ts"
import type { Tool } from "./Tool.ts"
import { tools } from "./tools/index.ts"

export class Registry {
  private readonly own = new Map(tools.map((tool) => [tool.name, tool]))
  /** Those that `known` was made of. */
  private seen: ReturnType<Definitions["Service"]["known"]>
  private known = new Map<string, Tool>()

  constructor(private readonly definitions: Definitions["Service"]) {}

  get all(): Effect.Effect<readonly Tool[]> {
    return Effect.map(this.definitions.all, (all) => [...tools, ...all.map(definedTool)])
  }

  find(name: string): Tool | undefined {
    return this.own.get(name) ?? this.defined().get(name)
  }

  listen(listener: () => void): void {
    this.definitions.listen(listener)
  }

  private defined(): ReadonlyMap<string, Tool> {
    const now = this.definitions.known()
    if (now !== this.seen) {
      this.seen = now
      this.known = new Map((now ?? []).map((each) => [toolName(each.name), definedTool(each)]))
    }
    return this.known
  }
}
