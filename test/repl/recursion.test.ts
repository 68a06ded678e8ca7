import { expect, it } from "vitest"
import { mayRecurse, recurs } from "../../src/repl/recursion.ts"

it.each([
  "x:{x+1}5",
  "x:2*{x+y}[1;2]",
  "a:{[a]a+1}7",
  "n:{n:x;n+1}3",
  "f:{x+1};g:{f x}\ng 2",
  "f:{[x]{[y]x+y}}",
  'f:{x,"f"}',
  "f:{g x}\nf 1",
  "a:1;b:{a+x}",
  "x:{[y]y}1",
  "x:{{[y]x+y}[x]}1",
])("no recursion: %s", (code) => expect(recurs(code)).toBe(false))

it.each([
  "f:{:[x<2;1;x*f x-1]};f 5",
  "f:{:[x;_f x-1;0]}",
  "g:{[x]:[x;{[y]g y}x-1;0]}",
  "f:{g x}\ng:{f x}",
  'f:{."f ",$x}',
  "f:{. x}",
  "{f::{f x};f 1}0",
  "x:{[y]x y}",
  "\\l other.k",
  `x:${"1+".repeat(1600)}1`,
])("recursion: %s", (code) => expect(recurs(code)).toBe(true))

it("standard input may recur; a missing file does not, and is reported later", () => {
  expect(mayRecurse({ kind: "file", path: "-" })).toBe(true)
  expect(mayRecurse({ kind: "file", path: "/no/such/file.k" })).toBe(false)
})
