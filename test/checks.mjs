/**
 * The checks before the tests of `npm test`: types beside lint, format and build, since neither of the two uses two processors all the time.
 *
 * Guarantees: runs both to their ends, prints the output of each in one piece, names the one that failed, and then fails. Does not: run tests.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"

const check = async (commands) => {
  const child = spawn(`(${commands}) 2>&1`, { shell: true, stdio: ["ignore", "pipe", "inherit"] })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")])
  console.log(output)
  if (code === 0) return
  console.log(`FAILED: ${commands}`)
  process.exitCode = 1
}

await Promise.all(["npm run types", "npm run lint && npm run format -- --check && npm run build"].map(check))
