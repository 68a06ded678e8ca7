/**
 * Shortens stack traces in the standard error of an interpreter: each keeps its first `shownPlaces` places, also a trace that was cut in the middle,
 * of which the number of places is not known.
 */

import { cutMark } from "./Process.ts"

const shownPlaces = 3
/** The lines of a stack trace. The end of the text or another line follows. */
const trace = new RegExp(String.raw`(?<=\n)[^\S\n]+at [^\n]*(?:\n(?:[^\S\n]+at [^\n]*|${cutMark}(?=\n|$)))*`, "g")

const shortened = (all: string): string => {
  const places = all.split("\n")
  const more = places.length - shownPlaces
  if (more <= 0) return all
  const known = places.includes(cutMark) ? "" : `${more} `
  return [...places.slice(0, shownPlaces), `   … and ${known}more places`].join("\n")
}

export const shortStack = (stderr: string): string => stderr.trim().replaceAll(trace, shortened)
