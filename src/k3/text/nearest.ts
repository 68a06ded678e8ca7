/**
 * Finds the word that was probably meant: at most two wrong letters, one in a short word. Two swapped neighbours count as one wrong letter, since
 * that slip is the most common; packages for edit distances count two.
 */

/** Candidates that are compared. */
const MOST = 5000

/** The edit distance of two words, swapped neighbours counting one. Above `most` the result is only some number above `most`. */
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

export const nearest = (word: string, candidates: readonly string[]): string | undefined => {
  if (word.length > 40) return undefined
  const most = word.length < 3 ? 0 : word.length < 6 ? 1 : 2
  const others = candidates.slice(0, MOST).filter((candidate) => candidate !== word)
  const measured = others.map((candidate) => ({ candidate, wrong: distance(word, candidate, most) }))
  return measured.filter(({ wrong }) => wrong <= most).toSorted((a, b) => a.wrong - b.wrong)[0]?.candidate
}

/** The word that was probably meant by a wrong one, for the end of a clause about it; empty when none is near. */
export const meant = (wrong: string, right: readonly string[], prefix = ""): string => {
  const near = nearest(wrong, right)
  return near === undefined ? "" : ` (did you mean ${prefix}${near}?)`
}
