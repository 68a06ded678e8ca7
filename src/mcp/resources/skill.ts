/** The files of the K3 skill. `skills.ts` lists them for clients with the skills extension. */
import * as Effect from "effect/Effect"
import { loadHelp } from "../loadHelp.ts"
import type { Resource } from "./Resource.ts"

const files = Effect.promise(() => loadHelp(({ skillFiles }) => skillFiles()))

export const skillResource: Resource = {
  uri: "skill://k3/{file}",
  name: "skill",
  title: "The K3 skill",
  description: "How to think in K, its traps, idioms by task, how to work with these tools: SKILL.md first. Tool: k_help.",
  mimeType: "text/markdown",
  priority: 0.4,
  present: Effect.map(files, (all) => Array.from(all.keys(), (file) => ({ variables: { file }, title: `K3 skill: ${file}` }))),
  read: ({ file = "" }) => Effect.map(files, (all) => all.get(file)),
}
