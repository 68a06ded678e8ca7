/** The port to a socket that speaks HTTP, and to the token that those who ask have to show. */
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

/** What answers. */
export interface Site {
  /** Before any of the body is read. */
  readonly judge: (head: Head) => Refusal | undefined
  readonly bodyOf: (refusal: Refusal) => string
  readonly tooLarge: Refusal
  readonly tooMany: Refusal
  /** `body`: what was sent, whole. The request's signal says that who asked is gone, or has its answer. */
  readonly answer: (request: Request, body: string) => Promise<Response>
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

/** A secret that is kept where the state is. */
export interface Token {
  readonly is: (given: string) => boolean
  readonly sign: (text: string) => string
}

export interface Listener {
  /** Throws with a sentence. */
  readonly token: () => Token
  /** Rejects with a sentence when the address cannot be had. */
  readonly listen: (place: Place, site: Site, bounds: Bounds) => Promise<Listening>
}
