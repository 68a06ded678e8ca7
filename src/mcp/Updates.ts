/**
 * Tells subscribers that what they watch has changed. Guarantees: many changes within a moment are one notification; a client of the older
 * era hears only of what it subscribed to, and the SDK holds back what one of the newer era did not ask for. Does not: say what
 * changed, nor notice what no call did.
 */
import type { Server } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import type * as Bridge from "./bridge.ts"
import { resources } from "./resources/index.ts"
import { addressOf, namesIn, type Resource } from "./resources/Resource.ts"
import { defaultSession, type Tool } from "./Tool.ts"

const MOMENT = "250 millis"

/** Addresses of a row that say something else when these sessions have worked: the row's own, or one a session. */
const changedAddresses = (resource: Resource, sessions: readonly string[]): readonly string[] => {
  if (resource.watched === true) return [resource.uri]
  return namesIn(resource).join() === "session" ? sessions.map((session) => addressOf(resource, { session })) : []
}

export class Updates {
  private server: Server | undefined
  /** Addresses asked for by `resources/subscribe`; undefined in the era that has `subscriptions/listen`, which the SDK answers. */
  private subscribed: Set<string> | undefined
  private readonly touched = new Set<string>()
  private readonly known = new Set<string>()
  private more = false

  constructor(private readonly bridge: Bridge.Bridge<never>) {}

  /** A server speaks from now on. */
  attach(server: Server, era: "legacy" | "modern"): void {
    this.server = server
    this.subscribed = era === "legacy" ? new Set() : undefined
  }

  subscribe(address: string): void {
    this.subscribed?.add(address)
  }

  unsubscribe(address: string): void {
    this.subscribed?.delete(address)
  }

  /** There are other tools than before. */
  toolsChanged(): void {
    this.notify(() => this.server?.sendToolListChanged())
  }

  /** A call has ended. */
  called(tool: Tool, given: { readonly [name: string]: unknown } | undefined): void {
    const named = given?.["session"]
    const session = typeof named === "string" ? named : (tool.home ?? defaultSession)
    const isNew = !this.known.has(session)
    if (isNew) this.known.add(session)
    if (tool.describe().annotations.readOnlyHint && !isNew) return
    this.more ||= isNew
    if (this.touched.size === 0) this.bridge.start(Effect.sleep(MOMENT), (exit) => exit._tag === "Success" && this.tell())
    this.touched.add(session)
  }

  private tell(): void {
    const sessions = [...this.touched]
    this.touched.clear()
    if (this.more) this.notify(() => this.server?.sendResourceListChanged())
    this.more = false
    for (const uri of resources.flatMap((resource) => changedAddresses(resource, sessions)))
      if (this.subscribed?.has(uri) ?? true) this.notify(() => this.server?.sendResourceUpdated({ uri }))
  }

  /** A client that is gone hears nothing. */
  private notify(send: () => Promise<void> | undefined): void {
    send()?.catch(() => {})
  }
}
