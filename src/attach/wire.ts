/**
 * Shared by the connections of the attached console and of the page: their clients, when to try again, and what a failure means. Does not: hold a connection; `Link.ts` of each does.
 */
import { Client, SdkHttpError } from "@modelcontextprotocol/client"

type Mode = NonNullable<NonNullable<NonNullable<ConstructorParameters<typeof Client>[1]>["versionNegotiation"]>["mode"]>

/** As long as a timer can be: the server has deadlines of its own. */
export const noTimeout = 2 ** 31 - 1

/** `Link` looks for a server that is gone, and the transport does not. */
export const reconnectionOptions = { maxRetries: 0, initialReconnectionDelay: 1, maxReconnectionDelay: 1, reconnectionDelayGrowFactor: 1 }

/** Replies are this project's own: nothing is left for JSON Schema to say. */
const jsonSchemaValidator = {
  getValidator: () => (input: unknown) => ({ valid: true as const, data: input as never, errorMessage: undefined }),
}

export const makeClient = (name: string, version: string, mode: Mode): Client =>
  new Client({ name, version }, { jsonSchemaValidator, versionNegotiation: { mode } })

/** ms before the next attempt to find the server again. */
export const firstWait = 100
export const nextWait = (wait: number): number => Math.min(2 * wait, 2000)

const causes = function* (error: unknown): Generator<Error> {
  for (let each = error; each instanceof Error; each = each.cause) yield each
}

/** Of HTTP; undefined where none came. */
const statusOf = (error: unknown): number | undefined => {
  for (const each of causes(error)) if (each instanceof SdkHttpError) return each.status
  return undefined
}

/** Nothing answers, at least not MCP. */
export const isGone = (error: unknown): boolean =>
  (statusOf(error) ?? 0) >= 500 || Array.from(causes(error)).some((each) => each instanceof TypeError)

/** The server answers, and does not take what shows who asks. */
export const isRefused = (error: unknown): boolean => [401, 403].includes(statusOf(error) ?? 0)

/** What is told of a call that failed on its way. */
export class Unanswered extends Error {}
