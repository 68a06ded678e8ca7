/** Finds the version of a build in one of its files. Null when the file is missing or has no version. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"

export const versionIn = (fs: FileSystem.FileSystem, file: string, pattern: RegExp): Effect.Effect<string | null> =>
  fs.readFileString(file).pipe(
    Effect.map((text) => pattern.exec(text)?.[1] ?? null),
    Effect.orElseSucceed(() => null),
  )
