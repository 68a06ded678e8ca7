/** The tools made of K functions. */
import * as Effect from "effect/Effect"
import { plainName, toolName } from "../../define/definition.ts"
import { Sessions } from "../../session/Sessions.ts"
import { source } from "../render/define.ts"
import type { Resource } from "./Resource.ts"

const definitions = Effect.map(Sessions, (sessions) => sessions.definitions)

export const toolResource: Resource = {
  uri: "k3://tools/{name}",
  name: "tool",
  title: "A tool made of K",
  description: "Code, parameters and versions of a defined tool. Tool: k_define, action source.",
  mimeType: "text/plain",
  priority: 0.3,
  present: Effect.gen(function* () {
    const all = yield* (yield* definitions).all
    return all
      .toSorted((a, b) => b.at - a.at)
      .map(({ name, version, at }) => ({
        variables: { name: toolName(name) },
        title: `${toolName(name)} version ${version}`,
        lastModified: at,
      }))
  }),
  fingerprint: ({ name = "" }) =>
    Effect.gen(function* () {
      const versions = yield* (yield* definitions).versions(plainName(name))
      return versions.map(({ version, at }) => `${version} ${at}`).join()
    }),
  read: ({ name = "" }) =>
    Effect.gen(function* () {
      const versions = yield* (yield* definitions).versions(plainName(name))
      const newest = versions.at(-1)
      return (
        newest &&
        source(
          newest,
          versions.map((each) => each.version),
        ).text
      )
    }),
}
