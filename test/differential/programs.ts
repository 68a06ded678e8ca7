/**
 * Random programs of K that Kona and K3CSharp can read too: where their syntax differs, a program is written in the way that all three take.
 *
 * Guarantees: brackets and quotes are closed; a program assigns what it reads, and ends; nothing in it asks for the clock, the world, random
 * numbers or much memory. All shrink. Does not: amend a value under two names, since both others have sharing defects.
 */
import * as fc from "fast-check"
import type { Program } from "./engines.ts"

type Text = fc.Arbitrary<string>

const of = (...texts: readonly string[]): Text => fc.constantFrom(...texts)
const words = (text: string): Text => of(...text.split(" "))
/** The pattern with each `$` replaced by a part. */
const built = (pattern: string, ...parts: readonly Text[]): Text => {
  const between = pattern.split("$")
  return fc.tuple(...parts).map((texts) => between.reduce((text, next, i) => text + texts[i - 1]! + next))
}
/** In parentheses unless it stands by itself. */
const grouped = (text: Text): Text => text.map((x) => (/^(?:[A-Za-z]+|\d+|\(.*\)|"[^"]*")$/.test(x) && !x.includes(")(") ? x : `(${x})`))

const small = fc.oneof(fc.integer({ min: -3, max: 9 }).map(String))
const int = fc.oneof(
  { weight: 4, arbitrary: small },
  fc.integer({ min: -2147483646, max: 2147483646 }).map(String),
  words("0N 0I -0I 2147483646 -2147483646 65536 46341 1073741824 100 -100"),
)
const float = fc.oneof(
  { weight: 2, arbitrary: fc.integer({ min: -40, max: 40 }).map((n) => (n / 4).toFixed(2)) },
  words(
    "0.0 -0.0 1.0 -1.0 0.1 0.3 0.7 4.2 3.7 -4.2 0n 0i -0i 1e15 -1e15 1e16 20000000000000.0 123456789012345.0 1e-14 -1e-14 1e-300 1e300 1e308",
  ),
  words(
    "2147483647.0 2147483648.0 -2147483648.0 4294967296.0 1999999999.9999 123456789.99999 1.00000000000001 0.99999999999999 2.000000000001",
  ),
)
const vectorOf = (item: Text, empty: string): Text =>
  fc.array(item, { maxLength: 5 }).map((items) => (items.length === 0 ? empty : items.length === 1 ? `,${items[0]!}` : items.join(" ")))
const ints = vectorOf(int, "!0")
const counts = vectorOf(fc.nat({ max: 4 }).map(String), "!0")
const floats = vectorOf(float, "0#0.0")
const char = of(..."ab 1Zz".split("")).map((c) => `"${c}"`)
const string = fc.oneof(
  fc.array(of(..."aabbc 12.".split("")), { maxLength: 6 }).map((c) => (c.length === 1 ? `,"${c[0]!}"` : `"${c.join("")}"`)),
  of('"hello world"', '"12"', '"-3.5"', '""'),
)
const symbol = of("`a", "`b", "`abc", "`")
const symbols = fc
  .array(of("`a", "`b", "`abc"), { maxLength: 4 })
  .map((s) => (s.length === 0 ? "0#`" : s.length === 1 ? `,${s[0]!}` : s.join("")))

/** Values as they are written. */
const { value, matrix } = fc.letrec<{ value: string; list: string; matrix: string }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, int, float, ints, floats, char, string, symbol, symbols, tie("list"), tie("matrix")),
  list: fc.array(tie("value"), { maxLength: 4 }).map((items) => (items.length === 1 ? `,${items[0]!}` : `(${items.join(";")})`)),
  matrix: fc
    .tuple(fc.integer({ min: 2, max: 3 }), fc.array(fc.oneof(small, float), { minLength: 9, maxLength: 9 }))
    .map(([n, v]) => `(${Array.from({ length: n }, (_, i) => v.slice(i * n, i * n + n).join(" ")).join(";")})`),
}))
const dictionary = fc.tuple(value, value).chain(([x, y]) => of(`.((\`a;${x});(\`b;${y}))`, `.,(\`a;${x})`))

/** Numbers of one count, or an atom beside a list: the usual operands of arithmetic. */
const number = fc.oneof(int, float)
const numbers = fc.oneof(
  { weight: 2, arbitrary: number },
  fc.array(int, { minLength: 3, maxLength: 3 }).map((v) => v.join(" ")),
  fc.array(float, { minLength: 3, maxLength: 3 }).map((v) => v.join(" ")),
  of("!3", "3 1 2", "2 2 1", "0 0.5 1.0", "(1 2;3.5;0n)", "(0 1;2 3;4.0 5.0)"),
  fc.oneof(ints, floats, matrix),
)

const arithmetic = words("+ - * % ^ ! & | < > =")
const structural = words(", ~ ? _ @ #")
const systemDyad = words("_in _lin _dv _dvl _dot _mul")
/** Ascending, as a binary search wants it. */
const ascending = of(
  "1 3 5 7",
  "0 0 2 2 9",
  "-1.5 0.0 1e-14 2.5",
  "`a`b`c",
  '"abbc"',
  "-0I 0 1 0I",
  ",4",
  "(1 2;1 3;2 0)",
  "-0i 0.3 1e15 0i",
)
const arithmeticMonad = words("- % ~ _ _abs _sqr _sqrt _exp _log _sin _cos _tan _asin _acos _atan _sinh _cosh _tanh _floor")
const monad = words("+ * & | ^ < > = ? , # $ @ _ic _ci")
const adverb = of("/", "\\", "'", "/:", "\\:")
const numericLambda = words("{x+y} {x-y} {x*y} {x&y} {x|y} {y-x} {x+2*y} {x%y} {x=y} {x<y} {x!y} {x^y}")
const lambda2 = words("{x,y} {(x;y)} {y} {x~y} {(#x)+#y} {(*x),y} {(|x;y)}")
const lambda1 = words("{x} {x+1} {-x} {x,x} {#x} {*x} {x*x} {|x} {x=0} {,x} {x-2} {0} {x!3} {_x%2}")
const few = fc.nat({ max: 4 }).map(String)

/** Expressions over variables, each the text of a value; the first is of numbers. Right to left, blanks where engines want them. */
const expressions = (variables: readonly string[]): Text => {
  const numeric = variables.length > 0 ? of(variables[0]!) : numbers
  const variable = variables.length > 0 ? of(...variables) : value
  const { any } = fc.letrec<{ any: string; noun: string; sum: string; number: string }>((tie) => {
    const [any, noun, sum, number] = [tie("any"), tie("noun"), tie("sum"), tie("number")]
    return {
      number: fc.oneof({ depthSize: "small", withCrossShrink: true }, grouped(numbers), grouped(numbers), numeric, grouped(sum)),
      /** An operand that should be numbers. */
      sum: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        numbers,
        { weight: 6, arbitrary: built("$ $ $", number, arithmetic, number) },
        { weight: 2, arbitrary: built("$ $", arithmeticMonad, number) },
        { weight: 2, arbitrary: built("$/$", arithmetic, number) },
        { weight: 1, arbitrary: built("$\\$", arithmetic, number) },
        { weight: 1, arbitrary: built("$':$", arithmetic, number) },
        { weight: 2, arbitrary: built("$ $$ $", number, arithmetic, adverb, number) },
        { weight: 1, arbitrary: built("$/$", numericLambda, number) },
        { weight: 1, arbitrary: built("$\\$", numericLambda, number) },
        { weight: 1, arbitrary: built("$ $$ $", number, numericLambda, adverb, number) },
        { weight: 2, arbitrary: built("$ $ $", number, systemDyad, number) },
        { weight: 1, arbitrary: built("($) _bin $", ascending, number) },
        { weight: 1, arbitrary: built("($) _binl $", ascending, number) },
        { weight: 1, arbitrary: built("$[$;$]", numericLambda, sum, sum) },
        { weight: 1, arbitrary: built("$$", words("< > = ? # | * + ^"), number) },
        { weight: 1, arbitrary: built("$ ! $", grouped(small), number) },
        { weight: 1, arbitrary: built("&$", grouped(counts)) },
        { weight: 1, arbitrary: built("!$", fc.nat({ max: 9 }).map(String)) },
        { weight: 1, arbitrary: built("$ _sv $", fc.integer({ min: 2, max: 16 }).map(String), grouped(counts)) },
        { weight: 1, arbitrary: built("$ _vs $", fc.integer({ min: 2, max: 16 }).map(String), fc.nat().map(String)) },
        {
          weight: 1,
          arbitrary: built(
            "_jd $",
            fc.integer({ min: 1900, max: 2100 }).map((year) => `${year}0315`),
          ),
        },
        { weight: 1, arbitrary: built("_dj $", grouped(fc.integer({ min: -40000, max: 40000 }).map(String))) },
      ),
      noun: fc.oneof({ depthSize: "small", withCrossShrink: true }, variable, grouped(value), grouped(any), grouped(sum)),
      any: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        { weight: 2, arbitrary: fc.oneof(variable, value) },
        { weight: 6, arbitrary: sum },
        { weight: 2, arbitrary: built("$ $ $", noun, fc.oneof(arithmetic, structural), noun) },
        { weight: 2, arbitrary: built("$ $ $", noun, of(",", "~", "?"), noun) },
        { weight: 3, arbitrary: built("$ $", monad, noun) },
        { weight: 1, arbitrary: built("$ $ $", noun, systemDyad, noun) },
        { weight: 1, arbitrary: built("$/$", structural, noun) },
        { weight: 1, arbitrary: built("$\\$", structural, noun) },
        { weight: 1, arbitrary: built("$:'$", words("# * | + , $ ^ ? @ - _ ~"), noun) },
        { weight: 1, arbitrary: built("$ $$ $", noun, structural, adverb, noun) },
        { weight: 1, arbitrary: built("$/$", lambda2, noun) },
        { weight: 1, arbitrary: built("$'$", lambda1, noun) },
        { weight: 1, arbitrary: built("$ $$ $", noun, lambda2, adverb, noun) },
        { weight: 1, arbitrary: built("$[$;$]", lambda2, any, any) },
        { weight: 1, arbitrary: built("$[$]", lambda1, any) },
        { weight: 1, arbitrary: built("$ # $", fc.oneof(small, grouped(counts)), noun) },
        { weight: 1, arbitrary: built("$ _ $", fc.oneof(few, grouped(counts)), noun) },
        { weight: 1, arbitrary: built("$[$]", grouped(numbers), fc.oneof(few, counts)) },
        { weight: 1, arbitrary: built("$[$;$]", matrix, few, few) },
        { weight: 1, arbitrary: built("$ _di $", grouped(fc.oneof(ints, floats, string)), grouped(fc.oneof(few, counts))) },
        { weight: 1, arbitrary: built("@[$;$;$;$]", fc.oneof(ints, floats), few, words("+ - * : | &"), fc.oneof(int, float)) },
        { weight: 1, arbitrary: built("@[$;$;$;$]", fc.oneof(ints, floats, value), counts, words("+ - * , :"), fc.oneof(int, value)) },
        { weight: 1, arbitrary: built("@[$;$;$]", numbers, fc.oneof(few, counts), words("-: ~: _: %:")) },
        {
          weight: 1,
          arbitrary: built(".[$;$;$;$]", matrix, built("($;$)", of("0", "1", ""), few), words("+ - * :"), fc.oneof(int, float)),
        },
        { weight: 1, arbitrary: built("$ $ $", string, of("_ss", "_sm"), string) },
        { weight: 1, arbitrary: built("$ $ $", grouped(fc.integer({ min: -12, max: 12 }).map(String)), of("$"), grouped(value)) },
        { weight: 1, arbitrary: built("($)$", dictionary, words("[`a] [`b] [] [`a`b]")) },
        { weight: 1, arbitrary: built("$($)", words("! . @ #"), dictionary) },
        { weight: 1, arbitrary: built(":[$;$;$]", small, any, any) },
        { weight: 1, arbitrary: fc.array(any, { minLength: 2, maxLength: 3 }).map((items) => `(${items.join(";")})`) },
      ),
    }
  })
  return any
}

/** `x` is numbers, `y` a number, `z` anything. */
const change = fc.oneof(
  built("$$:$", of("x", "y"), words("+ - * & |"), number),
  built("z,:$", value),
  built("x[$]:$", few, fc.oneof(int, float)),
  built("x[$]$:$", few, words("+ - *"), int),
)
const assigned = fc
  .tuple(fc.oneof(ints, floats, numbers), number, value, fc.array(change, { maxLength: 2 }))
  .map(([x, y, z, changes]) => [`x:${x}`, `y:${y}`, `z:${z}`].concat(changes))

/** Functions with control words, each of which ends by itself, with the arguments to call them with. */
const called = fc.oneof(
  built("{r:$;do[$;r:$];r}|$", numbers, few, expressions(["r", "x"]), numbers),
  built("{i:0;r:();while[i<$;r:r,$;i+:1];r}|$", few, expressions(["x", "i"]), numbers),
  built("{r:$;if[$;r:$];r}|$", numbers, small, expressions(["x"]), numbers),
  built("{[a;b]c:$;d:$;(c;d)}|$;$", expressions(["a", "b"]), expressions(["a", "b"]), numbers, value),
  built("{:[$;$;$]}|$", small, expressions(["x"]), expressions(["x"]), numbers),
)

/** An expression by itself; one over variables that are assigned and changed; a function and its call. */
export const program: fc.Arbitrary<Program> = fc.oneof(
  { weight: 6, arbitrary: expressions([]).map((text) => [text]) },
  { weight: 3, arbitrary: fc.tuple(assigned, expressions(["x", "y", "z"])).map(([lines, last]) => lines.concat(last)) },
  {
    weight: 1,
    arbitrary: called.map((text) => {
      const at = text.lastIndexOf("}|") + 1
      return [`f:${text.slice(0, at)}`, `f[${text.slice(at + 1)}]`]
    }),
  },
)
