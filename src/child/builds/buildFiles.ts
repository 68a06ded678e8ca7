/**
 * The files of a build on disk, and the MD5 hashes that name it. `hash` covers the main file only, `content` all files but debugger symbols.
 *
 * Guarantees: files are hashed again only when the size, time or inode of one has changed. Does not: notice a build that is being written
 * (`Artifact.ts` does, by hashing twice).
 */
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"

export interface BuildSource {
  readonly folder: string
  /** The file, relative to the folder, whose MD5 names the build. */
  readonly main: string
  /** The main file is the whole build; other files of the folder do not belong to it. */
  readonly mainOnly: boolean
}

export interface Build {
  /** MD5 of the main file, hexadecimal. */
  readonly hash: string
  /** MD5 over the names and contents of all files but symbols (`.pdb`). */
  readonly content: string
}

/** How many files are looked at at once. */
const concurrency = 8

export const make = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const digest = yield* Digest.Digest
  const lastRead = new Map<string, { readonly signature: string; readonly build: Build }>()

  const md5 = (bytes: Uint8Array) => digest.digestHex(Digest.md5, bytes)
  const statOf = ({ folder }: BuildSource, name: string) => fs.stat(path.join(folder, name))

  const filesOf = Effect.fnUntraced(function* (source: BuildSource) {
    if (source.mainOnly) return [source.main]
    const all = yield* fs.readDirectory(source.folder, { recursive: true })
    // A name that leads nowhere is no file of the build, such as an editor's lock, which is a dangling link.
    const isFile = (name: string) =>
      statOf(source, name).pipe(
        Effect.map(({ type }) => type === "File"),
        Effect.catchIf(
          ({ reason }) => reason._tag === "NotFound",
          () => Effect.succeed(false),
        ),
      )
    const areFiles = yield* Effect.forEach(all, isFile, { concurrency })
    return all.filter((_, i) => areFiles[i]).sort()
  })

  const signatureOf = (source: BuildSource, files: readonly string[]) =>
    Effect.map(
      Effect.forEach(files, (name) => statOf(source, name), { concurrency }),
      (infos) =>
        infos
          .map(({ size, mtime, ino }, i) => `${files[i]} ${size} ${Option.getOrUndefined(mtime)?.getTime()} ${Option.getOrUndefined(ino)}`)
          .join("\n"),
    )

  const hash = Effect.fnUntraced(function* ({ folder, main }: BuildSource, files: readonly string[]) {
    const hashes = yield* Effect.forEach(files, (name) => Effect.flatMap(fs.readFile(path.join(folder, name)), md5))
    const content = yield* md5(
      new TextEncoder().encode(files.flatMap((name, i) => (name.endsWith(".pdb") ? [] : [`${name} ${hashes[i]}`])).join("\n")),
    )
    return { hash: hashes[files.indexOf(main)] ?? "", content }
  })

  const onDisk = Effect.fnUntraced(
    function* (source: BuildSource) {
      const files = yield* filesOf(source)
      if (!files.includes(source.main)) return null
      const key = path.join(source.folder, source.main)
      const signature = yield* signatureOf(source, files)
      const last = lastRead.get(key)
      if (last?.signature === signature) return last.build
      const build = yield* hash(source, files)
      lastRead.set(key, { signature, build })
      return build
    },
    Effect.orElseSucceed(() => null),
  )

  return {
    /** Paths of the build's files, relative to its folder, sorted. */
    filesOf,
    hash,
    /** Null when the main file is missing or unreadable. */
    onDisk,
  }
})
