#!/usr/bin/env node
/**
 * A toy interpreter for tests without .NET: csharp/Program.cs as a script, copied under the name `K3CSharp`. The text of the file `K3CSharp.dll`
 * beside it sets its behaviour: `times N` is added to every product, `sum N` to every sum, `die` ends it at once with a word on standard error,
 * `mute` never gets ready, `shy` dies when a variable is assigned.
 */
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"

const build = readFileSync(new URL("K3CSharp.dll", import.meta.url), "utf8")
const extra = (word) => Number(new RegExp(`${word} (\\d+)`).exec(build)?.[1] ?? 0)
if (build.includes("die")) {
  process.stderr.write("it was built to die\n")
  process.exit(3)
}
const variables = new Map()
const value = (text) => {
  const at = text.search(/[+*]/)
  if (at >= 0) {
    const [left, right] = [value(text.slice(0, at)), value(text.slice(at + 1))]
    return text[at] === "+" ? left + right + extra("sum") : left * right + extra("times")
  }
  if (/^\d+$/.test(text)) return Number(text)
  const name = text.replace(".k.", "")
  if (!variables.has(name)) throw new Error(`Undefined variable: ${name}`)
  return variables.get(name)
}
const assign = (name, to) => {
  variables.set(name, to)
  return ""
}
const answers = { "": "", "!`": "`k`t", "\\p": "7\n", "\\r": "-314159\n", "\\d": ".k\n", "\\cd": "/\n" }
const run = (line) => {
  if (line in answers) return answers[line]
  if (line.startsWith("\\")) return ""
  if (line === "!`.k") return [...variables.keys()].map((name) => `\`${name}`).join("")
  if (line === "loop") for (;;);
  const [, exit] = /^exit (\d+)$/.exec(line) ?? []
  if (exit !== undefined) process.exit(Number(exit))
  if (line.startsWith("(4:.k.")) return "(1;!0;1)"
  const [, imaged] = /^_ic _bd \.k\.(\w+)$/.exec(line) ?? []
  if (imaged !== undefined) return String(variables.get(imaged))
  const [, given, image] = /^\.k\.(\w+):_db _ci (\d+);$/.exec(line) ?? []
  if (given !== undefined && build.includes("shy")) process.exit(9)
  if (given !== undefined) return assign(given, Number(image))
  const [, name, code] = /^(\w+):(.+)$/.exec(line) ?? []
  return name === undefined ? String(value(line)) : assign(name, value(code))
}
if (build.includes("mute")) process.stdin.resume()
else {
  process.stdout.write("\x01\x02")
  createInterface({ input: process.stdin }).on("line", (line) => {
    let printed
    try {
      printed = run(line.trim())
    } catch (error) {
      printed = `Error: ${error.message}`
    }
    process.stdout.write(`${printed}\x01\x02`)
  })
}
