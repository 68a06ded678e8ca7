/**
 * The format of stored data: a first line with the kind and version, lines of content, and a last line with the checksum of all lines before.
 *
 *     k3-mcp variables 1
 *     …
 *     end 1f2e3d4c
 *
 * Guarantees: reading gives either exactly the written lines or a reason. Data are checked block by block, and other fibers run between blocks.
 * Does not: know the meaning or the place of the lines.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { crc32 } from "../crc32.ts"

/** The kind of the data, such as `variables`, and the version of their lines. */
export interface Form {
  readonly kind: string
  readonly version: number
}

const blockLength = 256 * 1024
const utf8 = new TextEncoder()

/** Joins texts to blocks of bytes, lazily. */
export const blocks = function* (parts: Iterable<string>): Generator<Uint8Array> {
  let held = ""
  for (const part of parts) {
    held += part
    if (held.length < blockLength) continue
    yield utf8.encode(held)
    held = ""
  }
  if (held !== "") yield utf8.encode(held)
}

const head = ({ kind, version }: Form): string => `k3-mcp ${kind} ${version}`
const endLine = /\nend ([0-9a-f]{8})\n$/
const endLength = "end 01234567\n".length

const withLineEnds = function* (form: Form, lines: Iterable<string>): Generator<string> {
  yield `${head(form)}\n`
  for (const line of lines) yield `${line}\n`
}

export const sealed = function* (form: Form, lines: Iterable<string>): Generator<Uint8Array> {
  let crc = 0
  for (const block of blocks(withLineEnds(form, lines))) {
    crc = crc32(block, crc)
    yield block
  }
  yield utf8.encode(`end ${crc.toString(16).padStart(8, "0")}\n`)
}

/** The lines, or the reason why the data cannot be used, which completes "it …". */
export const unsealed = Effect.fnUntraced(function* (
  form: Form,
  bytes: Uint8Array,
): Effect.fn.Return<Result.Result<readonly string[], string>> {
  const ascii = new TextDecoder("latin1")
  const first = /^k3-mcp (\S+) (\d+)\n/.exec(ascii.decode(bytes.subarray(0, 100)))
  if (first?.[1] !== form.kind) return Result.fail("is damaged: it does not begin as it should")
  if (Number(first[2]) > form.version)
    return Result.fail(`was written by a later k3-mcp (version ${first[2]} of its form; this one knows ${form.version})`)
  const last = endLine.exec(ascii.decode(bytes.subarray(-endLength - 1)))
  if (last === null) return Result.fail("is cut short")
  const content = bytes.subarray(0, bytes.length - endLength)
  let crc = 0
  for (let at = 0; at < content.length; at += blockLength) {
    crc = crc32(content.subarray(at, at + blockLength), crc)
    yield* Effect.yieldNow
  }
  if (crc !== Number.parseInt(last[1]!, 16)) return Result.fail("is damaged: its checksum is wrong")
  return Result.succeed(yield* linesOf(content.subarray(first[0].length)))
})

const linesOf = Effect.fnUntraced(function* (bytes: Uint8Array): Effect.fn.Return<readonly string[]> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  const lines: string[] = []
  for (let at = 0; at < bytes.length;) {
    const end = bytes.lastIndexOf(10, Math.min(bytes.length, at + blockLength) - 1)
    const stop = end < at ? bytes.indexOf(10, at) : end
    // One by one: a spread of many arguments overflows the stack.
    for (const line of decoder.decode(bytes.subarray(at, stop)).split("\n")) lines.push(line)
    at = stop + 1
    yield* Effect.yieldNow
  }
  return lines
})
