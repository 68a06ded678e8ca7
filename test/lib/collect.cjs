/** For `node -r` of a server: SIGUSR2 collects its garbage, so that a test measures only memory in use. */
const { setFlagsFromString } = require("node:v8")
const { runInNewContext } = require("node:vm")

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc")
process.on("SIGUSR2", () => {
  collect()
  collect()
})
