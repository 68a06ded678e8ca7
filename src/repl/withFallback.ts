/** The result of `work`, or the fallback when it throws: for work of the system in which every error is the same answer. */
export const withFallback = <A, const B>(work: () => A, fallback: B): A | B => {
  try {
    return work()
  } catch {
    return fallback
  }
}
