/**
 * Node's file system with faults. Every call is recorded. From a chosen call on all calls fail without effect, as if the process had ended there;
 * or the calls of a chosen name fail with a chosen error.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { type PlatformError, systemError } from "effect/PlatformError"

const failure = (method: string, code: string): PlatformError =>
  systemError({
    _tag: code === "EACCES" ? "PermissionDenied" : "Unknown",
    module: "FileSystem",
    method,
    cause: Object.assign(new Error(code), { code }),
  })

export class Faults {
  /** The calls, in order: `open /a/b`, `write`, `sync`, … */
  readonly calls: string[] = []
  /** The number of calls that still succeed. */
  left = Number.POSITIVE_INFINITY
  /** Called at the first call after these. */
  whenOver: () => void = () => {}
  /** If the last successful call is a write, it writes half of its data. */
  torn = false
  /** The error code of all calls with a name, or with a name and path: `rename`, `rename /a/b`. */
  readonly failing = new Map<string, string>()

  readonly layer: Layer.Layer<FileSystem.FileSystem> = Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (real) => this.wrap(real)),
  ).pipe(Layer.provide(NodeFileSystem.layer))

  private guard<A>(name: string, path: unknown, effect: Effect.Effect<A, PlatformError>, half?: Effect.Effect<A, PlatformError>) {
    return Effect.suspend(() => {
      const code = this.failing.get(name) ?? this.failing.get(`${name} ${String(path)}`)
      if (code !== undefined) return Effect.fail(failure(name, code))
      if (this.left <= 0) {
        this.whenOver()
        return Effect.fail(failure(name, "EIO"))
      }
      this.left--
      this.calls.push(typeof path === "string" ? `${name} ${path}` : name)
      return this.left === 0 && this.torn && half !== undefined ? half : effect
    })
  }

  private wrap(real: FileSystem.FileSystem): FileSystem.FileSystem {
    const counted = [
      "makeDirectory",
      "exists",
      "stat",
      "rename",
      "remove",
      "readFile",
      "readDirectory",
      "truncate",
      "realPath",
      "lstat",
    ] as const
    const wrapped = counted.map((name) => {
      const method = real[name] as unknown as (path: string, ...rest: unknown[]) => Effect.Effect<unknown, PlatformError>
      return [name, (path: string, ...rest: unknown[]) => this.guard(name, path, method(path, ...rest))] as const
    })
    return {
      ...real,
      ...Object.fromEntries(wrapped),
      open: (path, options) =>
        Effect.map(this.guard("open", path, real.open(path, options) as Effect.Effect<FileSystem.File, PlatformError>), (file) =>
          this.wrapFile(file),
        ),
    }
  }

  private wrapFile(file: FileSystem.File): FileSystem.File {
    const guard = this.guard.bind(this)
    return new Proxy(file, {
      get: (target, name) => {
        if (name === "sync") return guard("sync", undefined, target.sync)
        if (name === "writeAll")
          return (bytes: Uint8Array) =>
            guard("write", undefined, target.writeAll(bytes), target.writeAll(bytes.subarray(0, bytes.length >> 1)))
        const value = Reflect.get(target, name, target) as unknown
        return typeof value === "function" ? (value.bind(target) as unknown) : value
      },
    })
  }
}
