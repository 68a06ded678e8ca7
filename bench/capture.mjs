/**
 * A capture of the embedded engine with 100,000 variables, by the number of them that changed, and with one large vector. The reference is
 * the empty answer of the same child. Usage: node bench/capture.mjs
 */
import { embedded, median, ms, printTable, ratio, startChild, time } from "./measure.mjs"

const turns = 21
const child = startChild([process.execPath, embedded, "--mcp"])
await child.ready

let since = 0
const capture = async () => {
  for (;;) {
    const limits = { value: 2 ** 30, total: 2 ** 20, soon: 2 ** 30 }
    const answer = JSON.parse(await child.evaluate(`\x05${JSON.stringify({ op: "capture", since, limits })}`))
    since = answer.serial
    if (!answer.more) return
  }
}
/** Median ms of a capture after `code` was evaluated. */
const after = async (code) => {
  const times = []
  for (let turn = 0; turn < turns; turn++) {
    await child.evaluate(code(turn))
    times.push(await time(capture))
  }
  return median(times)
}

await capture()
const empty = await after((turn) => `0*${turn}`)
const rows = [["nothing held", empty]]
await child.evaluate(`.:'"v",/:($!100000),\\:":1";0`)
rows.push(["first capture of 100,000 variables", await time(capture)])
rows.push(["100,000 held, none changed", await after((turn) => `0*${turn}`)])
rows.push(["100,000 held, 1 changed", await after((turn) => `v7:${turn}`)])
rows.push(["100,000 held, 100 changed", await after((turn) => `.:'"v",/:($!100),\\:":${turn + 2}";0`)])
await child.evaluate("a:!1000000;0")
rows.push(["and one item of 1,000,000 ints", await after((turn) => `a[${turn}]:-1;0`)])
await child.close()

console.log(`\ncapture of the embedded engine, node ${process.version}, median of ${turns}`)
printTable([["", "ms", "to nothing held"], ...rows.map(([name, took]) => [name, ms(took), ratio(took, empty)])])
