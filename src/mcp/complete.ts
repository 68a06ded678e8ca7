/**
 * `completion/complete`: completes arguments of prompts and segments of resource addresses. Guarantees: waits for no evaluation; returns at
 * most 100 values, the protocol's limit; values that begin with the typed text come first.
 */
import * as Effect from "effect/Effect"
import { lookup } from "../lookup.ts"
import { find as findPrompt } from "./prompts/index.ts"
import { resources } from "./resources/index.ts"
import type { Services } from "./resources/Resource.ts"

interface Asked {
  readonly ref: { readonly type: string; readonly name?: string; readonly uri?: string }
  readonly argument: { readonly name: string; readonly value: string }
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> | undefined } | undefined
}

type Completion = { readonly values: string[]; readonly total: number; readonly hasMore: boolean }

const MOST = 100

/** The values that begin with the text, then the values that contain it; case is ignored. */
const matching = (all: readonly string[], typed: string): Completion => {
  const text = typed.toLowerCase()
  const distinct = [...new Set(all)]
  const begins = distinct.filter((each) => each.toLowerCase().startsWith(text))
  const holds = distinct.filter((each) => !each.toLowerCase().startsWith(text) && each.toLowerCase().includes(text))
  const found = [...begins, ...holds]
  return { values: found.slice(0, MOST), total: found.length, hasMore: found.length > MOST }
}

export const complete = ({ ref, argument, context }: Asked): Effect.Effect<Completion, never, Services> => {
  const given = context?.arguments ?? {}
  if (ref.type === "ref/prompt") {
    const values = findPrompt(ref.name ?? "")?.arguments.find(({ name }) => name === argument.name)?.values
    return Effect.map(values ?? Effect.succeed([]), (all) => matching(all, argument.value))
  }
  const resource = resources.find(({ uri }) => uri === ref.uri)
  const own = lookup(resource?.complete, argument.name)
  const values =
    own?.(argument.value, given) ??
    Effect.map(resource?.present ?? Effect.succeed([]), (all) => all.flatMap(({ variables }) => lookup(variables, argument.name) ?? []))
  return Effect.map(values, (all) => matching(all, argument.value))
}
