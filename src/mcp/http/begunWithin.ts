/**
 * An answer over HTTP that begins in time, though what it says is not there yet.
 *
 * Guarantees: one that comes soon is handed on as it is, with its own status; a later one is a stream of events that begins by then, and
 * comments keep it alive, since clients and what lies between give up on a connection that is silent. Does not: keep the status of a
 * later one.
 */

/** Between two comments, ms. */
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
