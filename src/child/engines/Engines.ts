/**
 * Chooses an engine, by the settings and by the build on disk at that moment. Does not: know sessions, which keep their engine until a reload or
 * a reset replaces the child.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { EngineKind } from "../../engineKinds.ts"
import { Settings } from "../../Settings.ts"
import { Artifacts } from "../builds/Artifact.ts"
import { embedded } from "./embedded.ts"
import type { Engine } from "./Engine.ts"
import { buildSource, k3csharp } from "./k3csharp.ts"
import { Machine } from "../Machine.ts"

export class Engines extends Context.Service<
  Engines,
  {
    /** The engine of the settings; with `auto`, K3CSharp if a build is on disk, else the embedded one. */
    readonly pick: Effect.Effect<Engine>
    readonly named: (kind: EngineKind, why: string) => Engine
  }
>()("k3-mcp/child/Engines") {
  static readonly layer = Layer.effect(
    Engines,
    Effect.gen(function* () {
      const settings = yield* Settings
      const artifacts = yield* Artifacts
      const machine = yield* Machine
      const parts = { settings, artifacts, machine, fs: yield* FileSystem.FileSystem }

      const named = (kind: EngineKind, why: string): Engine =>
        kind === "embedded" ? embedded({ ...parts, why }) : k3csharp({ ...parts, why })

      const pick: Effect.Effect<Engine> = Effect.gen(function* () {
        if (settings.engine !== "auto") return named(settings.engine, `engine is set to ${settings.engine}`)
        const build = yield* artifacts.onDisk(buildSource(settings))
        const none = `no K3CSharp build in ${settings.buildDir} (${settings.buildDirWhy})`
        return build === null
          ? { ...named("embedded", none), missing: settings.isBuildDirGiven ? `There is ${none}: the embedded engine answers.` : undefined }
          : named("k3csharp", `a K3CSharp build is in ${settings.buildDir} (${settings.buildDirWhy})`)
      })
      return Engines.of({ pick, named })
    }),
  )
}
