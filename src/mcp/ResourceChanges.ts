/**
 * Finds the addresses of resources that have changed since the last call of `find`.
 *
 * Guarantees: a watched resource with a `fingerprint`, such as a variable or the status, counts as changed only when its content has; at most
 * `mostRead` of these are read at a time, and the others at the next times. A session in which another front end worked counts as changed. Does not:
 * say what has changed.
 */
import * as Effect from "effect/Effect"
import { Sessions } from "../session/Sessions.ts"
import { find, resources } from "./resources/index.ts"
import { addressOf, namesIn, type Resource, type Services } from "./resources/Resource.ts"

/** The most addresses whose `fingerprint` is read at a time. */
const mostRead = 50

/** The addresses of a resource that count as changed when these sessions have worked. None for a resource whose `fingerprint` decides. */
const changedAddresses = (resource: Resource, sessions: readonly string[]): readonly string[] => {
  if (resource.fingerprint !== undefined && resource.changesByItself !== true) return []
  if (resource.watched === true) return [resource.uri]
  return namesIn(resource).join() === "session" ? sessions.map((session) => addressOf(resource, { session })) : []
}

export class ResourceChanges {
  /** The sessions in which calls worked since the last `find`. */
  private readonly touched = new Set<string>()
  /** The sessions that were open at the last `find`, with their generation and number of evaluations. */
  open: ReadonlyMap<string, string> = new Map()
  /** The last content of each watched address with a `fingerprint`. */
  private readonly fingerprints = new Map<string, string>()
  /** The addresses whose content may have changed, the first to be read first. */
  private readonly due = new Set<string>()

  /** Takes sessions in which a call has worked. */
  touch(sessions: Iterable<string>): void {
    for (const session of sessions) this.touched.add(session)
  }

  /** Drops the content of an address that is no longer watched. */
  forget(address: string): void {
    this.fingerprints.delete(address)
  }

  /**
   * Does the resource exist? Its `fingerprint` is stored, so that the first change is recognised. `isWatched`: others watch the resource already, and
   * may not have been told of its last change yet; so the stored `fingerprint` stays.
   */
  isThere(address: string, isWatched: boolean): Effect.Effect<boolean, never, Services> {
    const found = find(address)
    if (found === undefined) return Effect.succeed(false)
    const { resource, variables } = found
    if (resource.fingerprint === undefined)
      return Effect.match(resource.read(variables), { onSuccess: (text) => text !== undefined, onFailure: () => true })
    return Effect.map(resource.fingerprint(variables), (now) => {
      const isKept = isWatched && this.fingerprints.has(address)
      if (now !== undefined && now !== "" && !isKept) this.fingerprints.set(address, now)
      return now !== ""
    })
  }

  /** The changed addresses, of the `watched` ones if they have a `fingerprint`. `isListChanged`: sessions were opened or closed. */
  find(watched: () => ReadonlySet<string>) {
    return Effect.gen({ self: this }, function* () {
      const touched = [...this.touched]
      this.touched.clear()
      const list = yield* Effect.flatMap(Sessions, (sessions) => sessions.list)
      const open = new Map(list.map(({ name, generation, evaluations }) => [name, `${generation} ${evaluations}`]))
      const others = [...open.keys(), ...this.open.keys()].filter((name) => open.has(name) !== this.open.has(name))
      const worked = [...open.keys()].filter((name) => this.open.has(name) && this.open.get(name) !== open.get(name))
      this.open = open
      const sessions = [...new Set([...touched, ...others, ...worked])]
      const changed = yield* Effect.filter(this.toRead(watched(), sessions), (address) => this.hasChanged(address))
      const addresses = sessions.length === 0 ? [] : resources.flatMap((each) => changedAddresses(each, sessions))
      return { isListChanged: others.length > 0, addresses: [...new Set([...addresses, ...changed])] }
    })
  }

  /**
   * The watched addresses with a `fingerprint` that are due: addresses of these sessions or of no session, addresses that change without a call, and
   * the rest of last time.
   */
  private toRead(watched: ReadonlySet<string>, sessions: readonly string[]): readonly string[] {
    for (const address of this.fingerprints.keys()) if (!watched.has(address)) this.fingerprints.delete(address)
    for (const address of this.due) if (!watched.has(address)) this.due.delete(address)
    for (const address of watched) {
      const found = find(address)
      if (found?.resource.fingerprint === undefined) continue
      const session = found.variables["session"]
      if (session === undefined || found.resource.changesByItself === true || sessions.includes(session)) this.due.add(address)
    }
    const next = [...this.due].slice(0, mostRead)
    for (const address of next) this.due.delete(address)
    return next
  }

  /** Reads the `fingerprint` of an address, and compares it with the last one. An address that cannot be read is due again. */
  private hasChanged(address: string): Effect.Effect<boolean, never, Services> {
    const { resource, variables } = find(address)!
    return Effect.map(resource.fingerprint!(variables), (now) => {
      if (now === undefined) {
        this.due.add(address)
        return false
      }
      const before = this.fingerprints.get(address)
      this.fingerprints.set(address, now)
      return before !== now
    })
  }
}
