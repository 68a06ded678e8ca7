/**
 * `k_plot` of every mark: the first plot of a server, with the launch of the drawing process, and later ones. The reference is a `k_eval` that
 * makes the same value's image (`_bd`, in the child alone) in the same turn. CPU time of all processes stands beside wall time: the difference is
 * waiting. Linux. Usage: node bench/plot.mjs [RUNS]
 */
import { loadavg } from "node:os"
import { cpuNanoseconds, descendants, engines, median, ms, ourServer, printTable, ratio, startServer, time } from "./measure.mjs"

const runs = Number(process.argv[2] ?? 5)

const prepare =
  "y:+\\-0.5+100000 _draw 0;h:10000000 _draw 0;sx:10000 _draw 0;sy:10000 _draw 0;bx:1000000 _draw 0;by:1000000 _draw 0;m:300 300#90000 _draw 0"
const small = "y:+\\-0.5+100000 _draw 0;h:1000000 _draw 0;sx:10000 _draw 0;sy:10000 _draw 0;m:300 300#90000 _draw 0"
const pictures = [
  ["line, 10^5", "y", "line"],
  ["histogram, 10^7", "h", "histogram"],
  ["points, 10^4", "(sx;sy)", "point"],
  ["density, 10^6", "(bx;by)", "point"],
  ["bars, 50", "50#y", "bar"],
  ["heatmap, 300 by 300", "m", "heatmap"],
]
/** K3CSharp prints an image as text, which takes it a second for a million numbers. */
const ofK3CSharp = pictures
  .filter(([what]) => what !== "density, 10^6")
  .map(([what, code, mark]) => [what.replace("10^7", "10^6"), code, mark])

/** Of all processes of a server, ms. */
const cpu = (pid) => descendants(pid).reduce((sum, each) => sum + cpuNanoseconds(each), cpuNanoseconds(pid)) / 1e6

for (const { name, flags } of engines) {
  const begin = async () => {
    const server = startServer([ourServer, ...flags])
    await server.initialize()
    await server.evaluate(name === "embedded" ? prepare : small)
    return server
  }
  const plotted = async (server, code, mark) => {
    const { ok } = await server.call("k_plot", { code, mark, timeout_ms: 120_000 })
    if (ok !== true) throw new Error(`no picture of ${code}`)
  }
  const rows = [["", "first, ms", "later, ms", "CPU, ms", "image, ms", "later, of the image"]]
  for (const [what, code, mark] of name === "embedded" ? pictures : ofK3CSharp) {
    const server = await begin()
    const first = await time(() => plotted(server, code, mark))
    const of = { later: [], image: [], cpu: [] }
    for (let run = 0; run < runs; run++) {
      of.image.push(await time(() => server.evaluate(`#_bd ${code}`)))
      const before = cpu(server.pid)
      of.later.push(await time(() => plotted(server, code, mark)))
      of.cpu.push(cpu(server.pid) - before)
    }
    await server.close()
    rows.push([what, ms(first), ms(median(of.later)), ms(median(of.cpu)), ms(median(of.image)), ratio(median(of.later), median(of.image))])
  }
  console.log(`\nk_plot on ${name}, node ${process.version}, median of ${runs}; load ${loadavg()[0].toFixed(1)}`)
  printTable(rows)
}
