/**
 * The wait for an interrupt in the middle of loops that make large results anew: on 500,000 small vectors, where it waits for the collection of
 * garbage, and on 5,000,000 numbers. The goal is 50 ms. Beside it, the wait of the machine itself: bare Node fills 16 MB of fresh memory.
 * Usage: node bench/interrupt.mjs [TIMES] [LOOP ...]
 */
import { spawn } from "node:child_process"
import { embedded } from "./measure.mjs"

const [times = "10", ...chosen] = process.argv.slice(2)
const GOAL = 50

// prettier-ignore
const small = [
  "|:'x", "$x", "{x,1}'x", "x,'1", "x,'x", "x+1", "x=x", "-':x", "x@<x", "<x", "?x", "=x", "+x", ",/x", "(,/x),/:1 2", "x?\\:1 2", "5:x",
  "(2*!500000)_!1000000", "500000 2#!1000000", "!100 100 10", "{{x,1}'x}'500#,!1000", "{x,y}\\!3000", "@[x;!500000;+;1]",
  "0$'$!500000", ".:'$!100000", "`$'$!500000", "{(x;$x;`a)}'!300000", "{_ssr[x;\"1\";\"22\"]}'$!100000", ".+(`$$!100000;!100000)",
]
const large = ["n+n", "<n", "f@<f", "$n", "5:n", "+/n", "+\\n", "?n", "=n", "n?/:n", "{x+1}'n", "_bd n", "|n", "n _lin n", "<s"]
const setting = ["x:{x,x+1}'!500000", "n:(!5000000)!100003;f:0.5*n;s:200000#`abc`de`f"]

const child = spawn(process.execPath, [embedded, "--mcp", "--memory", "3000000000"], { stdio: ["pipe", "pipe", "inherit"] })
let answered
child.stdout.on("data", (data) => {
  if (data.at(-1) === 2) answered(performance.now())
})
const answer = () => new Promise((resolve) => (answered = resolve))
const send = (text) => {
  const at = answer()
  child.stdin.write(text)
  return at
}
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Milliseconds from the interrupt, at any time of the loop, to the prompt. */
const wait = async (loop) => {
  const prompt = send(`do[1000;y:${loop}]\n`)
  await pause(100 + 1000 * Math.random())
  const begun = performance.now()
  child.stdin.write("\x03")
  return (await prompt) - begun
}

const sorted = (all) => all.toSorted((a, b) => a - b)
const told = (name, all) => {
  const waits = sorted(all)
  const ms = (value) => value.toFixed(0).padStart(5)
  console.log(`${name.padEnd(34)} middle ${ms(waits[waits.length >> 1])} ms, worst ${ms(waits.at(-1))} ms`)
}

await answer()
for (const line of setting) await send(`${line}\n`)
const every = []
for (const loop of chosen.length > 0 ? chosen : [...small, ...large]) {
  const waits = []
  for (let i = 0; i < Number(times); i++) waits.push(await wait(loop))
  every.push(...waits)
  told(loop, waits)
}
child.stdin.end()

const fills = []
const kept = []
for (let i = 0; i < 60; i++) {
  const begun = performance.now()
  kept.push(Buffer.alloc(16 * 1024 ** 2, 1))
  fills.push(performance.now() - begun)
}
told("all", every)
told("16 MB of fresh memory, bare Node", fills)
console.log(`${every.filter((each) => each <= GOAL).length} of ${every.length} within ${GOAL} ms`)
