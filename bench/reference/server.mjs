/**
 * The floor to measure against: a hand-written MCP server with no library, one tool and one child, no deadline, no supervision.
 * Usage: node server.mjs COMMAND [ARGUMENT …] — the child to ask, started on the first evaluation.
 */
import { spawn } from "node:child_process"

const [command, ...args] = process.argv.slice(2)
const waiting = []
let child
let held = ""

const ask = (code, done) => {
  if (child === undefined) {
    child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] })
    let ready = false
    child.stdout.setEncoding("latin1").on("data", (chunk) => {
      held += chunk
      for (let end = held.indexOf("\x01\x02"); end >= 0; end = held.indexOf("\x01\x02")) {
        const reply = held.slice(0, end)
        held = held.slice(end + 2)
        if (ready) waiting.shift()(reply)
        ready = true
      }
    })
  }
  waiting.push(done)
  child.stdin.write(`${code}\n`)
}

const send = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`)

const answer = {
  initialize: ({ id, params }) =>
    send(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "floor", version: "0" } }),
  "tools/call": ({ id, params }) =>
    ask(params.arguments.code, (reply) =>
      send(id, { content: [{ type: "text", text: reply }], structuredContent: { output: reply, ok: true, generation: 1 } }),
    ),
}

let input = ""
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  input += chunk
  for (let end = input.indexOf("\n"); end >= 0; end = input.indexOf("\n")) {
    const message = JSON.parse(input.slice(0, end))
    input = input.slice(end + 1)
    answer[message.method]?.(message)
  }
})
process.stdin.on("end", () => {
  child?.stdin.end()
  process.exit(0)
})
