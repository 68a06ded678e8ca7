/**
 * The program that draws, started by the first plot: reads requests and images of K values, writes pictures (`frames.ts`), one after the other. It
 * ends when its standard input ends. With a file name as argument it draws one value into that file. Does not: limit its own time; the server kills
 * it.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { deflateSync, inflateSync } from "node:zlib"
import { draw, type Materials, prepare } from "./draw.ts"
import { type Answered, type DrawRequest, headOf, type Message, MessageReader } from "./frames.ts"
import { PlotRefused } from "./PlotRefused.ts"
import { trueTypeOf } from "./woff.ts"

const fileOf = (name: string): Uint8Array => readFileSync(fileURLToPath(new URL(name, import.meta.url)))

const fontOf = (letters: string): Uint8Array => trueTypeOf(fileOf(`inter-${letters}.woff`), inflateSync)

const materials: Materials = {
  // Level 9 takes seven times as long and saves a sixth.
  deflate: (bytes) => deflateSync(bytes, { level: 7 }),
  font: fontOf("latin"),
  others: ["latin-ext", "vietnamese", "greek", "greek-ext", "cyrillic", "cyrillic-ext"].map(fontOf),
  wasm: fileOf("resvg.wasm"),
}

// Compiles the rasteriser before the first value has arrived.
void prepare(materials)

const send = (answer: Answered, bodies: readonly Uint8Array[]): void => {
  for (const part of [headOf(answer, bodies), ...bodies]) process.stdout.write(part)
}

const answer = async ({ message: { request }, bodies: [image] }: Message<DrawRequest>): Promise<void> => {
  try {
    const { png, svg, data, ...told } = await draw(image!, request, materials)
    send({ kind: "picture", ...told }, [png, svg, data])
  } catch (error) {
    if (!(error instanceof PlotRefused)) throw error
    send({ kind: "refused", problem: error.message, next: error.next }, [])
  }
}

/** Bytes read at once. */
const READ = 1024 ** 2

/**
 * Answers requests from standard input in order. The reader may reuse its memory, since the server sends a request only after the reply to the one
 * before.
 */
const serve = (): void => {
  const reader = new MessageReader<DrawRequest>(true)
  let last = Promise.resolve()
  const callback = (size: number, buffer: Uint8Array): boolean => {
    for (const message of reader.feed(buffer.subarray(0, size))) last = last.then(() => answer(message))
    return true
  }
  new Socket({ fd: 0, onread: { buffer: new Uint8Array(READ), callback } }).resume()
}

/** Serves `k3 --plot`: reads the image of a value from standard input, writes the picture to a file and its summary to standard output. */
const drawInto = async (path: string): Promise<void> => {
  try {
    const request = { engine: "embedded", width: 800, height: 500 } as const
    const { png, svg, summary } = await draw(new Uint8Array(readFileSync(0)), request, materials)
    writeFileSync(path, path.endsWith(".svg") ? svg : png)
    // The picture is written, so a reader that has gone is no failure.
    process.stdout.on("error", () => {}).write(`${summary.join("\n")}\n`)
  } catch (error) {
    const next = error instanceof PlotRefused ? `. ${error.next}` : ""
    process.stderr.write(`k3: there is no picture: ${(error as Error).message}${next}\n`)
    process.exitCode = 1
  }
}

const [, , path] = process.argv
if (path === undefined) serve()
else void drawInto(path)
