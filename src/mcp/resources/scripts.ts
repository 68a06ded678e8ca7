/** The K scripts below the roots. */
import * as Effect from "effect/Effect"
import { listScripts } from "../../session/scripts.ts"
import { Sessions } from "../../session/Sessions.ts"
import { Settings } from "../../Settings.ts"
import { scripts } from "../render/session.ts"
import type { Resource } from "./Resource.ts"

const text = Effect.gen(function* () {
  const { files } = yield* Sessions
  const { roots } = yield* Settings
  return scripts(yield* listScripts(files, []), roots).text
})

export const scriptsResource: Resource = {
  uri: "k3://scripts",
  name: "scripts",
  title: "K scripts",
  description: "The K scripts below the roots: first comment, names they define, what they load. Tool: k_session, action scripts.",
  mimeType: "text/plain",
  priority: 0.5,
  read: () => text,
  fingerprint: () => text,
}
