/**
 * The files of the page, for `mcp/http`.
 *
 * Guarantees: all files are read at the first request, together, so that they are of one build even if another build is written later;
 * no name leads out of the folder, since names are looked up in a table; each file is compressed at most once per encoding.
 */
import { readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import type { Asset, PageFiles } from "../mcp/http/Listener.ts"
import { withFallback } from "../repl/withFallback.ts"

const types: ReadonlyMap<string, string> = new Map([
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".svg", "image/svg+xml"],
  [".woff2", "font/woff2"],
])

/** Files of fewer bytes are not compressed. */
const small = 1000
/** Above this quality Brotli takes seconds to save another tenth. */
const quality = 9

type Encoding = "br" | "gzip"

const isTaken = (accepted: string, encoding: Encoding): boolean =>
  accepted.split(",").some((each) => {
    const [name, ...parameters] = each.split(";").map((part) => part.trim())
    return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })

const compress = async (body: Uint8Array, encoding: Encoding): Promise<Uint8Array> => {
  const { brotliCompress, constants, gzip } = await import("node:zlib")
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, result: Uint8Array): void => (error === null ? resolve(result) : reject(error))
    if (encoding === "gzip") gzip(body, done)
    else brotliCompress(body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }, done)
  })
}

class File {
  private readonly compressed = new Map<Encoding, Promise<Uint8Array>>()

  constructor(
    private readonly type: string,
    private readonly body: Uint8Array,
  ) {}

  async as(accepted: string): Promise<Asset> {
    const isText = /^(?:text\/|image\/svg)/.test(this.type) && this.body.length >= small
    const encoding = isText ? (["br", "gzip"] as const).find((each) => isTaken(accepted, each)) : undefined
    if (encoding === undefined) return { type: this.type, encoding, body: this.body }
    const compressed = this.compressed.get(encoding) ?? compress(this.body, encoding)
    this.compressed.set(encoding, compressed)
    return { type: this.type, encoding, body: await compressed }
  }
}

interface Built {
  readonly index: string
  readonly assets: ReadonlyMap<string, File>
}

const read = (folder: string): Built => {
  const names = readdirSync(join(folder, "assets"))
  const fileOf = (name: string): File =>
    new File(types.get(extname(name)) ?? "application/octet-stream", readFileSync(join(folder, "assets", name)))
  return { index: readFileSync(join(folder, "index.html"), "utf8"), assets: new Map(names.map((name) => [name, fileOf(name)])) }
}

export const pageFiles = (folder: string): PageFiles => {
  let built: Built | undefined
  /** Undefined when no page was built. */
  const files = (): Built | undefined => withFallback(() => (built ??= read(folder)), undefined)
  return {
    index: () => files()?.index,
    asset: async (name, accepted) => files()?.assets.get(name)?.as(accepted),
  }
}
