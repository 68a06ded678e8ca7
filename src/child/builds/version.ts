/** The version that a file of a build names. Guarantees: null when the file is not there, or names none. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"

export const versionIn = (fs: FileSystem.FileSystem, file: string, pattern: RegExp): Effect.Effect<string | null> =>
  fs.readFileString(file).pipe(
    Effect.map((text) => pattern.exec(text)?.[1] ?? null),
    Effect.orElseSucceed(() => null),
  )
