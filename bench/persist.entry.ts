/** The part of the server that bench/persist.mjs runs: a session on disk over a real state folder, and the number of bytes written. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { resolve as resolvePath } from "node:path"
import * as NodeLock from "../src/platform/NodeLock.ts"
import * as NodeMachine from "../src/platform/NodeMachine.ts"
import * as FolderStore from "../src/store/folder/FolderStore.ts"
import { StateFolder } from "../src/store/folder/StateFolder.ts"
import { Store } from "../src/store/Store.ts"
import { resolve, Settings } from "../src/Settings.ts"

let bytes = 0
const counting = Layer.effect(
  FileSystem.FileSystem,
  Effect.map(FileSystem.FileSystem, (real) => ({
    ...real,
    open: (path: string, options?: Parameters<typeof real.open>[1]) =>
      Effect.map(
        real.open(path, options),
        (file) =>
          new Proxy(file, {
            get: (target, name) => {
              if (name === "writeAll")
                return (part: Uint8Array) => {
                  bytes += part.length
                  return target.writeAll(part)
                }
              const value = Reflect.get(target, name, target) as unknown
              return typeof value === "function" ? (value.bind(target) as unknown) : value
            },
          }),
      ),
  })),
).pipe(Layer.provide(NodeFileSystem.layer))

/** One session on disk, in a folder that is made. */
export const open = async (folder: string) => {
  const scope = Scope.makeUnsafe()
  const sources = { cwd: folder, resolvePath, pathDelimiter: ":", flags: { "state-dir": folder }, environment: {} }
  const layer = Layer.provide(FolderStore.layer, StateFolder.layer).pipe(
    Layer.provide([
      counting,
      NodePath.layer,
      NodeLock.layer,
      NodeMachine.layer({ embeddedProgram: "" }),
      Layer.succeed(Settings, Result.getOrThrow(resolve(sources)).values),
    ]),
  )
  const store = Context.get(await Effect.runPromise(Layer.buildWithScope(layer, scope)), Store)
  const stored = await Effect.runPromise(Scope.provide(store.workspace("main", folder), scope))
  return {
    persist: (source: Parameters<typeof stored.persist>[0]) => Effect.runPromise(stored.persist(source)),
    load: () => Effect.runPromise(stored.load("embedded")),
    written: () => bytes,
    close: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  }
}
