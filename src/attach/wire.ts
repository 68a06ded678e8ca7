/**
 * The parts of a client that the attached console and the page share: its settings, the delays between attempts, and the kinds of failures.
 * Does not: hold a connection; `PageLink.ts` and `ConsoleLink.ts` do.
 */
import { Client, SdkHttpError } from "@modelcontextprotocol/client"

type Mode = NonNullable<NonNullable<NonNullable<ConstructorParameters<typeof Client>[1]>["versionNegotiation"]>["mode"]>

/** The longest timer, ms: the server has deadlines of its own. */
export const noTimeout = 2 ** 31 - 1

/** The transport does not reconnect; `PageLink` and `ConsoleLink` do. */
export const reconnectionOptions = { maxRetries: 0, initialReconnectionDelay: 1, maxReconnectionDelay: 1, reconnectionDelayGrowFactor: 1 }

/** Accepts every reply: the server is part of this project. */
const jsonSchemaValidator = {
  getValidator: () => (input: unknown) => ({ valid: true as const, data: input as never, errorMessage: undefined }),
}

export const makeClient = (name: string, version: string, mode: Mode): Client =>
  new Client({ name, version }, { jsonSchemaValidator, versionNegotiation: { mode } })

/** A picture of `k_plot`, by its address. */
export interface Plot {
  readonly uri: string
  readonly title: string
  /** Its figures in words, a sentence a line. */
  readonly summary: string
  /** ISO 8601. */
  readonly at: string
}

/** The completions of an argument of a resource's address in a session. `pattern`: the template of the address. */
export const completions = async (
  client: Client,
  pattern: string,
  argument: { readonly name: string; readonly value: string },
  session: string,
  options: { readonly timeout?: number } = {},
): Promise<readonly string[]> => {
  const asked = { ref: { type: "ref/resource" as const, uri: pattern }, argument, context: { arguments: { session } } }
  return (await client.complete(asked, options)).completion.values
}

/** The numbers of a session's plots, joined into one text. Another text means other plots, which `plotsOf` then lists. */
export const plotNumbers = async (client: Client, session: string): Promise<string> =>
  (await completions(client, "k3://sessions/{session}/plots/{n}", { name: "n", value: "" }, session)).join()

/** The plots of a session, oldest first. */
export const plotsOf = async (client: Client, session: string): Promise<readonly Plot[]> => {
  const { resources } = await client.listResources()
  return resources
    .flatMap(({ uri, title = "", description = "", annotations }) =>
      uri.startsWith(`k3://sessions/${encodeURIComponent(session)}/plots/`)
        ? [{ uri, title, summary: description, at: annotations?.lastModified ?? "" }]
        : [],
    )
    .toReversed()
}

/** The delay before the next attempt to find the server, ms. */
export const firstWait = 100
export const nextWait = (wait: number): number => Math.min(2 * wait, 2000)

/** The error, its cause, the cause of that, and so on. */
const chainOf = (error: unknown): readonly Error[] => (error instanceof Error ? [error, ...chainOf(error.cause)] : [])

/** The HTTP status of a failure; undefined if no HTTP response came. */
const statusOf = (error: unknown): number | undefined => chainOf(error).find((each) => each instanceof SdkHttpError)?.status

/** Is there no connection, or an HTTP status of 500 or more? */
export const isGone = (error: unknown): boolean => (statusOf(error) ?? 0) >= 500 || chainOf(error).some((each) => each instanceof TypeError)

/** Does the server not accept the token or cookie? */
export const isRefused = (error: unknown): boolean => [401, 403].includes(statusOf(error) ?? 0)

/** A call without a reply; the message is for people. */
export class Unanswered extends Error {}
