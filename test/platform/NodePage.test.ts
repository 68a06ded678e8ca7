/** The files of the page: reading and compression. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { expect, it } from "vitest"
import { pageFiles } from "../../src/platform/NodePage.ts"
import { scratchFolder } from "../e2e/server.ts"

const script = "f()\n".repeat(1000)

const built = (): string => {
  const folder = scratchFolder()
  mkdirSync(join(folder, "assets"))
  writeFileSync(join(folder, "index.html"), "<p>")
  writeFileSync(join(folder, "assets", "a-1.js"), script)
  writeFileSync(join(folder, "assets", "b-1.css"), "p{}")
  return folder
}

it.each([
  ["", undefined, (body: Uint8Array) => Buffer.from(body)],
  ["gzip;q=1.0, deflate", "gzip", gunzipSync],
  ["gzip, deflate, br", "br", brotliDecompressSync],
  ["br;q=0, gzip", "gzip", gunzipSync],
  ["br; q=0.0", undefined, (body: Uint8Array) => Buffer.from(body)],
  ["brotli", undefined, (body: Uint8Array) => Buffer.from(body)],
] as const)("a file for Accept-Encoding %j has encoding %s, and is the same again", async (accepted, encoding, decode) => {
  const asset = await pageFiles(built()).asset("a-1.js", accepted)
  expect(asset).toMatchObject({ type: "text/javascript; charset=utf-8", encoding })
  expect(decode(asset!.body).toString()).toBe(script)
})

it("a small file is not compressed, and only the files of the build are sent", async () => {
  const folder = built()
  const files = pageFiles(folder)
  expect(await files.asset("b-1.css", "br")).toMatchObject({ type: "text/css; charset=utf-8", encoding: undefined })
  for (const name of ["", ".", "..", "../index.html", "%2e%2e/index.html", "a-1.js/", "constructor", "\0"])
    expect(await files.asset(name, "br")).toBeUndefined()
  rmSync(folder, { recursive: true })
  expect(files.index()).toBe("<p>")
  expect(await files.asset("a-1.js", "")).toBeDefined()
})

it("a page that is not built yet is looked for again", () => {
  const folder = scratchFolder()
  const files = pageFiles(join(folder, "page"))
  expect(files.index()).toBeUndefined()
  mkdirSync(join(folder, "page", "assets"), { recursive: true })
  writeFileSync(join(folder, "page", "index.html"), "<p>")
  expect(files.index()).toBe("<p>")
})
