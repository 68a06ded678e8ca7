/** The clients, on stdio and HTTP, that are told of changes in a space. */
import type { Definitions } from "../session/Definitions.ts"
import type { RawArguments, Tool } from "./Tool.ts"
import type { Updates } from "./Updates.ts"

export class Audience {
  private readonly all = new Set<Updates>()

  constructor(definitions: Pick<Definitions["Service"], "listen">) {
    definitions.listen(() => {
      for (const each of this.all) each.toolsChanged()
    })
  }

  join(updates: Updates): void {
    this.all.add(updates)
  }

  /** The client is gone. */
  leave(updates: Updates): void {
    this.all.delete(updates)
    updates.end()
  }

  /** Called when a call has ended. */
  readonly called = (tool: Tool, given: RawArguments | undefined): void => {
    for (const each of this.all) each.called(tool, given)
  }
}
