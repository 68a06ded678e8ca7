/**
 * A client over HTTP as cheap as they come, for a load of many at once: one message, one reply, in the modern era of the protocol, which has
 * no session, so that any front end answers. Guarantees: a call ends with the reply, or with why there is none. Does not: try again.
 */
import { Agent, request } from "node:http"
import { headOf, metaOf } from "./modernRequest.ts"

export type Answer =
  | { readonly kind: "reply"; readonly text: string; readonly isError: boolean; readonly structured: any }
  /** By the front end, before any tool. */
  | { readonly kind: "refused"; readonly text: string }
  /** The connection ended. */
  | { readonly kind: "cut"; readonly text: string }
  | { readonly kind: "missing" }

const _meta = metaOf({}, { name: "load", version: "1" })

/** One JSON document, or the last event of a stream; undefined when the stream ended without one. */
const messageIn = (text: string): any => {
  const last = text.startsWith("{") ? text : /^data: (\{.*)$/m.exec(text.slice(Math.max(0, text.lastIndexOf("\ndata: {"))))?.[1]
  return last && JSON.parse(last)
}

export class Caller {
  private readonly agent: Agent
  private readonly token: string
  private next = 0
  constructor(token: string, connections: number) {
    this.token = token
    this.agent = new Agent({ keepAlive: true, maxSockets: connections })
  }

  /** `patienceMs`: without a reply for so long, there is none. */
  call(url: string, name: string, given: object, patienceMs: number): Promise<Answer> {
    const message = { jsonrpc: "2.0", id: this.next++, method: "tools/call", params: { name, arguments: given, _meta } }
    const body = JSON.stringify(message)
    return new Promise((resolve) => {
      const end = (answer: Answer): void => {
        clearTimeout(late)
        resolve(answer)
      }
      const asked = request(url, {
        agent: this.agent,
        method: "POST",
        headers: {
          authorization: `Bearer ${this.token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "content-length": Buffer.byteLength(body),
          ...headOf("tools/call", name),
        },
      })
      const cut = (error: Error): void => end({ kind: "cut", text: String(error) })
      const late = setTimeout(() => {
        end({ kind: "missing" })
        asked.destroy()
      }, patienceMs)
      asked.on("error", cut).on("response", (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
        response.on("error", cut).on("close", () => {
          if (!response.complete) return cut(new Error("the reply was cut short"))
          if (response.statusCode !== 200) return end({ kind: "refused", text: `${response.statusCode} ${text}` })
          const message = messageIn(text)
          if (message === undefined) return cut(new Error(`the stream ended without a reply: ${text}`))
          const { result, error } = message
          if (result === undefined) return end({ kind: "refused", text: JSON.stringify(error) })
          const { content, isError, structuredContent } = result
          end({ kind: "reply", text: content[0].text, isError: isError === true, structured: structuredContent })
        })
      })
      asked.end(body)
    })
  }

  end(): void {
    this.agent.destroy()
  }
}
