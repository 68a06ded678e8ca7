/**
 * Facts about the interpreter and its host: directory, trigger, version; environment variables, host, user, arguments; and leaving the interpreter.
 *
 * Guarantees: everything is asked of the kernel and its host; nothing is stored here.
 */
import type { Kernel, Monad } from "../run/kernel.ts"
import { KError } from "../run/KError.ts"
import { intOf, wrongType } from "../run/mismatch.ts"
import { bytes, Chars, chars, Float, Floats, List, NIL, sym, Sym, textOf, type Value } from "../values/value.ts"
import type { SystemRow } from "./Row.ts"

/** The text of a string, char or symbol: a name of a variable, file or host. */
export const nameOf = (x: Value): string => {
  const name = x instanceof Sym ? x.text : textOf(x)
  if (name !== undefined) return name
  throw wrongType("a name is a string or a symbol", x)
}

const variable: Monad = (x, k) => {
  const value = k.host.env.get(nameOf(x))
  return value === undefined ? NIL : chars(value)
}

const setVariable = (x: Value, y: Value, k: Kernel): Value => {
  k.host.env.set(nameOf(x), nameOf(y))
  return NIL
}

const address: Monad = (x, k) => {
  const found = k.host.env.address(nameOf(x))
  if (found === undefined) throw new KError("domain", "no such host")
  return found | 0
}

const exit: Monad = (x, k) => k.host.exit(intOf(x, "a code is an int"))

// prettier-ignore
export const rows: readonly SystemRow[] = [
  { glyph: "_n", valence: 0, name: "nil", class: "system", run: () => NIL, constant: NIL,
    doc: "Nil: what an empty place in a list holds.",
    words: "null none nil missing",
    examples: [["(1;_n;2)", "(1;;2)"], ["4:_n", "6"]] },
  { glyph: "_d", valence: 0, name: "directory", class: "tree", run: (k) => sym(k.currentDirectory),
    doc: "The current directory of the K tree, a symbol.",
    examples: [["_d", "`.k"], ["\\d .a.b\n_d", "`.a.b"]] },
  { glyph: "_v", valence: 0, name: "amended variable", class: "tree", run: (k) => (k.amended === undefined ? NIL : sym(k.amended.variable)),
    doc: "In a trigger, the handle of the variable that was amended; elsewhere nil.",
    examples: [["4:_v", "6"], ['a:1 2 3\na..t:"r:_v"\na[1]:5\nr', "`.k.a"]] },
  { glyph: "_i", valence: 0, name: "amended index", class: "tree", run: (k) => k.amended?.index ?? NIL,
    doc: "In a trigger, the index at which the variable was amended; elsewhere nil.",
    examples: [["4:_i", "6"], ['a:1 2 3\na..t:"r:_i"\n@[`a;1;:;5]\nr', "`a\n1"]] },
  { glyph: "_s", valence: 0, name: "space", class: "system", run: (k) => new Floats(Float64Array.of(k.host.memoryUsed())),
    doc: "Bytes in use, as far as the host can tell: a vector of one float.",
    examples: [["#_s", "1"], ["4:_s", "-2"]] },
  { glyph: "_h", valence: 0, name: "host", class: "system", run: (k) => sym(k.host.env.host),
    doc: "The name of this host, a symbol.",
    examples: [["4:_h", "4"], ["@_h", "1"]] },
  { glyph: "_u", valence: 0, name: "user", class: "system", run: (k) => sym(k.host.env.user),
    doc: "The name of the user, a symbol.",
    examples: [["4:_u", "4"], ["@_u", "1"]] },
  { glyph: "_a", valence: 0, name: "arguments", class: "system", run: (k) => new List(k.host.env.args.map((a) => new Chars(bytes(a)))),
    doc: "The arguments the interpreter was started with, a list of strings.",
    examples: [["4:_a", "0"], ["@_a", "0"]] },
  { glyph: "_p", valence: 0, name: "port", class: "system", run: () => 0,
    doc: "The port listened on: 0, since this interpreter has no network.",
    examples: [["_p", "0"], ["4:_p", "1"]] },
  { glyph: "_w", valence: 0, name: "who", class: "system", run: () => 0,
    doc: "The handle of the client that is served: 0, since this interpreter has no network.",
    examples: [["_w", "0"], ["4:_w", "1"]] },
  { glyph: "_k", valence: 0, name: "version", class: "system", run: () => chars("k3-mcp, K 3.2"),
    doc: "The interpreter's name and the language version it follows, a string.",
    examples: [["4:_k", "-3"], ['_k _sm "*3.2*"', "1"]] },
  { glyph: "_getenv", valence: 1, name: "get environment", class: "system", run: variable, fresh: true,
    doc: "The value of an environment variable, a string; nil when there is none.",
    examples: [['`K3_DOC _setenv "x y"\n_getenv `K3_DOC', '"x y"'], ['4:_getenv "K3_NO_SUCH_VARIABLE"', "6"]] },
  { glyph: "_setenv", valence: 2, name: "set environment", class: "system", run: setVariable, fresh: true,
    doc: "Sets the environment variable x to the string y.",
    examples: [['`K3_DOC _setenv "1"', ""], ['`K3_DOC _setenv "1"\n0$_getenv "K3_DOC"', "1"]] },
  { glyph: "_host", valence: 1, name: "host address", class: "system", run: address, fresh: true,
    doc: "The IPv4 address of a host as an int; `domain` when it has none.",
    examples: [['256 256 256 256 _vs _host "127.0.0.1"', "127 0 0 1"]] },
  { glyph: "_size", valence: 1, name: "file size", class: "file", run: (x, k) => new Float(k.host.files.size(nameOf(x))), fresh: true,
    doc: "The bytes of a file, as a float.",
    examples: [['"size.txt" 6:"12345"\n_size "size.txt"', "5.0"]] },
  { glyph: "_exit", valence: 1, name: "exit", class: "system", run: exit, fresh: true,
    doc: "Leaves the interpreter with an exit code.",
    words: "quit leave",
    examples: [['@[_exit;"a";:]', '(1;"type")']] },
]
