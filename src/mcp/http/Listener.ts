/** The port to a socket that speaks HTTP, to the tokens that those who ask have to show, and to the files of the page. */
import type { Principal } from "./Principal.ts"

export interface Place {
  readonly host: string
  /** 0: any that is free. */
  readonly port: number
}

/** A request's head. */
export interface Head {
  readonly method: string
  readonly path: string
  readonly header: (name: string) => string | undefined
}

export interface Refusal {
  readonly status: number
  readonly message: string
  readonly headers?: readonly (readonly [name: string, value: string])[]
}

/** A request that is heard. */
export interface Admission {
  /** Undefined where no token is needed. */
  readonly principal: Principal | undefined
  /** Would it still be? Asked while it is open: a token may be removed, or expire. */
  readonly isStill: () => Promise<boolean>
}

/** What answers. */
export interface Site {
  /** Before any of the body is read. */
  readonly judge: (head: Head) => Promise<Refusal | Admission>
  readonly bodyOf: (refusal: Refusal) => string
  readonly tooLarge: Refusal
  readonly tooMany: Refusal
  /** `body`: what was sent, whole. The request's signal says that who asked is gone, or has its answer. */
  readonly answer: (request: Request, body: string, admission: Admission) => Promise<Response>
}

export interface Bounds {
  readonly connections: number
  readonly requests: number
  readonly body: number
}

export interface Listening {
  /** With the port that it has. */
  readonly url: string
  /** Takes no new connection, waits that long for answers to be read, and ends the rest. */
  readonly close: (ms: number) => Promise<void>
}

export const headOfRequest = ({ method, url, headers }: Request): Head => ({
  method,
  path: new URL(url).pathname,
  header: (name) => headers.get(name) ?? undefined,
})

/** Knows whose a token is, and whose a browser's cookie. */
export interface Authority {
  readonly admit: (token: string) => Promise<Principal | Refusal>
  /** A code that logs a browser in with that token, once and soon; `place`: where the page begins. */
  readonly invite: (
    token: string,
    isReadOnly: boolean,
    place: string,
  ) => Promise<{ readonly code: string; readonly seconds: number } | Refusal>
  /** The cookie of a browser that shows the code, and for how long it counts. Spends the code; undefined when it does not count. */
  readonly logIn: (code: string) => Promise<{ readonly value: string; readonly seconds: number; readonly place: string } | undefined>
  /** Undefined when the cookie does not count, or no longer, or its token does not. */
  readonly recall: (cookie: string) => Promise<Principal | undefined>
  readonly logOut: (cookie: string) => void
  /** With a secret that is kept where the state is. */
  readonly sign: (text: string) => string
  /** Who else makes tokens that count, for clients to find. */
  readonly issuer?: string
}

/** A file of the page, as it is sent. */
export interface Asset {
  readonly type: string
  readonly encoding: string | undefined
  readonly body: Uint8Array
}

export interface PageFiles {
  /** Its HTML, with `__NONCE__` where the nonce of its styles goes. Undefined where no page was built. */
  readonly index: () => string | undefined
  /** `accepted`: the request's Accept-Encoding. Undefined when there is none of that name. */
  readonly asset: (name: string, accepted: string) => Promise<Asset | undefined>
}

export interface Listener {
  readonly page: PageFiles
  /** Throws with a sentence. */
  readonly authority: () => Authority
  /** Rejects with a sentence when the address cannot be had. */
  readonly listen: (place: Place, site: Site, bounds: Bounds) => Promise<Listening>
}
