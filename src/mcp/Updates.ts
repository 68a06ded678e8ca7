/**
 * Tells subscribers that what they watch has changed. Guarantees: many changes within a moment are one notification; a client of the older
 * era hears only of what it subscribed to, and the SDK holds back what one of the newer era did not ask for; who watches one
 * variable hears when that one says something else, up to `mostWatched` of them; what is held in memory of all that is asked for are
 * `mostAsked` addresses. Does not: say what changed, nor notice what no call did.
 */
import type { JSONRPCMessage, Server } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import { limits, namePattern } from "../limits.ts"
import type { Bridge } from "./bridge.ts"
import type { Era, Id } from "./message.ts"
import { find, resources } from "./resources/index.ts"
import { addressOf, namesIn, type Resource, type Services } from "./resources/Resource.ts"
import { openSessions } from "./resources/sessions.ts"
import { defaultSession, type Given, type Tool } from "./Tool.ts"

const MOMENT = "250 millis"
/** Variables that are looked at when their session has worked. */
const mostWatched = 50
/** Addresses of the older era; of the newer one, where the SDK knows the rest, those among which variables are looked for. */
const mostAsked = limits.watched

/** Addresses of a row that say something else when these sessions have worked: the row's own, or one a session. */
const changedAddresses = (resource: Resource, sessions: readonly string[]): readonly string[] => {
  if (resource.watched === true) return [resource.uri]
  return namesIn(resource).join() === "session" ? sessions.map((session) => addressOf(resource, { session })) : []
}

const isText = (given: unknown): given is string => typeof given === "string"

/** Those that a call works in by its arguments. */
const sessionsIn = ({ session, into, between }: Given, home = defaultSession): readonly string[] => {
  const sides = Array.isArray(between) ? between.filter(isText).flatMap((side) => /^session:(.+)$/.exec(side)?.[1] ?? []) : []
  return [session ?? home, into, ...sides].filter(isText).filter((name) => namePattern.test(name))
}

export class Updates {
  private server: Server | undefined
  /** Addresses asked for by `resources/subscribe`; undefined in the era that has `subscriptions/listen`, which the SDK answers. */
  private subscribed: Set<string> | undefined
  /** Addresses of the requests to listen that are open. */
  private readonly listening = new Map<Id, readonly string[]>()
  private readonly touched = new Set<string>()
  private telling = false
  /** The sessions that were open when somebody last looked. */
  private open: ReadonlySet<string> = new Set()
  /** What the watched variables said then. */
  private readonly said = new Map<string, string>()

  constructor(private readonly bridge: Bridge<Services>) {}

  /** A server speaks from now on. */
  attach(server: Server, era: Era): void {
    this.server = server
    this.subscribed = era === "legacy" ? new Set() : undefined
  }

  /** False when there are too many. */
  subscribe(address: string): boolean {
    const { subscribed } = this
    if (subscribed !== undefined && subscribed.size >= mostAsked && !subscribed.has(address)) return false
    subscribed?.add(address)
    this.lookAt([address])
    return true
  }

  unsubscribe(address: string): void {
    this.subscribed?.delete(address)
    this.said.delete(address)
  }

  /** Every message of the client; those that begin or end listening are noted. */
  heard(message: JSONRPCMessage): void {
    if (!("method" in message)) return
    if (message.method === "subscriptions/listen" && "id" in message) {
      const filter = message.params?.["notifications"] as { readonly resourceSubscriptions?: unknown } | undefined
      const asked = filter?.resourceSubscriptions
      const room = mostAsked - [...this.listening.values()].flat().length
      const addresses = Array.isArray(asked) ? asked.filter(isText).slice(0, room) : []
      if (addresses.length > 0) this.listening.set(message.id, addresses)
      this.lookAt(addresses)
    }
    if (message.method === "notifications/cancelled") this.listening.delete(message.params?.["requestId"] as Id)
  }

  /** There are other tools than before. */
  toolsChanged(): void {
    this.notify(() => this.server?.sendToolListChanged())
  }

  /** A call has ended. */
  called(tool: Tool, given: Given | undefined): void {
    const named = sessionsIn(given ?? {}, tool.home)
    const reads = tool.describe().annotations.readOnlyHint
    // Looking makes the session it names.
    if (reads && named.every((name) => this.open.has(name))) return
    if (!reads) for (const name of given?.["all"] === true ? this.open : named) this.touched.add(name)
    if (this.telling) return
    this.telling = true
    this.bridge.fork(Effect.map(Effect.andThen(Effect.sleep(MOMENT), this.news()), (news) => this.tell(news)))
  }

  /** Which addresses say something else, and whether other sessions are there; what was touched is dealt with then. */
  private news() {
    return Effect.gen({ self: this }, function* () {
      const touched = [...this.touched]
      this.touched.clear()
      this.telling = false
      const open = new Set((yield* openSessions).map(({ variables }) => variables["session"]!))
      const others = [...open, ...this.open].filter((name) => open.has(name) !== this.open.has(name))
      this.open = open
      const sessions = [...new Set([...touched, ...others])]
      const variables = yield* Effect.filter(this.watched(sessions), (address) => this.saysElse(address))
      const addresses = sessions.length === 0 ? [] : resources.flatMap((each) => changedAddresses(each, sessions))
      return { more: others.length > 0, addresses: [...addresses, ...variables] }
    })
  }

  private tell({ more, addresses }: { readonly more: boolean; readonly addresses: readonly string[] }): void {
    if (more) this.notify(() => this.server?.sendResourceListChanged())
    for (const uri of addresses) if (this.subscribed?.has(uri) ?? true) this.notify(() => this.server?.sendResourceUpdated({ uri }))
  }

  /** The variables somebody watches, of these sessions. */
  private watched(sessions: readonly string[]): readonly string[] {
    const asked = new Set(this.subscribed ?? [...this.listening.values()].flat())
    for (const address of this.said.keys()) if (!asked.has(address)) this.said.delete(address)
    const variables = [...asked].filter((address) => {
      const found = find(address)
      return found?.resource.glance !== undefined && sessions.includes(found.variables["session"]!)
    })
    return variables.slice(0, mostWatched)
  }

  private saysElse(address: string): Effect.Effect<boolean, never, Services> {
    const { resource, variables } = find(address)!
    return Effect.map(resource.glance!(variables), (now) => {
      if (now === undefined) return false
      const before = this.said.get(address)
      this.said.set(address, now)
      return before !== now
    })
  }

  /** So that the first change can be told from none. */
  private lookAt(addresses: readonly string[]): void {
    const variables = addresses.filter((address) => find(address)?.resource.glance !== undefined).slice(0, mostWatched)
    if (variables.length > 0) this.bridge.fork(Effect.forEach(variables, (address) => this.saysElse(address)))
  }

  /** A client that is gone hears nothing. */
  private notify(send: () => Promise<void> | undefined): void {
    send()?.catch(() => {})
  }
}
