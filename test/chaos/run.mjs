/**
 * The chaos run: three runners, two front ends, a database, and clients with a session each. Machines and the database are killed, stopped, ended
 * and started again in a random order; machines join and leave; at last all machines are replaced one by one. The run prints a table. Exit code 1
 * when an evaluation started twice or never ran though it was acknowledged, a written value is gone, an acknowledged value is gone without a
 * word, a value is wrong, a reply is missing, a machine does not end well, or a process is left.
 *
 * Usage: node test/chaos/run.mjs [SECONDS [SEED [SESSIONS]]]: 1200, a new seed and 60 by default. `K3_CHAOS_FROM`: the file of the built server, for
 * example of an older version, that the machines run until they are replaced.
 */
import { needRecentNode } from "../lib/recentNode.mjs"

needRecentNode()
const { chaos } = await import("./chaos.ts")
const { toldToEnd } = await import("../lib/localCluster.ts")
const [seconds = 1200, seed = Date.now() % 1e9, sessions = 60] = process.argv.slice(2).map(Number)
const { table, complaints } = await chaos({ seconds, seed, sessions, from: process.env.K3_CHAOS_FROM, told: toldToEnd() })
for (const [what, value] of table) console.log(`${what.padEnd(46)} ${value}`)
for (const complaint of complaints.slice(0, 100)) console.log(`NOT WELL: ${complaint}`)
// The clients of a run that was held up would go on.
process.exit(complaints.length === 0 ? 0 : 1)
