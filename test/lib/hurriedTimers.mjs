/** For `node --import`: timers of 30 s end after a tenth of a second, and say so on standard error. Effect Cluster looks for idle entities so often. */
const real = setTimeout
globalThis.setTimeout = (run, ms, ...given) => {
  if (ms !== 30_000) return real(run, ms, ...given)
  return real(() => {
    run(...given)
    process.stderr.write("30 s are over\n")
  }, 100)
}
