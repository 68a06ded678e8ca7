/** For `node --import`: each SIGUSR2 moves the wall clock by a day, forward and back by turns. The monotonic clock does not change. */
const day = 86_400_000
const real = Date
let offset = 0
process.on("SIGUSR2", () => {
  offset = offset === 0 ? day : offset > 0 ? -day : 0
  process.stderr.write(`the clock is moved by ${offset} ms\n`)
})
globalThis.Date = class extends real {
  constructor(...given) {
    if (given.length === 0) super(real.now() + offset)
    else super(...given)
  }
  static now() {
    return real.now() + offset
  }
}
