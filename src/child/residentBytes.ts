/** Reads the resident memory of a process (Linux only). */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"

/** Resident bytes of a process; null when the system does not tell. */
export const makeResidentBytes = Effect.map(
  FileSystem.FileSystem,
  (fs) =>
    (pid: number): Effect.Effect<number | null> =>
      fs.readFileString(`/proc/${pid}/status`).pipe(
        Effect.map((text) => {
          const kB = /VmRSS:\s+(\d+) kB/.exec(text)?.[1]
          return kB === undefined ? null : Number(kB) * 1024
        }),
        Effect.orElseSucceed(() => null),
      ),
)
