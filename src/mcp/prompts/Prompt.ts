/**
 * A prompt is data: its title for people, its arguments, and the text that the model gets. Guarantees: every call in the text is a line of its own,
 * `k_eval {"code": "…"}`, and works as written (a test runs them). Does not: know the MCP SDK.
 */
import type * as Effect from "effect/Effect"
import type { Services } from "../resources/Resource.ts"

interface Argument {
  readonly name: string
  readonly description: string
  readonly required: boolean
  /** Values for completion. Other values are accepted too. */
  readonly values?: Effect.Effect<readonly string[], never, Services>
}

export interface Prompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly Argument[]
  readonly text: (given: Readonly<Record<string, string>>) => string
}

/** A sentence on the first problem of the arguments, with the names that the prompt takes; undefined if they are right. */
export const problemOf = (prompt: Prompt, given: Readonly<Record<string, string>>): string | undefined => {
  const known = prompt.arguments.map(({ name }) => name)
  const takes = known.length === 0 ? "no arguments" : known.join(", ")
  const unknown = Object.keys(given).filter((name) => !known.includes(name))
  if (unknown.length > 0) return `Prompt ${prompt.name} has no argument ${unknown.join(", ")}; it takes ${takes}`
  const missing = prompt.arguments.filter(({ name, required }) => required && (given[name] ?? "").trim() === "").map(({ name }) => name)
  return missing.length > 0 ? `Prompt ${prompt.name} needs ${missing.join(", ")}; it takes ${takes}` : undefined
}

/** A call of a tool as a line of text. */
export const call = (tool: string, given: object): string => `${tool} ${JSON.stringify(given)}`
