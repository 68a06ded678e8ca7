/**
 * MCP over HTTP: finds the principal of a request, and passes the request to the MCP endpoint of its credential.
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
  type Rules,
  serverEnds,
  tooLarge,
  tooManyAtOnce,
  tooMuchAtOnce,
  tooOften,
} from "./guards.ts"
import type { Authority, Head, HttpAnswer, HttpRequest, PageFiles, Refusal, Site } from "./Listener.ts"
import { makePageSite } from "./pageSite.ts"
import { healthPlaces, isMetadata, loginPlace } from "./places.ts"
import { localSpace, type Principal } from "./Principal.ts"
import type { McpEndpoint } from "./McpEndpoint.ts"
import { Rates } from "./Rates.ts"
import { FairQueue } from "./FairQueue.ts"

interface Parts {
  readonly settings: SettingValues
  readonly authority: Authority
  readonly page: PageFiles
  /** The endpoint for the credential of a principal; rejects with a sentence when its space cannot be served. */
  readonly endpointOf: (principal: Principal) => Promise<Pick<McpEndpoint, "post" | "other">>
  /** Monotonic time, ms. */
  readonly now: () => number
  /** In a cluster: this machine and the others, in lines. */
  readonly membership?: (() => Promise<string>) | undefined
}

/** The most running requests of one principal: a quarter of all requests, and half of all connections. */
const shareOf = ({ httpRequests, httpConnections }: SettingValues): number =>
  Math.max(1, Math.floor(Math.min(httpRequests / 4, httpConnections / 2)))

const plain = (status: number, body: string): HttpAnswer => ({ status, type: "text/plain;charset=UTF-8", body })

export class HttpSite implements Site {
  private ending = false
  private underWay = 0
  /** Open while no request runs. */
  private readonly idle = Latch.makeUnsafe(true)
  private readonly fairQueue = new FairQueue()
  /** The running requests of each principal. */
  private readonly open = new Map<string, number>()
  private readonly rates: Rates
  private readonly share: number
  private readonly rules: Rules
  private readonly pages: ReturnType<typeof makePageSite>
  readonly tooLarge: HttpAnswer
  readonly tooMany: HttpAnswer
  readonly tooMuch = refusedAnswer(tooMuchAtOnce)

  constructor(private readonly parts: Parts) {
    const { settings, authority, page, now } = parts
    const { publicUrl, httpBody, httpRequests, listen } = settings
    this.rates = new Rates(now)
    this.share = shareOf(settings)
    this.rules = {
      ...authority,
      publicUrl,
      isLoopback: listen === null || isLoopback(listen),
      body: httpBody,
      ending: () => this.ending,
      excess: this.excess,
    }
    const isLoggedIn = async (head: Head): Promise<boolean> => !("status" in (await admitted(head, this.rules, true)))
    this.pages = makePageSite({ files: page, authority, publicUrl, isLoggedIn })
    this.tooLarge = refusedAnswer(tooLarge(httpBody))
    this.tooMany = refusedAnswer({ status: 503, message: `${httpRequests} requests are under way, which is the limit (K3_HTTP_REQUESTS).` })
  }

  readonly admit: Site["admit"] = async (head) => {
    const found = await checkHead(head, this.rules)
    if (found !== undefined && "status" in found) return refusedAnswer(found)
    return {
      principal: found,
      isStill: async () => {
        const now = found === undefined ? undefined : await admitted(head, this.rules)
        // An issuer that does not answer does not make the token invalid.
        return now === undefined || !("status" in now) || now.status >= 500
      },
    }
  }

  readonly answer: Site["answer"] = async (request, { principal }) => {
    if (principal === undefined) return this.answerAnyone(request)
    if (request.path === loginPlace) return this.pages.invite(request)
    // The body may have arrived long after the head was admitted.
    if (this.ending) return refusedAnswer(serverEnds)
    if (this.isFull(principal.space)) return refusedAnswer(tooManyAtOnce(this.share))
    this.hold(principal, request)
    try {
      return request.method === "POST" ? await this.post(request, principal) : await (await this.parts.endpointOf(principal)).other(request)
    } catch (error) {
      return refusedAnswer({ status: 503, message: (error as Error).message })
    }
  }

  /** Is a request of this principal under way? */
  readonly isServing = (space: string): boolean => this.open.has(space)

  /** Refuses new calls from now on, and waits at most `ms` until the running ones are answered. */
  readonly drain = (ms: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      this.ending = true
      return Effect.asVoid(Effect.timeoutOption(this.idle.await, ms))
    })

  private readonly isFull = (space: string): boolean => space !== localSpace && (this.open.get(space) ?? 0) >= this.share

  private readonly excess = async ({ space, credential, limits }: Principal): Promise<Refusal | undefined> => {
    await this.fairQueue.take(space)
    if (this.isFull(space)) return tooManyAtOnce(this.share)
    const wait = this.rates.take(credential, limits.calls)
    return wait === 0 ? undefined : tooOften(limits.calls, wait)
  }

  /** Answers a request that needs no token. */
  private async answerAnyone(request: HttpRequest): Promise<HttpAnswer> {
    if (healthPlaces.has(request.path)) return this.health(request.path)
    return isMetadata(request.path) ? metadata(request, this.rules) : this.pages.answer(request)
  }

  private async health(path: string): Promise<HttpAnswer> {
    const { membership } = this.parts
    if (path !== "/readyz") return plain(200, "ok\n")
    if (this.ending) return plain(503, "ending\n")
    return plain(200, `ready\n${membership === undefined ? "" : await membership()}`)
  }

  private readonly post = async (request: HttpRequest, principal: Principal): Promise<HttpAnswer> => {
    if (!isJsonContentType(request.header("content-type"))) return refusedAnswer({ status: 415, message: "Send application/json." })
    const checked = readMessage(request.body)
    if (checked.kind === "batch") return refusedAnswer({ status: 400, message: noBatches })
    if (checked.kind === "fault") return refuse(400, checked.fault)
    if (checked.kind === "ignored") return { status: 202 }
    if (!isListen(checked.message)) this.count(request)
    return (await this.parts.endpointOf(principal)).post(request, checked.message)
  }

  /** Counts the request as running until its answer has been read. */
  private count({ onOver }: HttpRequest): void {
    this.underWay++
    this.idle.closeUnsafe()
    onOver(() => {
      if (--this.underWay === 0) this.idle.openUnsafe()
    })
  }

  /** Counts the request towards the share of its principal until it is over. */
  private hold({ space }: Principal, { onOver }: HttpRequest): void {
    const { open } = this
    open.set(space, (open.get(space) ?? 0) + 1)
    onOver(() => {
      const left = open.get(space)! - 1
      if (left === 0) open.delete(space)
      else open.set(space, left)
    })
  }
}
