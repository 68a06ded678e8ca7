/**
 * Files and text against pandas and Python: CPU time of all threads of a running server's child, and of Python on one thread. Each turn takes
 * two new processes, one after the other, statement by statement; of all turns the least counts. The most that each process ever held is
 * its peak. Needs Linux and `python3` (`PYTHON` names another) with pandas. Usage: node bench/csv.mjs [ROWS] [TURNS] [GROUP ...]
 */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { childOf, cpuNanoseconds, ourServer, peakMB, printTable, startServer } from "./measure.mjs"

const [count = "1000000", turns = "5", ...chosen] = process.argv.slice(2)
const rows = Number(count)
const python = process.env.PYTHON ?? "python3"
if (spawnSync(python, ["-c", "import pandas"]).status !== 0) {
  console.log(`skipped: ${python} has no pandas (python3-pandas)`)
  process.exit(0)
}

const folder = mkdtempSync(join(tmpdir(), "k3-csv-"))
let seed = 7
/** A whole number below `most`, the same in each run. */
const below = (most) => {
  seed = (seed * 48271) % 2147483647
  return seed % most
}
const records = Array.from({ length: rows }, () => [`sym${below(1000)}`, (below(1e6) / 1000).toFixed(3), String(below(100_000))])
const inFile = (name, lines) => writeFileSync(join(folder, name), `${lines.join("\n")}\n`)
inFile(
  "rows.csv",
  records.map((record) => record.join(",")),
)
inFile(
  "fixed.txt",
  records.map(([s, f, i]) => s.padEnd(7) + f.padStart(8) + i.padStart(6)),
)
inFile(
  "words.txt",
  records.map(([s, f]) => `${s} costs,${f}`),
)
const size = statSync(join(folder, "rows.csv")).size

/** Statements that stand for nothing have no row of their own: name, K, Python. */
const groups = {
  csv: [
    ["read CSV", 't:("SFI";",")0:"rows.csv"', 't=pd.read_csv("rows.csv",header=None,names=["s","f","i"])'],
    [
      "weighted mean by group",
      "s:t 0;f:t 1;i:t 2;g:=s;m:(+/'(f*i)@g)%+/'i@g",
      't["w"]=t.f*t.i;g=t.groupby("s",sort=False);m=g.w.sum()/g.i.sum()',
    ],
    ["write CSV", '"out.csv"0:($s),\'",",\'($f),\'",",\'$i', 't[["s","f","i"]].to_csv("out.csv",header=False,index=False)'],
  ],
  fixed: [["read fixed widths", 't:("SFI";7 8 6)0:"fixed.txt"', 't=pd.read_fwf("fixed.txt",widths=[7,8,6],header=None)']],
  lines: [
    ["read lines", 'l:0:"rows.csv"', 'l=open("rows.csv").read().splitlines()'],
    ["write lines", '"out.txt"0:l', 'f=open("out.txt","w");f.write("\\n".join(l)+"\\n");f.close()'],
  ],
  vector: [
    ["", "v:!10000000", "v=np.arange(10000000,dtype=np.int32)"],
    ["1: writes 10^7 ints", '"v"1:v', 'np.save("v.npy",v)'],
    ["1: reads them", 'w:1:"v"', 'w=np.load("v.npy")'],
    ["5: appends them", '"v"5:v', 'f=open("v.npy","ab");f.write(v.tobytes());f.close()'],
    ["6: reads 80 MB", 'b:6:"v.l"', 'f=open("v.npy","rb");b=f.read();f.close()'],
    ["6: writes 80 MB", '"b"6:b', 'f=open("b.out","wb");f.write(b);f.close()'],
  ],
  text: [
    ["", 'w:0:"words.txt"', 'w=open("words.txt").read().splitlines()'],
    ["join", '{q:w,\\:";";q:q,\'w;0}[]', 'q=[x+";"+y for x,y in zip(w,w)]'],
    ["search", '{r:w _ss "costs";0}[]', 'r=[x.find("costs") for x in w]'],
    ["replace", '{r:_ssr[w;"costs";"is"];0}[]', 'r=[x.replace("costs","is") for x in w]'],
    // Last: verbs on single strings make a value of each string, and the list keeps the values.
    ["split", '{p:{(0,1+&x=",")_ x,","}\'w;0}[]', 'p=[x.split(",") for x in w]'],
  ],
}
const wanted = Object.keys(groups).filter((name) => chosen.length === 0 || chosen.includes(name))

const ours = async (statements) => {
  const flags = ["--engine", "embedded", "--roots", folder, "--child-memory", "4GiB", "--capture-value", "1024"]
  const server = startServer([ourServer, ...flags], { cwd: folder })
  await server.initialize()
  await server.evaluate("0")
  const child = childOf(server.pid)
  const spent = []
  for (const code of statements) {
    const before = cpuNanoseconds(child)
    const { isError, structuredContent } = await server.evaluate(`${code};`, { timeout_ms: 600_000 })
    if (isError) throw new Error(JSON.stringify(structuredContent))
    spent.push(cpuNanoseconds(child) - before)
  }
  const peak = peakMB(child)
  await server.close()
  return { spent, peak }
}

const single = Object.fromEntries(["OMP", "OPENBLAS", "MKL"].map((library) => [`${library}_NUM_THREADS`, "1"]))
const script = fileURLToPath(new URL("reference/tables.py", import.meta.url))
const theirs = async (statements) => {
  const child = spawn(python, [script, folder], { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, ...single } })
  const replies = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const spent = []
  for (const code of statements) {
    child.stdin.write(`${JSON.stringify(code)}\n`)
    const { value, done } = await replies.next()
    if (done) throw new Error(`Python ended at ${code}`)
    spent.push(Number(value))
  }
  const peak = peakMB(child.pid)
  child.stdin.end()
  return { spent, peak }
}

const least = (all) => Math.min(...all)
const shown = (nanoseconds) => (nanoseconds / 1e6).toFixed(1)
const table = [["", "K ms", "Python ms", "ratio", "K MB", "Python MB", "ratio"]]
for (const group of wanted) {
  const [own, other] = [[], []]
  for (let turn = 0; turn < Number(turns); turn++) {
    own.push(await ours(groups[group].map(([, k]) => k)))
    other.push(await theirs(groups[group].map(([, , code]) => code)))
  }
  groups[group].forEach(([name], at) => {
    const [k, reference] = [own, other].map((all) => least(all.map(({ spent }) => spent[at])))
    if (name !== "") table.push([name, shown(k), shown(reference), `${(k / reference).toFixed(2)}×`, "", "", ""])
  })
  const [k, reference] = [own, other].map((all) => least(all.map(({ peak }) => peak)))
  table.push([`${group}: peak`, "", "", "", k.toFixed(0), reference.toFixed(0), `${(k / reference).toFixed(2)}×`])
}
rmSync(folder, { recursive: true })

const versions = spawnSync(python, ["-c", "import pandas,platform;print(pandas.__version__,'Python',platform.python_version())"])
console.log(
  `${rows} rows, ${(size / 1e6).toFixed(1)} MB, least of ${turns}; node ${process.version}, pandas ${String(versions.stdout).trim()}`,
)
printTable(table)
