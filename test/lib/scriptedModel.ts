/**
 * A scripted model for the real Claude Code: an HTTP server that answers each request with the tool call that a test chooses. It implements
 * `POST /v1/messages` with streaming, as far as Claude Code uses it.
 */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

interface ModelCall {
  readonly name: string
  readonly input: object
}

/** The next call, from the results so far; undefined ends the conversation. */
export type Script = (results: readonly string[]) => Promise<ModelCall | undefined>

interface Asked {
  readonly tools?: readonly unknown[]
  readonly messages: readonly { readonly content: string | readonly { readonly type: string; readonly content?: unknown }[] }[]
}

const resultsIn = ({ messages }: Asked): readonly string[] =>
  messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content
          .filter(({ type }) => type === "tool_result")
          .map((each) => (typeof each.content === "string" ? each.content : JSON.stringify(each.content))),
  )

const stream = (to: ServerResponse, call: ModelCall | undefined, n: number): void => {
  const event = (type: string, fields: object): void => void to.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
  const usage = { input_tokens: 1, output_tokens: 1 }
  to.writeHead(200, { "content-type": "text/event-stream" })
  event("message_start", { message: { id: `m${n}`, type: "message", role: "assistant", model: "scripted", content: [], usage } })
  const block = call === undefined ? { type: "text", text: "" } : { type: "tool_use", id: `call${n}`, name: call.name, input: {} }
  event("content_block_start", { index: 0, content_block: block })
  const delta =
    call === undefined ? { type: "text_delta", text: "done" } : { type: "input_json_delta", partial_json: JSON.stringify(call.input) }
  event("content_block_delta", { index: 0, delta })
  event("content_block_stop", { index: 0 })
  event("message_delta", { delta: { stop_reason: call === undefined ? "end_turn" : "tool_use" }, usage })
  event("message_stop", {})
  to.end()
}

/** Starts the server; returns its address. */
export const scriptedModel = async (script: Script): Promise<string> => {
  const server = createServer(async (message, to) => {
    let text = ""
    for await (const chunk of message.setEncoding("utf8")) text += chunk
    const asked = (message.url ?? "").startsWith("/v1/messages?") ? (JSON.parse(text) as Asked) : undefined
    if (asked === undefined) return void to.writeHead(404).end()
    const results = resultsIn(asked)
    // Claude Code's requests without tools are its own, such as for a title.
    stream(to, asked.tools?.length ? await script(results) : undefined, results.length)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
