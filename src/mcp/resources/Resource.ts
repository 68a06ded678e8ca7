/**
 * A resource is data: its address or the pattern of its addresses, its description for clients, and the effect that reads it. Guarantees:
 * an address matches at most one resource; an address that cannot be decoded matches none.
 *
 * Many hosts show the model only tools; so each resource has a tool that gives the same content.
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
export type AddressVariables = Readonly<Record<string, string>>

/** An existing resource of a pattern. */
export interface ExistingResource {
  readonly variables: AddressVariables
  readonly title: string
  /** Undefined: that of its pattern. */
  readonly description?: string
  /** Bytes, if they are known without reading the resource. */
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
  /** The resource is in no list; replies that need it give its address. */
  readonly unlisted?: true
  /** The `_meta` of its content. */
  readonly meta?: { readonly [name: string]: unknown }
  /** From 1, for a resource that an agent should read first, to 0, for one that it hardly needs. */
  readonly priority: number
  /** A call in any session may change it. (A pattern with `{session}` changes with the calls of that session, and needs no mark.) */
  readonly watched?: true
  /** Undefined when the resource does not exist. */
  readonly read: (variables: AddressVariables) => Effect.Effect<string | undefined, SessionError, Services>
  /**
   * A text that differs exactly when the content has changed; empty when the resource does not exist, undefined while its state cannot be read. A
   * resource without `{session}` or with `changesByItself` is polled while a client watches it.
   */
  readonly fingerprint?: (variables: AddressVariables) => Effect.Effect<string | undefined, never, Services>
  readonly changesByItself?: true
  /** For a pattern: its existing resources, latest first. */
  readonly present?: Effect.Effect<readonly ExistingResource[], never, Services>
  /** Values of a segment for completion, where `present` does not give them; `given` are the segments before it. */
  readonly complete?: Readonly<
    Record<string, (typed: string, given: AddressVariables) => Effect.Effect<readonly string[], never, Services>>
  >
}

/** The names in braces of a pattern; none for a plain address. */
export const namesIn = ({ uri }: Resource): readonly string[] => new UriTemplate(uri).variableNames

/** The address that a pattern has with these segments. */
export const addressOf = ({ uri }: Resource, variables: AddressVariables): string => new UriTemplate(uri).expand(variables)

const decoded = (segments: object): AddressVariables | undefined =>
  Result.getOrUndefined(
    Result.try(() => Object.fromEntries(Object.entries(segments).map(([name, segment]) => [name, decodeURIComponent(String(segment))]))),
  )

/** The segments of an address that matches the pattern; undefined for any other address. */
export const match = ({ uri }: Resource, address: string): AddressVariables | undefined => {
  // The SDK's template would take a query or fragment as part of the last segment.
  const found = /[?#]/.test(address) ? null : new UriTemplate(uri).match(address)
  const segments = found === null ? undefined : decoded(found)
  return segments?.["session"] === undefined || namePattern.test(segments["session"]) ? segments : undefined
}
