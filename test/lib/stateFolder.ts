/** A state folder for a test, over Node's file system or one with faults. */
import * as NodePath from "@effect/platform-node/NodePath"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import { rmSync } from "node:fs"
import * as NodeLock from "../../src/platform/NodeLock.ts"
import * as NodeMachine from "../../src/platform/NodeMachine.ts"
import * as FolderStore from "../../src/store/folder/FolderStore.ts"
import { StateFolder } from "../../src/store/folder/StateFolder.ts"
import type { Store } from "../../src/store/Store.ts"
import { Settings } from "../../src/Settings.ts"
import { Faults } from "./faultyFileSystem.ts"
import { makeScratch } from "./scratchFolder.ts"
import { embeddedProgram, settings } from "./sessionLayers.ts"

/** A folder that is removed when the scope closes. */
export const scratch: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(Effect.sync(makeScratch), (folder) =>
  Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
)

export const stateFolder = (stateDir: string | null, faults = new Faults(), lock = NodeLock.layer): Layer.Layer<Store | StateFolder> =>
  Layer.fresh(Layer.provideMerge(FolderStore.layer, StateFolder.layer)).pipe(
    Layer.provide([
      faults.layer,
      NodePath.layer,
      lock,
      NodeMachine.layer({ embeddedProgram }),
      Layer.succeed(Settings, settings({ stateDir })),
      Logger.layer([]),
    ]),
  )

/** Runs an effect as a server: over a new store on the folder, which is closed at the end. */
export const asServer =
  (stateDir: string | null, faults?: Faults) =>
  <A, E>(effect: Effect.Effect<A, E, Store | StateFolder | Scope.Scope>): Effect.Effect<A, E> =>
    Effect.provide(Effect.scoped(effect), stateFolder(stateDir, faults))
