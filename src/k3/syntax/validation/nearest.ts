/**
 * The word that was probably meant: at most two letters wrong, one in a short word. Two neighbours that are swapped are one wrong letter,
 * since that slip is the most common one; the packages for edit distances count two.
 */

/** Candidates that are looked at. */
const MOST = 5000

/** Edits that make one of the other, swapped neighbours counting one; above `most` it is only known to be above. */
const distance = (a: string, b: string, most: number): number => {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) next[j] = Math.min(next[j]!, before[j - 2]! + 1)
    }
    before = row
    row = next
  }
  return row[b.length]!
}

export const nearest = (word: string, candidates: Iterable<string>): string | undefined => {
  if (word.length > 40) return undefined
  let least = word.length < 3 ? 0 : word.length < 6 ? 1 : 2
  let found: string | undefined
  let seen = 0
  for (const candidate of candidates) {
    if (++seen > MOST) break
    if (candidate === word) continue
    const d = distance(word, candidate, least)
    if (d > least || (found !== undefined && d === least)) continue
    least = d
    found = candidate
  }
  return found
}
