/** Shortens stack traces in the standard error of an interpreter: each keeps its first `shownPlaces` places. */

const shownPlaces = 3
const place = /^\s+at /

export const shortStack = (stderr: string): string => {
  const lines: string[] = []
  let places = 0
  const leave = (): void => {
    if (places > shownPlaces) lines.push(`   … and ${places - shownPlaces} more places`)
    places = 0
  }
  for (const line of stderr.trim().split("\n")) {
    if (!place.test(line)) leave()
    else if (++places > shownPlaces) continue
    lines.push(line)
  }
  leave()
  return lines.join("\n")
}
