/**
 * `npm run cluster`: three runners, two front ends and a PostgreSQL on this machine, for a real MCP client over HTTP, until Ctrl-C. Nothing
 * of it outlives that. Usage: node test/cluster.mjs [PORT]: of the first front end, 7333 unless named; the second has the next one.
 */
import { needRecentNode } from "./lib/recentNode.mjs"

needRecentNode()
const { LocalCluster, toldToEnd } = await import("./lib/localCluster.ts")
const { isInstalled } = await import("./lib/postgres.ts")

if (!isInstalled) {
  console.error("PostgreSQL is not installed: apt-get install postgresql")
  process.exit(2)
}
const port = Number(process.argv[2] ?? 7333)
const told = toldToEnd()
const cluster = await LocalCluster.start()
try {
  const ports = port === 0 ? [0, 0] : [port, port + 1]
  const machines = [
    ...(await Promise.all([cluster.runner(), cluster.runner(), cluster.runner()])),
    ...(await Promise.all(ports.map((each) => cluster.front(each)))),
  ]
  for (const { role, address, process: child } of machines) console.log(`${role.padEnd(8)} ${address} (pid ${child.pid})`)
  console.log(`database 127.0.0.1:${cluster.postgres.port}`)
  console.log(`token    ${cluster.tokenFile}`)
  console.log(`folder   ${cluster.shared} (K reads and writes there; logs/ has what each machine says)`)
  console.log("Ready. Ctrl-C ends all of it and removes the folder.")
  await told
} finally {
  await cluster.end()
}
