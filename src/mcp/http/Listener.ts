/** The ports of the HTTP server: the listener, the authority that checks tokens and cookies, and the files of the page. */
import type { ListenAddress } from "../../settingKinds.ts"
import { withoutHalves } from "../message.ts"
import type { Principal } from "./Principal.ts"

/** A request's head. */
export interface Head {
  readonly method: string
  readonly path: string
  readonly header: (name: string) => string | undefined
}

/** A request with its whole body. */
export interface HttpRequest extends Head {
  /** The path with its query. */
  readonly target: string
  readonly body: string
  /**
   * Calls the listener once, when the client is gone or has the answer; at once if the request is over already. `isRefused`: the request was
   * ended because its token is no longer valid.
   */
  readonly onOver: (listener: (isRefused: boolean) => void) => void
  /** Makes the SDK's request, without the body; its signal aborts when the request is over. The call takes as long as a short answer. */
  readonly toWeb: () => Request
}

type Headers = readonly (readonly [name: string, value: string])[]

export interface HttpAnswer {
  readonly status: number
  /** The content type. */
  readonly type?: string | undefined
  readonly headers?: Headers
  readonly body?: string | Uint8Array | ReadableStream<Uint8Array> | undefined
}

const encoder = new TextEncoder()

/** Makes the text of the SDK, which sends a message per chunk, one that every client can read. */
const readable = (): TransformStream<Uint8Array, Uint8Array> => {
  const decoder = new TextDecoder()
  return new TransformStream({
    transform: (chunk, to) => to.enqueue(encoder.encode(withoutHalves(decoder.decode(chunk, { stream: true })))),
  })
}

/** Converts the SDK's response. */
export const answerOf = ({ status, headers, body }: Response): HttpAnswer => ({
  status,
  type: headers.get("content-type") ?? undefined,
  headers: [...headers].filter(([name]) => name !== "content-type"),
  body: body?.pipeThrough(readable()),
})

export interface Refusal {
  readonly status: number
  readonly message: string
  readonly headers?: Headers
}

/** An admitted request. */
export interface Admission {
  /** Undefined if the path needs no token. */
  readonly principal: Principal | undefined
  /** True while the request would still be admitted. Checked again while the request is open, since its token may be removed or expire. */
  readonly isStill: () => Promise<boolean>
}

/** The handlers of HTTP requests. */
export interface Site {
  /** Called before the body is read. The answer is a refusal. */
  readonly admit: (head: Head) => Promise<HttpAnswer | Admission>
  readonly tooLarge: HttpAnswer
  readonly tooMany: HttpAnswer
  /** The answer to a body that exceeds `Bounds.bodies` or `Bounds.allBodies`. */
  readonly tooMuch: HttpAnswer
  readonly answer: (request: HttpRequest, admission: Admission) => Promise<HttpAnswer>
}

export interface Bounds {
  readonly connections: number
  readonly requests: number
  readonly body: number
  /** The most bytes of the bodies of one principal's open requests, when they are more than one. */
  readonly bodies: number
  /** The most bytes of the bodies of all open requests; beyond it, a principal has `smallBodies`, so that small calls are answered. */
  readonly allBodies: number
  readonly smallBodies: number
  /** The longest time, ms, for which a client takes nothing of what is sent to it. */
  readonly unread: number
}

interface Listening {
  /** The address, with the actual port. */
  readonly url: string
  /** Refuses new connections, waits at most `ms` until answers are read, and closes the remaining connections. */
  readonly close: (ms: number) => Promise<void>
}

/** Finds the principal of a token or of a browser's cookie. */
export interface Authority {
  readonly admit: (token: string) => Promise<Principal | Refusal>
  /** Makes a code with which a browser logs in, once and within `seconds`; `place`: the page's first address. */
  readonly invite: (
    token: string,
    isReadOnly: boolean,
    place: string,
  ) => Promise<{ readonly code: string; readonly seconds: number } | Refusal>
  /** The cookie for a code, and the seconds for which it is valid. Ends the code; undefined when the code is not valid. */
  readonly logIn: (code: string) => Promise<{ readonly value: string; readonly seconds: number; readonly place: string } | undefined>
  /** The principal of a cookie; undefined when the cookie or its token is not valid. */
  readonly recall: (cookie: string) => Promise<Principal | undefined>
  readonly logOut: (cookie: string) => void
  /** Signs a text with a secret of the state folder. */
  readonly sign: (text: string) => string
  /** The issuer whose tokens are accepted, for clients to find. */
  readonly issuer?: string | undefined
}

/** A file of the page, in the encoding in which it is sent. */
export interface Asset {
  readonly type: string
  readonly encoding: string | undefined
  readonly body: Uint8Array
}

export interface PageFiles {
  /** The page's HTML, with `__NONCE__` in place of the nonce of its styles. Undefined when no page was built. */
  readonly index: () => string | undefined
  /** `accepted`: the request's Accept-Encoding. Undefined when no file has that name. */
  readonly asset: (name: string, accepted: string) => Promise<Asset | undefined>
}

/** Listens at an address. Rejects with an `Error` for people when the server cannot. */
export type Listener = (place: ListenAddress, site: Site, bounds: Bounds) => Promise<Listening>
