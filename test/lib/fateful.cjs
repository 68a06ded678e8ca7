/**
 * For `node --require` of a server: simulates faults of the machine. `FATE` names a file, which is read at each use: `clock N` sets the wall clock
 * N milliseconds ahead, `spawn CODE` makes the system refuse new processes with that error.
 */
const { readFileSync } = require("node:fs")

const fate = (what) => {
  try {
    return new RegExp(`^${what} (\\S+)$`, "m").exec(readFileSync(process.env.FATE, "utf8"))?.[1]
  } catch {
    return undefined
  }
}

const { now } = Date
Date.now = () => now() + Number(fate("clock") ?? 0)
const RealDate = Date
globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, self) => Reflect.construct(target, given.length === 0 ? [target.now()] : given, self),
})

const errors = { EAGAIN: -11, EMFILE: -24, ENOMEM: -12 }
const { Process } = process.binding("process_wrap")
const { spawn } = Process.prototype
/** The file is the first argument from Node 24 on, and a field of it before. */
Process.prototype.spawn = function (file, ...rest) {
  const code = fate("spawn")
  if (code === undefined) return spawn.call(this, file, ...rest)
  // A real failure, so that pipes are as they are then.
  spawn.call(this, typeof file === "string" ? "/nonexistent" : { ...file, file: "/nonexistent" }, ...rest)
  return errors[code]
}
