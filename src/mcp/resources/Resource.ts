/**
 * A resource is data: its address or the pattern of its addresses, what a client is told about it, and how it is read. Guarantees:
 * an address matches one row at most, and what does not decode matches none.
 *
 * Hosts show the model tools only, many of them; so every resource has a tool that says the same.
 */
import { UriTemplate } from "@modelcontextprotocol/server"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SessionError } from "../../session/SessionError.ts"
import type { Sessions } from "../../session/Sessions.ts"
import { namePattern } from "../../limits.ts"
import type { Settings } from "../../Settings.ts"

export type Services = Sessions | Settings

/** The segments of an address by the name they have in the pattern, decoded. */
export type Variables = Readonly<Record<string, string>>

/** One there is now, of those that a pattern stands for. */
export interface Present {
  readonly variables: Variables
  readonly title: string
  /** Bytes, where they are known without reading. */
  readonly size?: number
  /** Milliseconds since 1970. */
  readonly lastModified?: number
}

export interface Resource {
  /** `k3://sessions/{session}/state`: a name in braces is one segment. */
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: "text/plain" | "text/markdown" | "image/svg+xml" | "text/html;profile=mcp-app"
  /** It is named where it is wanted, and stands in no list. */
  readonly unlisted?: true
  /** What goes with its text (`_meta`). */
  readonly meta?: { readonly [name: string]: unknown }
  /** 1 is what an agent should read first, 0 what it hardly needs. */
  readonly priority: number
  /** It changes with what any session does; a pattern with `{session}` with what that one does. */
  readonly watched?: true
  /** Undefined when there is no such thing. */
  readonly read: (variables: Variables) => Effect.Effect<string | undefined, SessionError, Services>
  /**
   * All that changes in what it says, where looking tells; empty when there is no such thing, undefined while it cannot be seen. One without
   * `{session}`, or that changes without a call, is looked at again and again while somebody watches it.
   */
  readonly glance?: (variables: Variables) => Effect.Effect<string | undefined, never, Services>
  readonly changesByItself?: true
  /** For a pattern: those there are, latest first. */
  readonly present?: Effect.Effect<readonly Present[], never, Services>
  /** What a segment may be, where that is not told by those there are; `given` are the segments before it. */
  readonly complete?: Readonly<Record<string, (typed: string, given: Variables) => Effect.Effect<readonly string[], never, Services>>>
}

/** The names in a pattern; none for a plain address. */
export const namesIn = ({ uri }: Resource): readonly string[] => new UriTemplate(uri).variableNames

/** The address that a pattern has with these segments. */
export const addressOf = ({ uri }: Resource, variables: Variables): string => new UriTemplate(uri).expand(variables)

const decoded = (segments: object): Variables | undefined =>
  Result.getOrUndefined(
    Result.try(() => Object.fromEntries(Object.entries(segments).map(([name, segment]) => [name, decodeURIComponent(String(segment))]))),
  )

/** The segments when `address` is one of the pattern's. */
export const match = ({ uri }: Resource, address: string): Variables | undefined => {
  // The SDK's template takes a query and a fragment for part of the last segment.
  const found = /[?#]/.test(address) ? null : new UriTemplate(uri).match(address)
  const segments = found === null ? undefined : decoded(found)
  return segments?.["session"] === undefined || namePattern.test(segments["session"]) ? segments : undefined
}
