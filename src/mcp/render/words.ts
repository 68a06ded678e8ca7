/** Lines, numbers, durations and sizes as text for people. */

export const indent = (text: string): string => text.trimEnd().replaceAll(/^/gm, "  ")
export const paragraphs = (...parts: readonly (string | undefined)[]): string => parts.filter((part) => part).join("\n")
/** At most `most` names, then the number of the others. */
export const some = (names: readonly string[], most = 20, between = ", "): string =>
  names.length <= most ? names.join(between) : `${names.slice(0, most).join(between)} and ${names.length - most} more`
/** Ascending numbers, those in a row as a range: `1 to 5, 7`. The number of ranges is limited as in `some`. */
export const ranges = (numbers: readonly number[]): string => {
  const found: [from: number, to: number][] = []
  for (const n of numbers) {
    const last = found.at(-1)
    if (last !== undefined && last[1] + 1 === n) last[1] = n
    else found.push([n, n])
  }
  return some(found.map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`)))
}
/** How a process ended. */
export const howEnded = (exitCode: number | null, signal: string | null): string =>
  signal !== null ? `by signal ${signal}` : exitCode !== null ? `with exit code ${exitCode}` : "without an exit code"
export const plural = (n: number, word: string, many = `${word}s`): string => `${n} ${n === 1 ? word : many}`

/** Milliseconds as text: `12 ms`, `3.4 s`, `2 min 5 s`. */
export const duration = (ms: number): string => {
  // The clock may have been set back.
  if (ms < 0) return "0 ms"
  if (ms < 1000) return `${roundMs(ms)} ms`
  if (ms < 60_000) return `${Math.round(ms / 100) / 10} s`
  const minutes = Math.floor(ms / 60_000)
  const seconds = Math.floor((ms % 60_000) / 1000)
  if (minutes < 60) return `${minutes} min${seconds === 0 ? "" : ` ${seconds} s`}`
  return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? "" : ` ${minutes % 60} min`}`
}

/** Milliseconds rounded: to two decimals below 10, else to a whole number. */
export const roundMs = (ms: number): number => (ms < 10 ? Math.round(ms * 100) / 100 : Math.round(ms))

/** Bytes as text: `12 B`, `3.4 KiB`, `5.6 MiB`. */
export const size = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 ** 2
      ? `${Math.round(bytes / 102.4) / 10} KiB`
      : `${Math.round((bytes / 1024 ** 2) * 10) / 10} MiB`

export const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`

/** A time in ms since 1970 as `2026-01-31 12:00:00`, in UTC. */
export const time = (at: number): string => new Date(at).toISOString().slice(0, 19).replace("T", " ")
