/**
 * The chaos run: three runners, two front ends, a database, and clients that work a session each, while machines and the database are killed,
 * stopped, ended and started again at random, machines join, and at last all are replaced one by one. It ends with a table; exit code 1 when
 * an evaluation was started twice, a value that was acknowledged and written is gone, one that was acknowledged is gone without a word, a
 * reply is missing, or a process is left.
 *
 * Usage: node test/chaos/run.mjs [SECONDS [SEED [SESSIONS]]]: 1200, any, 60. `K3_CHAOS_FROM`: the built server that the machines run until
 * they are replaced, when that is another version.
 */
import { needRecentNode } from "../lib/recentNode.mjs"

needRecentNode()
const { chaos } = await import("./chaos.ts")
const { toldToEnd } = await import("../lib/localCluster.ts")
const [seconds = 1200, seed = Date.now() % 1e9, sessions = 60] = process.argv.slice(2).map(Number)
const { table, complaints } = await chaos({ seconds, seed, sessions, from: process.env.K3_CHAOS_FROM, told: toldToEnd() })
for (const [what, value] of table) console.log(`${what.padEnd(46)} ${value}`)
for (const complaint of complaints.slice(0, 20)) console.log(`NOT WELL: ${complaint}`)
process.exitCode = complaints.length === 0 ? 0 : 1
