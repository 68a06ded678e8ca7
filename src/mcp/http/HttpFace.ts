/**
 * MCP over HTTP: finds the principal of a request, and passes the request to the principal's face.
 *
 * Guarantees: a message that stdio would refuse is refused in the same words; the number of running requests per principal is limited, so that
 * other principals are served too; after `drain` begins, new calls are refused, and running ones may end within its time.
 * Does not: open sockets, or check heads (`guards.ts`).
 */
import { isJsonContentType } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { isLoopback } from "../../settingKinds.ts"
import type { SettingValues } from "../../Settings.ts"
import { noBatches, readMessage } from "../message.ts"
import { isListen } from "../taskListening.ts"
import {
  admitted,
  refusedAnswer,
  checkHead,
  metadata,
  refuse,
  serverEnds,
  tooLarge,
  tooManyAtOnce,
  tooMuchAtOnce,
  tooOften,
} from "./guards.ts"
import type { Admission, Authority, HttpAnswer, HttpRequest, PageFiles, Site } from "./Listener.ts"
import { makePageFace } from "./PageFace.ts"
import { healthPlaces, isMetadata, loginPlace } from "./places.ts"
import { localSpace, type Principal } from "./Principal.ts"
import type { PrincipalFace } from "./PrincipalFace.ts"
import { Rates } from "./Rates.ts"
import { Turns } from "./Turns.ts"

interface Parts {
  readonly settings: SettingValues
  readonly authority: Authority
  readonly page: PageFiles
  /** The face of a principal; rejects with a sentence when it cannot be served. */
  readonly faceOf: (principal: Principal) => Promise<PrincipalFace>
  /** Monotonic time, ms. */
  readonly now: () => number
  /** In a cluster: this machine and the others, in lines. */
  readonly membership?: (() => Promise<string>) | undefined
}

export interface HttpFace extends Site {
  /** Refuses new calls from now on, and waits at most `ms` until the running ones are answered. */
  readonly drain: (ms: number) => Effect.Effect<void>
  /** Is a request of this principal under way? */
  readonly isServing: (space: string) => boolean
}

/** The most running requests of one principal: a quarter of all requests, and half of all connections. */
const shareOf = ({ httpRequests, httpConnections }: SettingValues): number =>
  Math.max(1, Math.floor(Math.min(httpRequests / 4, httpConnections / 2)))

const plain = (status: number, body: string): HttpAnswer => ({ status, type: "text/plain;charset=UTF-8", body })

const health = async (path: string, ending: boolean, membership: Parts["membership"]): Promise<HttpAnswer> => {
  if (path !== "/readyz") return plain(200, "ok\n")
  if (ending) return plain(503, "ending\n")
  return plain(200, `ready\n${membership === undefined ? "" : await membership()}`)
}

export const makeHttpFace = ({ settings, authority, page, faceOf, now, membership }: Parts): HttpFace => {
  let ending = false
  let underWay = 0
  /** Open while no request runs. */
  const idle = Latch.makeUnsafe(true)
  const rates = new Rates(now)
  const turns = new Turns()
  const open = new Map<string, number>()
  const share = shareOf(settings)
  const isFull = (space: string): boolean => space !== localSpace && (open.get(space) ?? 0) >= share
  const rules = {
    ...authority,
    publicUrl: settings.publicUrl,
    isLoopback: settings.listen === null || isLoopback(settings.listen),
    body: settings.httpBody,
    ending: () => ending,
    excess: async ({ space, credential, limits }: Principal) => {
      await turns.take(space)
      if (isFull(space)) return tooManyAtOnce(share)
      const wait = rates.take(credential, limits.calls)
      return wait === 0 ? undefined : tooOften(limits.calls, wait)
    },
  }

  const pages = makePageFace({
    files: page,
    authority,
    publicUrl: settings.publicUrl,
    isLoggedIn: async (head) => !("status" in (await admitted(head, rules, true))),
  })

  /** Counts the request as running until its answer has been read. */
  const count = ({ onOver }: HttpRequest): void => {
    underWay++
    idle.closeUnsafe()
    onOver(() => {
      if (--underWay === 0) idle.openUnsafe()
    })
  }

  /** Counts the request towards the share of its principal until it is over. */
  const hold = ({ space }: Principal, { onOver }: HttpRequest): void => {
    open.set(space, (open.get(space) ?? 0) + 1)
    onOver(() => {
      const left = open.get(space)! - 1
      if (left === 0) open.delete(space)
      else open.set(space, left)
    })
  }

  const post = async (request: HttpRequest, principal: Principal): Promise<HttpAnswer> => {
    if (!isJsonContentType(request.header("content-type"))) return refusedAnswer({ status: 415, message: "Send application/json." })
    const checked = readMessage(request.body)
    if (checked.kind === "batch") return refusedAnswer({ status: 400, message: noBatches })
    if (checked.kind === "fault") return refuse(400, checked.fault)
    if (checked.kind === "ignored") return { status: 202 }
    if (!isListen(checked.message)) count(request)
    return (await faceOf(principal)).post(request, checked.message)
  }

  /** Answers a request that needs no token. */
  const answerAnyone = async (request: HttpRequest): Promise<HttpAnswer> => {
    const { path } = request
    if (healthPlaces.has(path)) return health(path, ending, membership)
    return isMetadata(path) ? metadata(request, rules) : pages.answer(request)
  }

  const answer = async (request: HttpRequest, { principal }: Admission): Promise<HttpAnswer> => {
    const { path } = request
    if (principal === undefined) return answerAnyone(request)
    if (path === loginPlace) return pages.invite(request)
    // The body may have arrived long after the head was admitted.
    if (ending) return refusedAnswer(serverEnds)
    if (isFull(principal.space)) return refusedAnswer(tooManyAtOnce(share))
    hold(principal, request)
    try {
      return request.method === "POST" ? await post(request, principal) : await (await faceOf(principal)).other(request)
    } catch (error) {
      return refusedAnswer({ status: 503, message: (error as Error).message })
    }
  }

  return {
    admit: async (head) => {
      const found = await checkHead(head, rules)
      if (found !== undefined && "status" in found) return refusedAnswer(found)
      return {
        principal: found,
        isStill: async () => {
          const now = found === undefined ? undefined : await admitted(head, rules)
          // An issuer that does not answer does not make the token invalid.
          return now === undefined || !("status" in now) || now.status >= 500
        },
      }
    },
    tooLarge: refusedAnswer(tooLarge(settings.httpBody)),
    tooMany: refusedAnswer({
      status: 503,
      message: `${settings.httpRequests} requests are under way, which is the limit (K3_HTTP_REQUESTS).`,
    }),
    tooMuch: refusedAnswer(tooMuchAtOnce),
    answer,
    isServing: (space) => open.has(space),
    drain: (ms) =>
      Effect.suspend(() => {
        ending = true
        return Effect.asVoid(Effect.timeoutOption(idle.await, ms))
      }),
  }
}
