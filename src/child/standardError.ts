/**
 * Shortens stack traces in the standard error of an interpreter: each keeps its first `shownPlaces` places, also one that was cut in the middle,
 * of which the number of places is not known.
 */

import { cutMark } from "./Process.ts"

const shownPlaces = 3
const place = /^\s+at /

export const shortStack = (stderr: string): string => {
  const lines: string[] = []
  let places = 0
  let isCut = false
  const leave = (): void => {
    if (places > shownPlaces) lines.push(`   … and ${isCut ? "" : `${places - shownPlaces} `}more places`)
    places = 0
    isCut = false
  }
  for (const line of stderr.trim().split("\n")) {
    const isHole = places > 0 && line === cutMark
    isCut ||= isHole
    if (!isHole && !place.test(line)) leave()
    else if (++places > shownPlaces) continue
    lines.push(line)
  }
  leave()
  return lines.join("\n")
}
