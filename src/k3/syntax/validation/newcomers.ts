/** Words of other languages that newcomers write by habit, each with the K for it. */
// prettier-ignore
export const newcomers: ReadonlyMap<string, string> = new Map(Object.entries({
  print: "a value alone on its line is printed; `0:text prints a string", println: "`0:text prints a string", echo: "`0:text prints a string",
  return: ":x returns; the last expression is the value anyway", function: "{[a;b]a+b}", def: "f:{[a;b]a+b}", lambda: "{x+1}", fn: "{x+1}",
  let: "a:1", var: "a:1", const: "a:1", set: "a:1",
  if: "if[c;a], or :[c;t;f] for a value", else: ":[c;t;f]", elif: ":[c1;t1;c2;t2;f]", switch: ":[c1;t1;c2;t2;f]",
  for: "f'x for each item, do[n;a]", foreach: "f'x", while: "while[c;a]", do: "do[n;a]", repeat: "n f/x", loop: "do[n;a]",
  and: "&", or: "|", not: "~x", xor: "~x=y", true: "1", false: "0", True: "1", False: "0",
  null: "_n, 0N for ints, 0n for floats", nil: "_n", None: "_n", undefined: "_n", NaN: "0n", Infinity: "0i",
  len: "#x", length: "#x", count: "#x", size: "#x", sum: "+/x", prod: "*/x", product: "*/x", mean: "(+/x)%#x", avg: "(+/x)%#x", average: "(+/x)%#x",
  max: "|/x, or x|y", min: "&/x, or x&y", maximum: "|/x", minimum: "&/x", range: "!n", iota: "!n", til: "!n", seq: "!n",
  reverse: "|x", first: "*x", last: "*|x", head: "*x", tail: "1_ x", take: "n#x", drop: "n _ x", concat: ",/x", append: "x,y", push: "x,:y",
  map: "f'x", each: "f'x", filter: "x@&f'x", reduce: "f/x", fold: "f/x", scan: "f\\x", zip: "+(x;y)", flatten: ",/x, or ,//x for all depths",
  sort: "x@<x", asc: "x@<x", desc: "x@>x", unique: "?x", distinct: "?x", group: "=x", where: "&x", find: "x?y", in: "x _in y", contains: "y _in x",
  floor: "_ x", ceil: "-_-x", ceiling: "-_-x", round: "_ x+0.5", mod: "x!y", div: "x _div y", pow: "x^y", type: "4:x", typeof: "4:x",
  string: "$x", str: "$x", int: "0$x of text, _ x of floats", float: "0.0$x of text", symbol: "`$x", split: "k_help split", join: "k_help join",
  upper: "k_help upper-case", lower: "k_help upper-case", replace: "_ssr[s;p;r]", try: "@[f;x;:]", catch: "@[f;x;:]", throw: "'\"text\"", raise: "'\"text\"",
  rand: "n _draw m", random: "n _draw m", now: "_t", time: "_t, or \\t expression", eval: ".text", import: "\\l file", load: "\\l file", exit: "\\\\", ".z.s": "_f",
  flip: "+x", enlist: ",x", raze: ",/x", over: "f/x", all: "&/x", any: "|/x", sums: "+\\x", deltas: "-':x", prev: "k_help previous-next", next: "k_help previous-next",
  fills: "k_help fill-forward", rotate: "n!x", cut: "n _ x", slice: "x@a+!n", key: "!x", keys: "!x", cols: "!x", values: "x[]", value: "x[] of a dictionary, .x of text",
  neg: "-x", xexp: "x^y", mmu: "x _mul y", like: "x _sm y", ss: "x _ss y", sv: "k_help join for text, x _sv y for digits", vs: "k_help split for text, x _vs y for digits", cross: "k_help cross-product", inter: "k_help intersection",
  union: "?x,y", show: "a value alone on its line is printed", insert: "k_help append-row", trim: "k_help trim", pop: "-1_ x", ".z.t": "_t", ".z.T": "_t", ".z.d": "*_ltime _t", ".z.D": "*_ltime _t", ".z.p": "_ltime _t", ".z.P": "_ltime _t",
}))
