/** Errors are told apart by their kinds, whatever a program calls its own. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { printed } from "../../lib/session.ts"

describe("a signal is none of the interpreter's own errors, whatever its text", () => {
  it.each(["break", "limit", "parse", "no such file or directory", ""])("%j is trapped", (text) =>
    expect(printed(`@[{'${JSON.stringify(text)}};0;:]`)).toBe(`(1;${JSON.stringify(text)})`),
  )
})

it("a size that is not allowed is an error like others, and no end of the evaluation", () =>
  expect(printed(".[#;(5000#1;1);:]")).toBe('(1;"limit")'))

it("bytes that are no value are told from a file that is not there", () => {
  expect(printed('`a.l 6:"nothing"\n@[1:;"a";:]')).toBe('(1;"domain")')
  expect(printed('@[1:;"a";:]')).toBe('(1;"no such file or directory")')
})

it("no code compares the words of an error", () => {
  const compared = /\.(?:kname|hint|message)\s*(?:[!=]==|\.(?:startsWith|endsWith|includes|match)\()|\.test\(\w+\.(?:kname|hint|message)\)/
  const source = join(import.meta.dirname, "../../../src")
  const files = ["k3", "repl"].flatMap((room) =>
    readdirSync(join(source, room), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => join(room, path)),
  )
  const found = files.flatMap((path) =>
    readFileSync(join(source, path), "utf8")
      .split("\n")
      .filter((line) => compared.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  )
  // The JavaScript engine has one class and no code for the end of its stack and of its memory.
  expect(found.filter((line) => !line.includes("thrown instanceof Error"))).toEqual([])
  expect(found.length).toBe(1)
})
