/**
 * The program that draws: a request and the image of a K value in, a picture out (`frames.ts`), one after the other. Loaded by the first plot.
 * It ends with its standard input. With the name of a file it draws one value into that. Does not: limit its own time; the server kills it.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { deflateSync, inflateSync } from "node:zlib"
import { draw, type Materials, prepare } from "./draw.ts"
import { type Answered, type Asked, headOf, type Message, MessageReader } from "./frames.ts"
import { Refused } from "./Refused.ts"
import { trueTypeOf } from "./woff.ts"

const fileOf = (name: string): Uint8Array => readFileSync(fileURLToPath(new URL(name, import.meta.url)))

const materials: Materials = {
  // Level 9 takes seven times as long for a sixth less.
  deflate: (bytes) => deflateSync(bytes, { level: 7 }),
  font: trueTypeOf(fileOf("inter-latin.woff"), inflateSync),
  extended: trueTypeOf(fileOf("inter-latin-ext.woff"), inflateSync),
  wasm: fileOf("resvg.wasm"),
}

// Done before the first value has arrived.
void prepare(materials)

const send = (answer: Answered, bodies: readonly Uint8Array[]): void => {
  for (const part of [headOf(answer, bodies), ...bodies]) process.stdout.write(part)
}

const answer = async ({ message: { request }, bodies: [image] }: Message<Asked>): Promise<void> => {
  try {
    const { png, svg, data, ...told } = await draw(image!, request, materials)
    send({ kind: "picture", ...told }, [png, svg, data])
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    send({ kind: "refused", problem: error.problem, next: error.next }, [])
  }
}

/** Bytes read at once. */
const READ = 1024 ** 2

/** The server asks for the next picture when it has the last one. */
const serve = (): void => {
  const reader = new MessageReader<Asked>(true)
  let last = Promise.resolve()
  const callback = (size: number, buffer: Uint8Array): boolean => {
    for (const message of reader.feed(buffer.subarray(0, size))) last = last.then(() => answer(message))
    return true
  }
  new Socket({ fd: 0, onread: { buffer: new Uint8Array(READ), callback } }).resume()
}

/** Of `k3 --plot`: the image of a value on standard input, the picture into a file, its words on standard output. */
const drawInto = async (path: string): Promise<void> => {
  try {
    const request = { engine: "embedded", width: 800, height: 500 } as const
    const { png, svg, summary } = await draw(new Uint8Array(readFileSync(0)), request, materials)
    writeFileSync(path, path.endsWith(".svg") ? svg : png)
    process.stdout.write(`${summary.join("\n")}\n`)
  } catch (error) {
    const said = error instanceof Refused ? `${error.problem}. ${error.next}` : (error as Error).message
    process.stderr.write(`k3: there is no picture: ${said}\n`)
    process.exitCode = 1
  }
}

const [, , path] = process.argv
if (path === undefined) serve()
else void drawInto(path)
