/** Loaded into a server by `node -r`: SIGUSR2 collects its garbage, so that what it takes then is what it holds. */
const { setFlagsFromString } = require("node:v8")
const { runInNewContext } = require("node:vm")

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc")
process.on("SIGUSR2", () => {
  collect()
  collect()
})
