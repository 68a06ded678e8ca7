/**
 * Notifies a client that a resource it watches has changed (`ResourceChanges.ts`), or that a task has ended. Guarantees: changes in quick succession
 * are one notification. A client of the legacy era is notified only of resources that it subscribed to; in the modern era the SDK filters. While
 * anything is watched, resources that change without a call (the status, the list of sessions, watched histories) are read every second. A
 * subscription to a resource that does not exist is refused. At most `limits.watched` addresses are kept. Does not: say what has changed.
 */
import type { JSONRPCMessage, Server } from "@modelcontextprotocol/server"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { limits, namePattern } from "../limits.ts"
import type { Bridge } from "./bridge.ts"
import { ResourceChanges } from "./ResourceChanges.ts"
import {
  cancelledBy,
  CAPABILITIES_KEY,
  type Era,
  type Id,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isText,
  MISSING_CAPABILITY,
  type RpcError,
} from "./message.ts"
import type { Services } from "./resources/Resource.ts"
import { addressesIn, addressFor, isListen, type Listen, taskIdsIn, withTasks } from "./taskListening.ts"
import * as tasks from "./tasks.ts"
import { visible } from "../visible.ts"
import { defaultSession, type RawArguments, type Tool } from "./Tool.ts"

const MOMENT = "250 millis"
/** How often resources that change without a call are read. */
const PERIOD = "1 second"

/** The sessions that a call's arguments name. `name` of another tool than `k_session` is no session's. */
const sessionsIn = ({ session, into, between, name: own }: RawArguments, { name, home = defaultSession }: Tool): readonly string[] => {
  const sides = Array.isArray(between) ? between.filter(isText).flatMap((side) => /^session:(.+)$/.exec(side)?.[1] ?? []) : []
  return [session ?? home, into, name === "k_session" ? own : undefined, ...sides].filter(isText).filter((name) => namePattern.test(name))
}

/** Passes a message on to the SDK, or answers it with an error. */
interface Wire {
  readonly forward: (message: JSONRPCMessage) => void
  readonly refuse: (id: Id, fault: RpcError) => void
}

/** A checked request to listen; `begin` is to be called after the SDK got the message. */
type Prepared = { readonly fault: RpcError } | { readonly message: Listen; readonly begin: () => void }

const undeclared: RpcError = {
  code: MISSING_CAPABILITY,
  message: "taskIds are for clients whose capabilities have the tasks extension",
  data: { requiredCapabilities: tasks.required },
}

const tooManyListened = `at most ${limits.watched} resources may be watched by all requests to listen: end one of them first`

const tooManySubscribed = `${limits.watched} resources are subscribed to already: call resources/unsubscribe for one first`

/** The error for an address without a resource. */
const notThere = (address: string): string =>
  `There is no ${visible(address)} now: its session is not open, or has nothing of that name. k_session list names the open ones; use one, then subscribe again.`

/** Sends notifications to a client. */
export interface Speaker extends Pick<Server, "sendToolListChanged" | "sendResourceListChanged"> {
  /** `task`: the ended task, if the address is a task's (`taskListening.ts`). */
  readonly sendResourceUpdated: (updated: { readonly uri: string; readonly task?: object }) => Promise<void>
}

interface Listener {
  readonly addresses: readonly string[]
  /** They wait for the ends of its tasks. */
  readonly following: Fiber.Fiber<void>[]
}

export class Updates {
  private server: Speaker | undefined
  /** The addresses of `resources/subscribe`, the oldest first; undefined in the modern era, which has `subscriptions/listen`. */
  private subscribed: Set<string> | undefined
  /** The open requests to listen. */
  private readonly listening = new Map<Id, Listener>()
  private readonly changes = new ResourceChanges()
  /** A search for changes after `MOMENT` is due. */
  private isDue = false
  private isPolling = false
  private isEnded = false
  /** The checks of the addresses of requests to listen. */
  private readonly checking = new Map<Id, Fiber.Fiber<void>>()

  constructor(
    private readonly bridge: Bridge<Services>,
    /** For a transport that passes every message to `receive`. */
    private readonly wire?: Wire,
    /** Keeps the addresses of `resources/subscribe` beyond this connection. */
    private readonly keep: (addresses: readonly string[]) => Effect.Effect<void, never, Services> = () => Effect.void,
  ) {}

  /** Sets the server that sends the notifications. */
  attach(server: Speaker, era: Era): void {
    this.server = server
    this.subscribed = era === "legacy" ? new Set() : undefined
  }

  /** Adds a subscription; returns the reason, a sentence, if it is refused. */
  subscribe(address: string): Effect.Effect<string | undefined, never, Services> {
    return Effect.gen({ self: this }, function* () {
      const { subscribed } = this
      const isFull = () => subscribed !== undefined && subscribed.size >= limits.watched && !subscribed.has(address)
      if (isFull()) return tooManySubscribed
      if (!(yield* this.changes.isThere(address, this.asked.has(address)))) return notThere(address)
      if (isFull()) return tooManySubscribed
      if (subscribed?.has(address) === false) yield* this.keep([...subscribed.add(address)])
      this.poll()
      return undefined
    })
  }

  /** Adds the subscriptions that an earlier connection of this client had. They are not checked: their sessions may not be open yet. */
  restore(addresses: readonly string[]): void {
    if (addresses.length === 0) return
    for (const address of addresses) this.subscribed?.add(address)
    this.poll()
  }

  unsubscribe(address: string): Effect.Effect<void, never, Services> {
    return Effect.suspend(() => {
      this.changes.forget(address)
      return this.subscribed?.delete(address) === true ? this.keep([...this.subscribed]) : Effect.void
    })
  }

  /** Gets every message of the client: some begin or end listening. True when the message must not go on to the SDK now. */
  receive(message: JSONRPCMessage): boolean {
    const cancelled = cancelledBy(message)
    if (cancelled !== undefined) {
      this.endListening(cancelled)
      const check = this.checking.get(cancelled)
      check?.interruptUnsafe()
      return this.checking.delete(cancelled)
    }
    if (!isListen(message) || !this.asksFor(message.params)) return false
    const { id } = message
    const check = this.bridge.fork(
      Effect.map(this.prepare(message, id), (prepared) => {
        if ("fault" in prepared) return this.wire?.refuse(id, prepared.fault)
        this.wire?.forward(prepared.message)
        prepared.begin()
      }),
    )
    this.checking.set(id, check)
    check.addObserver((exit) => {
      if (this.checking.get(id) !== check) return
      this.checking.delete(id)
      if (Exit.isSuccess(exit) || Exit.hasInterrupts(exit)) return
      this.endListening(id)
      this.wire?.refuse(id, { code: INTERNAL_ERROR, message: `Internal error: ${visible(Cause.pretty(exit.cause).split("\n")[0]!)}` })
    })
    return true
  }

  /** Does a request to listen name resources or tasks? */
  asksFor(params: RawArguments | undefined): boolean {
    return addressesIn(params).length > 0 || taskIdsIn(params).length > 0
  }

  /** Checks a request to listen. `listener` identifies the request until `endListening`. */
  prepare(message: Listen, listener: Id): Effect.Effect<Prepared, never, Services> {
    return Effect.gen({ self: this }, function* () {
      const { params } = message
      const addresses = addressesIn(params)
      const taskIds = taskIdsIn(params)
      if (taskIds.length > 0 && !tasks.takesTasks(params?._meta?.[CAPABILITIES_KEY])) return { fault: undeclared }
      if (addresses.length > 0 && this.listened.length + addresses.length > limits.watched)
        return { fault: { code: INVALID_PARAMS, message: tooManyListened } }
      const others = this.asked
      // Counted from now on, for requests that are checked at the same time.
      this.listening.set(listener, { addresses, following: [] })
      const missing = yield* Effect.findFirst(addresses, (address) =>
        Effect.map(this.changes.isThere(address, others.has(address)), (is) => !is),
      )
      if (Option.isSome(missing)) {
        this.endListening(listener)
        return { fault: { code: INVALID_PARAMS, message: notThere(missing.value) } }
      }
      const known = yield* Effect.filter(taskIds, (taskId) => Effect.map(tasks.present(taskId), (task) => task !== undefined))
      const begin = (): void => {
        if (addresses.length > 0) this.poll()
        for (const taskId of known) this.follow(listener, taskId)
      }
      return { message: withTasks(message, listener, known), begin }
    })
  }

  /** Notifies the listener when the task has ended; not if the listener has gone. */
  private follow(listener: Id, taskId: string): void {
    const notified = Effect.map(tasks.ended(taskId), (task) => {
      if (task !== undefined) this.notify(this.server?.sendResourceUpdated({ uri: addressFor(listener, taskId), task }))
    })
    this.listening.get(listener)?.following.push(this.bridge.fork(notified))
  }

  endListening(listener: Id): void {
    for (const fiber of this.listening.get(listener)?.following ?? []) fiber.interruptUnsafe()
    this.listening.delete(listener)
  }

  /** The client is gone, and nothing is watched any more. Its kept addresses stay, for its next connection. */
  end(): void {
    this.isEnded = true
    for (const listener of this.listening.keys()) this.endListening(listener)
  }

  /** The addresses of all open requests to listen. */
  private get listened(): readonly string[] {
    return [...this.listening.values()].flatMap(({ addresses }) => addresses)
  }

  private get asked(): ReadonlySet<string> {
    return new Set(this.isEnded ? [] : (this.subscribed ?? this.listened))
  }

  /** Notifies of changes every `PERIOD`, as long as anything is watched. */
  private poll(): void {
    if (this.isPolling || this.isEnded) return
    this.isPolling = true
    // In a cluster a search may die with another machine's defect. The next one may be answered.
    const search = Effect.catchDefect(this.notifyOfChanges(), (defect) => Effect.logDebug(`a search for changes: ${String(defect)}`))
    const once = Effect.map(Effect.andThen(Effect.sleep(PERIOD), search), () => (this.isPolling = this.asked.size > 0))
    this.bridge.fork(Effect.repeat(once, { while: (again) => again }))
  }

  /** Notifies the client that the list of tools has changed. */
  toolsChanged(): void {
    this.notify(this.server?.sendToolListChanged())
  }

  /** Called when a call has ended: notifies of changes after `MOMENT`. */
  called(tool: Tool, given: RawArguments | undefined): void {
    const named = sessionsIn(given ?? {}, tool)
    const reads = tool.isReadOnlyCall(given ?? {})
    // A read-only call makes a session that does not exist, which changes the list of sessions.
    if (reads && named.every((name) => this.changes.open.has(name))) return
    if (!reads) this.changes.touch(given?.["all"] === true ? this.changes.open.keys() : named)
    if (this.isDue) return
    this.isDue = true
    this.bridge.fork(Effect.andThen(Effect.sleep(MOMENT), this.notifyOfChanges()))
  }

  private notifyOfChanges() {
    return Effect.suspend(() => {
      this.isDue = false
      return Effect.map(
        this.changes.find(() => this.asked),
        ({ isListChanged, addresses }) => {
          if (isListChanged) this.notify(this.server?.sendResourceListChanged())
          for (const uri of addresses) if (this.subscribed?.has(uri) ?? true) this.notify(this.server?.sendResourceUpdated({ uri }))
        },
      )
    })
  }

  /** `sent`: a notification; a client that has gone is ignored. */
  private notify(sent: Promise<void> | undefined): void {
    sent?.catch(() => {})
  }
}
