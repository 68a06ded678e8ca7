/**
 * Begins an HTTP answer in time, even if its content is not ready.
 *
 * Guarantees: an answer that is ready within `ms` is passed on unchanged; for a later one a stream of events begins then, and comments keep
 * the stream alive, since clients and proxies give up on silent connections. Does not: keep the status of a late answer.
 */

/** The time between two comments, ms. */
const ALIVE = 15_000

const encoder = new TextEncoder()
const comment = encoder.encode(": working\n\n")

const begun = (coming: Promise<Response>): ReadableStream<Uint8Array> => {
  let inner: ReadableStreamDefaultReader<Uint8Array> | undefined
  let alive: ReturnType<typeof setInterval> | undefined
  const end = (): void => clearInterval(alive)
  const hand = async (to: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const response = await coming
    end()
    if (response.headers.get("content-type")?.includes("text/event-stream") !== true) {
      to.enqueue(encoder.encode(`event: message\ndata: ${await response.text()}\n\n`))
      return to.close()
    }
    inner = response.body?.getReader()
    for (let part = await inner?.read(); part?.done === false; part = await inner?.read()) to.enqueue(part.value)
    to.close()
  }
  return new ReadableStream({
    start: (to) => {
      to.enqueue(comment)
      alive = setInterval(() => to.enqueue(comment), ALIVE)
      hand(to).catch((error: unknown) => {
        end()
        to.error(error)
      })
    },
    cancel: () => {
      end()
      void inner?.cancel().catch(() => {})
    },
  })
}

export const begunWithin = async (ms: number, coming: Promise<Response>): Promise<Response> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)))
  const soon = await Promise.race([coming, late])
  clearTimeout(timer)
  return (
    soon ?? new Response(begun(coming), { headers: { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform" } })
  )
}
