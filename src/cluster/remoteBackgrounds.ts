/**
 * Background evaluations of the sessions of a cluster. Any front end finds a handle on the machine that has its session.
 * Guarantees: an evaluation that ran on a lost machine is reported like an evaluation of an earlier server.
 */
import * as Effect from "effect/Effect"
import { Stored } from "../session/Backgrounds.ts"
import { NoEvaluation, type SessionError } from "../session/SessionError.ts"
import type { Sessions } from "../session/Sessions.ts"
import { numbered } from "../store/DocumentCache.ts"
import { Store } from "../store/Store.ts"
import { type Asking, brief } from "./asking.ts"
import { gave } from "./remoteOutputs.ts"

type Here = Sessions["Service"]

/** As ms, a second less than the longest timer, since `wait` adds a second. As bytes, more than an evaluation prints. */
const unending = 2 ** 31 - 2000

const { decode } = numbered(Stored)

/** `list`: the sessions that are open. */
export const remoteBackgrounds = Effect.fnUntraced(function* ({ read, change, changeNow }: Asking, list: Here["list"]) {
  const { evaluations } = (yield* Store).documents
  /** The open sessions of a generation above 0. The status of a session for which no machine answers has 0. */
  const answering = Effect.map(list, (all) => all.filter(({ generation }) => generation > 0))

  /** Works in the session of a handle, which the document of the evaluation names. */
  const inSessionOf = <A>(handle: string, work: (name: string) => Effect.Effect<A, SessionError>): Effect.Effect<A, SessionError> =>
    Effect.gen(function* () {
      const key = handle.slice(1)
      const lines = yield* evaluations.load(key)
      const noted = lines && decode(key, lines)
      if (noted !== undefined) return yield* work(noted.session)
      // An evaluation of an ephemeral session has no document. Any session on its machine leads to it.
      const beside = (yield* answering).find(({ owner }) => owner !== undefined && gave(owner.machine, handle))
      return yield* beside === undefined ? new NoEvaluation({ handle, dropped: false, known: [] }) : work(beside.name)
    })

  const wait: Here["backgrounds"]["wait"] = (handle, bytes, ms) =>
    Effect.ignore(inSessionOf(handle, (name) => read("BackgroundWait", name, { handle, bytes, ms }, ms + 1000)))
  const listOf = (name: string) => Effect.orElseSucceed(read("BackgroundList", name, {}, brief), () => [])
  return {
    begin: (name, request) =>
      Effect.flatMap(read("Open", name, { use: true }), ({ epoch }) => change("BackgroundBegin", { name, epoch }, { request })),
    find: (handle) => inSessionOf(handle, (name) => read("BackgroundFind", name, { handle })),
    list: Effect.flatMap(answering, (all) =>
      Effect.map(
        Effect.forEach(all, ({ name }) => listOf(name), { concurrency: "unbounded" }),
        (found) => found.flat().sort((a, b) => Number(a.handle.slice(1)) - Number(b.handle.slice(1))),
      ),
    ),
    wait,
    ended: (handle) => wait(handle, unending, unending),
    stop: (handle) => inSessionOf(handle, (name) => changeNow("BackgroundStop", name, { handle })),
  } satisfies Here["backgrounds"]
})
