/**
 * Notifies a client that a resource it watches has changed, or that a task has ended. Guarantees: changes in quick succession are one notification. A
 * client of the legacy era is notified only of resources that it subscribed to; in the modern era the SDK filters. For a resource with a `glance`, such
 * as a variable or the status, a notification means that its content has changed; at most `mostWatched` of these are read at a time. While anything is
 * watched, resources that change without a call (the status, the list of sessions, watched histories) are read every second. A subscription to a
 * resource that does not exist is refused. At most `mostAsked` addresses are kept. Does not: say what has changed.
 */
import type { JSONRPCMessage, Server } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { limits, namePattern } from "../limits.ts"
import { Sessions } from "../session/Sessions.ts"
import type { Bridge } from "./bridge.ts"
import { CAPABILITIES_KEY, type Era, type Id, INVALID_PARAMS, MISSING_CAPABILITY } from "./message.ts"
import { find, resources } from "./resources/index.ts"
import { addressOf, namesIn, type Resource, type Services } from "./resources/Resource.ts"
import { addressFor, taskIdsIn, withTasks } from "./taskListening.ts"
import * as tasks from "./tasks.ts"
import { visible } from "../visible.ts"
import { defaultSession, type Given, type Tool } from "./Tool.ts"

const MOMENT = "250 millis"
/** How often resources that change without a call are read. */
const PERIOD = "1 second"
/** The most addresses whose `glance` is read after a call. */
const mostWatched = 50
/** The most subscribed addresses. */
const mostAsked = limits.watched

/** The addresses of a resource that count as changed when these sessions have worked. None for a resource whose `glance` decides. */
const changedAddresses = (resource: Resource, sessions: readonly string[]): readonly string[] => {
  if (resource.glance !== undefined && resource.changesByItself !== true) return []
  if (resource.watched === true) return [resource.uri]
  return namesIn(resource).join() === "session" ? sessions.map((session) => addressOf(resource, { session })) : []
}

const isText = (given: unknown): given is string => typeof given === "string"

/** The sessions that a call's arguments name. */
const sessionsIn = ({ session, into, between }: Given, home = defaultSession): readonly string[] => {
  const sides = Array.isArray(between) ? between.filter(isText).flatMap((side) => /^session:(.+)$/.exec(side)?.[1] ?? []) : []
  return [session ?? home, into, ...sides].filter(isText).filter((name) => namePattern.test(name))
}

/** Passes a message on to the SDK, or answers it with an error. */
interface Wire {
  readonly forward: (message: JSONRPCMessage) => void
  readonly refuse: (id: Id, fault: ListenFault) => void
}

type Listen = Extract<JSONRPCMessage, { readonly method: string; readonly id: unknown }>

/** An error of JSON-RPC. */
export interface ListenFault {
  readonly code: number
  readonly message: string
  readonly data?: object
}

/** A checked request to listen; `begin` is to be called after the SDK got the message. */
type Prepared = { readonly fault: ListenFault } | { readonly message: Listen; readonly begin: () => void }

const undeclared: ListenFault = {
  code: MISSING_CAPABILITY,
  message: "taskIds are for clients whose capabilities have the tasks extension",
  data: { requiredCapabilities: tasks.required },
}

const tooMany = `at most ${mostAsked} resources may be watched by all requests to listen: end one of them first`

/** The error for an address without a resource. */
export const notThere = (address: string): string =>
  `There is no ${visible(address)} now: its session is not open, or has nothing of that name. k_session list names the open ones; use one, then subscribe again.`

/** Sends notifications to a client. */
export interface Speaker extends Pick<Server, "sendToolListChanged" | "sendResourceListChanged"> {
  /** `task`: the ended task, if the address is a task's (`taskListening.ts`). */
  readonly sendResourceUpdated: (updated: { readonly uri: string; readonly task?: object }) => Promise<void>
}

export class Updates {
  private server: Speaker | undefined
  /** The addresses of `resources/subscribe`, the oldest first; undefined in the modern era, which has `subscriptions/listen`. */
  private subscribed: Set<string> | undefined
  /** The addresses of each open request to listen. */
  private readonly listening = new Map<Id, readonly string[]>()
  /** For each open request to listen: the fibers that wait for the ends of its tasks. */
  private readonly following = new Map<Id, readonly Fiber.Fiber<void>[]>()
  private readonly touched = new Set<string>()
  private telling = false
  /** The sessions that were open at the last look, and how far each was: another front end may have worked in it. */
  private open: ReadonlyMap<string, string> = new Map()
  /** The `glance` of each watched address at the last look. */
  private readonly said = new Map<string, string>()

  /** The requests to listen whose addresses are being checked. */
  private readonly judging = new Set<Id>()
  private looking = false

  constructor(
    private readonly bridge: Bridge<Services>,
    /** For a transport that passes every message to `heard`. */
    private readonly wire?: Wire,
    /** Keeps the addresses of `resources/subscribe` beyond this connection. */
    private readonly keep: (addresses: readonly string[]) => Effect.Effect<void, never, Services> = () => Effect.void,
  ) {}

  /** Sets the server that sends the notifications. */
  attach(server: Speaker, era: Era): void {
    this.server = server
    this.subscribed = era === "legacy" ? new Set() : undefined
  }

  /** Adds a subscription; returns the reason if it is refused. */
  subscribe(address: string): Effect.Effect<"too many" | "not there" | undefined, never, Services> {
    return Effect.gen({ self: this }, function* () {
      const { subscribed } = this
      const isFull = () => subscribed !== undefined && subscribed.size >= mostAsked && !subscribed.has(address)
      if (isFull()) return "too many"
      if (!(yield* this.isThere(address))) return "not there"
      if (isFull()) return "too many"
      if (subscribed?.has(address) === false) yield* this.keep([...subscribed.add(address)])
      this.keepLooking()
      return undefined
    })
  }

  /** Adds the subscriptions that an earlier connection of this client had. They are not checked: their sessions may not be open yet. */
  takeBack(addresses: readonly string[]): void {
    if (addresses.length === 0) return
    for (const address of addresses) this.subscribed?.add(address)
    this.keepLooking()
  }

  unsubscribe(address: string): Effect.Effect<void, never, Services> {
    return Effect.suspend(() => {
      this.said.delete(address)
      return this.subscribed?.delete(address) === true ? this.keep([...this.subscribed]) : Effect.void
    })
  }

  /** Gets every message of the client, for those that begin or end listening. True when the message must not go on to the SDK now. */
  heard(message: JSONRPCMessage): boolean {
    if (!("method" in message)) return false
    if (message.method === "notifications/cancelled") {
      const id = message.params?.["requestId"] as Id
      this.endListening(id)
      return this.judging.delete(id)
    }
    if (message.method !== "subscriptions/listen" || !("id" in message)) return false
    if (!this.asksFor(message.params)) return false
    this.judging.add(message.id)
    this.bridge.fork(
      Effect.map(this.prepare(message, message.id), (prepared) => {
        // The request was cancelled meanwhile.
        if (!this.judging.delete(message.id)) return
        if ("fault" in prepared) return this.wire?.refuse(message.id, prepared.fault)
        this.wire?.forward(prepared.message)
        prepared.begin()
      }),
    )
    return true
  }

  /** Does a request to listen name resources or tasks? */
  asksFor(params: Given | undefined): boolean {
    return this.addressesIn(params).length > 0 || taskIdsIn(params).length > 0
  }

  /** Checks a request to listen. `listener` identifies the request until `endListening`. */
  prepare(message: Listen, listener: Id): Effect.Effect<Prepared, never, Services> {
    return Effect.gen({ self: this }, function* () {
      const { params } = message
      const addresses = this.addressesIn(params)
      const taskIds = taskIdsIn(params)
      if (taskIds.length > 0 && !tasks.takesTasks(params?._meta?.[CAPABILITIES_KEY])) return { fault: undeclared }
      if (addresses.length > 0 && this.watching + addresses.length > mostAsked) return { fault: { code: INVALID_PARAMS, message: tooMany } }
      // Counted from now on, for requests that are checked at the same time.
      this.listening.set(listener, addresses)
      const missing = yield* this.missing(addresses)
      if (missing !== undefined) {
        this.endListening(listener)
        return { fault: { code: INVALID_PARAMS, message: notThere(missing) } }
      }
      const known = yield* Effect.filter(taskIds, (taskId) => Effect.map(tasks.find(taskId), (task) => task !== undefined))
      const begin = (): void => {
        if (addresses.length > 0) this.keepLooking()
        for (const taskId of known) this.follow(listener, taskId)
      }
      return { message: withTasks(message, listener, known), begin }
    })
  }

  /** Notifies the listener when the task has ended. */
  private follow(listener: Id, taskId: string): void {
    const told = Effect.map(tasks.ended(taskId), (task) => {
      if (task !== undefined) this.notify(() => this.server?.sendResourceUpdated({ uri: addressFor(listener, taskId), task }))
    })
    const fiber = this.bridge.fork(told)
    const all = this.following.get(listener) ?? []
    this.following.set(listener, [...all, fiber])
  }

  /** The number of addresses in open requests to listen. */
  private get watching(): number {
    return [...this.listening.values()].reduce((sum, { length }) => sum + length, 0)
  }

  private addressesIn(params: Given | undefined): readonly string[] {
    const filter = params?.["notifications"] as { readonly resourceSubscriptions?: unknown } | undefined
    const asked = filter?.resourceSubscriptions
    return Array.isArray(asked) ? asked.filter(isText) : []
  }

  /** The first address without a resource. */
  private missing(addresses: readonly string[]): Effect.Effect<string | undefined, never, Services> {
    const first = Effect.findFirst(addresses, (address) => Effect.map(this.isThere(address), (is) => !is))
    return Effect.map(first, Option.getOrUndefined)
  }

  endListening(listener: Id): void {
    this.listening.delete(listener)
    for (const fiber of this.following.get(listener) ?? []) fiber.interruptUnsafe()
    this.following.delete(listener)
  }

  /** Does the resource exist? Its `glance` is stored, so that the first change is recognised. */
  private isThere(address: string): Effect.Effect<boolean, never, Services> {
    const found = find(address)
    if (found === undefined) return Effect.succeed(false)
    const { resource, variables } = found
    if (resource.glance === undefined)
      return Effect.match(resource.read(variables), { onSuccess: (text) => text !== undefined, onFailure: () => true })
    return Effect.map(resource.glance(variables), (now) => {
      if (now !== undefined && now !== "") this.said.set(address, now)
      return now !== ""
    })
  }

  private get asked(): ReadonlySet<string> {
    return new Set(this.subscribed ?? [...this.listening.values()].flat())
  }

  /** Looks for changes every `PERIOD`, as long as anything is watched. */
  private keepLooking(): void {
    if (this.looking) return
    this.looking = true
    const look = Effect.map(Effect.andThen(Effect.sleep(PERIOD), this.news()), (news) => {
      this.tell(news)
      return this.asked.size > 0
    })
    this.bridge.fork(Effect.map(Effect.repeat(look, { while: (again) => again }), () => (this.looking = false)))
  }

  /** Notifies the client that the list of tools has changed. */
  toolsChanged(): void {
    this.notify(() => this.server?.sendToolListChanged())
  }

  /** Called when a call has ended: looks for changes after `MOMENT`. */
  called(tool: Tool, given: Given | undefined): void {
    const named = sessionsIn(given ?? {}, tool.home)
    const reads = tool.onlyLooks(given ?? {})
    // A read-only call makes a session that does not exist, which changes the list of sessions.
    if (reads && named.every((name) => this.open.has(name))) return
    if (!reads) for (const name of given?.["all"] === true ? this.open.keys() : named) this.touched.add(name)
    if (this.telling) return
    this.telling = true
    this.bridge.fork(Effect.map(Effect.andThen(Effect.sleep(MOMENT), this.news()), (news) => this.tell(news)))
  }

  /** The addresses that have changed, and whether sessions were opened or closed. Clears the touched sessions. */
  private news() {
    return Effect.gen({ self: this }, function* () {
      const touched = [...this.touched]
      this.touched.clear()
      this.telling = false
      const list = yield* Effect.flatMap(Sessions, (sessions) => sessions.list)
      const open = new Map(list.map(({ name, generation, evaluations }) => [name, `${generation} ${evaluations}`]))
      const others = [...open.keys(), ...this.open.keys()].filter((name) => open.has(name) !== this.open.has(name))
      const worked = [...open.keys()].filter((name) => this.open.has(name) && this.open.get(name) !== open.get(name))
      this.open = open
      const sessions = [...new Set([...touched, ...others, ...worked])]
      const variables = yield* Effect.filter(this.watched(sessions), (address) => this.saysElse(address))
      const addresses = sessions.length === 0 ? [] : resources.flatMap((each) => changedAddresses(each, sessions))
      return { more: others.length > 0, addresses: [...new Set([...addresses, ...variables])] }
    })
  }

  private tell({ more, addresses }: { readonly more: boolean; readonly addresses: readonly string[] }): void {
    if (more) this.notify(() => this.server?.sendResourceListChanged())
    for (const uri of addresses) if (this.subscribed?.has(uri) ?? true) this.notify(() => this.server?.sendResourceUpdated({ uri }))
  }

  /** The watched addresses with a `glance`: those of these sessions, those of no session, and those that change without a call. */
  private watched(sessions: readonly string[]): readonly string[] {
    const { asked } = this
    for (const address of this.said.keys()) if (!asked.has(address)) this.said.delete(address)
    const glanced = [...asked].flatMap((address) => {
      const found = find(address)
      if (found?.resource.glance === undefined) return []
      const session = found.variables["session"]
      return [{ address, session, isGeneral: session === undefined || found.resource.changesByItself === true }]
    })
    const general = glanced.filter(({ isGeneral }) => isGeneral)
    const own = glanced.filter(({ session, isGeneral }) => !isGeneral && sessions.includes(session!))
    return [...general, ...own].slice(0, mostWatched).map(({ address }) => address)
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

  /** Sends a notification; a client that has gone is ignored. */
  private notify(send: () => Promise<void> | undefined): void {
    send()?.catch(() => {})
  }
}
