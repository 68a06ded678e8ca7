/** Lines and numbers as a person reads them. */

export const indent = (text: string): string => text.trimEnd().replaceAll(/^/gm, "  ")
export const paragraphs = (...parts: readonly (string | undefined)[]): string => parts.filter((part) => part).join("\n")
/** Names in a text, bounded. */
export const some = (names: readonly string[], most = 20, between = ", "): string =>
  names.length <= most ? names.join(between) : `${names.slice(0, most).join(between)} and ${names.length - most} more`
/** How a process ended. */
export const howEnded = (exitCode: number | null, signal: string | null): string =>
  signal !== null ? `by signal ${signal}` : exitCode !== null ? `with exit code ${exitCode}` : "without an exit code"
export const plural = (n: number, word: string, many = `${word}s`): string => `${n} ${n === 1 ? word : many}`

/** Milliseconds as a person says them. */
export const duration = (ms: number): string => {
  // A clock that was set back makes the past lie ahead.
  if (ms < 0) return "0 ms"
  if (ms < 1000) return `${ms < 10 ? Math.round(ms * 100) / 100 : Math.round(ms)} ms`
  if (ms < 60_000) return `${Math.round(ms / 100) / 10} s`
  const minutes = Math.floor(ms / 60_000)
  const seconds = Math.floor((ms % 60_000) / 1000)
  if (minutes < 60) return `${minutes} min${seconds === 0 ? "" : ` ${seconds} s`}`
  return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? "" : ` ${minutes % 60} min`}`
}

/** Milliseconds as a number worth reading. */
export const roundMs = (ms: number): number => (ms < 10 ? Math.round(ms * 100) / 100 : Math.round(ms))

/** Bytes as a person says them. */
export const size = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 ** 2
      ? `${Math.round(bytes / 102.4) / 10} KiB`
      : `${Math.round((bytes / 1024 ** 2) * 10) / 10} MiB`

/** To the second, in UTC, as a person writes it. */
export const time = (at: number): string => new Date(at).toISOString().slice(0, 19).replace("T", " ")
