/**
 * A stand-in for the program of a K3CSharp build, which misbehaves on request. Started as `K3CSharp --mcp`; `launch.txt` beside it says how it
 * starts. It knows `x: V`, `x`, sums, and `fault NAME`, and answers the server's own requests as K3CSharp would.
 */
import { spawn } from "node:child_process"
import { existsSync, readFileSync, writeSync } from "node:fs"
import { fileURLToPath } from "node:url"

const beside = (name) => fileURLToPath(new URL(name, import.meta.url))
const launch = existsSync(beside("launch.txt")) ? readFileSync(beside("launch.txt"), "utf8").trim() : ""

const out = (bytes) => {
  for (let rest = Buffer.from(bytes, "latin1"); rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      if (error.code !== "EAGAIN") process.exit(0)
    }
  }
}
const reply = (text) => out(`${text}\x01\x02`)
const forever = () => setInterval(() => {}, 1 << 30)

const values = new Map()
const faults = {
  exit: () => process.exit(3),
  "exit after half a reply": () => {
    out("half")
    process.exit(4)
  },
  "die by a signal": () => process.kill(process.pid, "SIGSEGV"),
  "half a sentinel": () => out("begun\x01"),
  "half a sentinel, then the rest of a reply": () => {
    out("a\x01")
    setTimeout(() => reply("b"), 20)
  },
  "sentinel in two writes": () => {
    out("split\x01")
    setTimeout(() => out("\x02"), 20)
  },
  "a sentinel too many": () => {
    reply("one")
    setTimeout(() => reply("two"), 20)
  },
  "01 02 inside data": () => reply("left\x01\x02right"),
  "close stdout": () => {
    process.stdout.destroy()
    forever()
  },
  "close stdin": () => {
    process.stdin.destroy()
    reply("closed")
    forever()
  },
  "ignore SIGTERM": () => {
    process.on("SIGTERM", () => {})
    process.on("SIGINT", () => {})
    forever()
  },
  "grandchild keeps the pipe": () => {
    // A pid inside a fence means nothing outside, so an argument identifies the process.
    const mark = `heir-${process.pid}-${Date.now()}`
    spawn(process.execPath, ["-e", "setInterval(() => {}, 1 << 30)", mark], { stdio: "inherit" })
    writeSync(2, mark)
    process.exit(5)
  },
  "flood stdout": () => {
    const block = "y".repeat(1 << 16)
    for (;;) out(block)
  },
  "flood stdout and end": () => {
    const block = "y".repeat(1 << 16)
    for (let n = 0; n < 512; n++) out(block)
    reply("")
  },
  "flood stderr": () => {
    const block = "e".repeat(1 << 16)
    for (let n = 0; n < 512; n++) writeSync(2, block)
    reply("well")
  },
  "invalid UTF-8": () => reply("a\xff\xfe\xc0b"),
  "nothing at all": () => forever(),
  stop: () => process.kill(process.pid, "SIGSTOP"),
}

const answer = (line) => {
  const fault = /^fault (.*)$/.exec(line)?.[1]
  if (fault !== undefined) return faults[fault] === undefined ? reply("Error: no such fault") : faults[fault]()
  const assignment = /^(?:\.k\.)?(\w+):\s*(.*)$/.exec(line)
  if (assignment !== null) {
    const [, name, value] = assignment
    const image = /^_db _ci (.*?);?$/.exec(value)?.[1]
    const given = image === undefined ? value : String.fromCharCode(...image.split(" ").map(Number))
    if (given.includes("poison") && launch === "dies of poison") process.exit(6)
    values.set(name, given)
    return reply("")
  }
  const sum = /^(\d+)\+(\d+)$/.exec(line)
  if (sum !== null) return reply(String(Number(sum[1]) + Number(sum[2])))
  if (/^\d+$/.test(line)) return reply(line)
  if (line === "!`") return reply("`k")
  if (line === "!`.k") return reply([...values.keys()].map((name) => `\`${name}`).join(" "))
  const facts = /^\(4:\.k\.(\w+);/.exec(line)?.[1]
  if (facts !== undefined) return reply("(1;!0;1)")
  // Any encoding will do: the image comes back unchanged.
  const image = /^_ic _bd \.k\.(\w+)$/.exec(line)?.[1]
  if (image !== undefined && values.has(image)) return reply([...values.get(image)].map((letter) => letter.charCodeAt(0)).join(" "))
  const name = /^(?:\.k\.)?(\w+)$/.exec(line)?.[1]
  if (name !== undefined && values.has(name)) return reply(values.get(name))
  if (line.startsWith("\\")) return reply({ "\\p": "7", "\\r": "0", "\\d": ".k", "\\cd": process.cwd() }[line.trim()] ?? "")
  return reply("Error: value error")
}

const listen = () => {
  let held = ""
  process.stdin.setEncoding("latin1").on("data", (chunk) => {
    held += chunk
    for (let end = held.indexOf("\n"); end >= 0; end = held.indexOf("\n")) {
      const line = held.slice(0, end)
      held = held.slice(end + 1)
      answer(line)
    }
  })
  process.stdin.on("end", () => process.exit(0))
}

if (launch === "exits at once") {
  writeSync(2, "the runtime is not there\n")
  process.exit(131)
} else if (launch === "never ready") forever()
else if (launch === "half ready") {
  out("\x01")
  forever()
} else {
  listen()
  reply("")
}
