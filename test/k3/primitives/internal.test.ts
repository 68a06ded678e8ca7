/** No verb raises an error of JavaScript, whatever its arguments: unsuitable ones are an error of K. */
import { expect, it } from "vitest"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { systemNames } from "../../../src/k3/primitives/systemTable.ts"
import { verbs } from "../../../src/k3/primitives/table.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

/** A value of each kind, and of each form that a verb may treat on its own. `f.txt` is a file of lines, `f.l` one of data. */
const values =
  `1 -3 0N 2.5 0n 0i "a" \`a \` _n {x} + (+/) {x+y}[1] .() .((\`a;1);(\`b;\`c)) !0 2_0N _bd_1 0#0.0 1.5_2 "" "ab" "f.txt" 0#\` \`a\`b ()
  (1;\`a) ("II";",") (,"I";,",") ("II";2_2) ("iC";4_2) ("i";4) ("ab";"c") (1_2;3_4) ((1;2.5);(\`a;"b")) (\`f.txt;0;2) (\`f.txt;\`a;2)
  (_n;_n) (\`a;1;_n) ,\`f.txt \`f.txt \`f \`nowhere 1000000 (();()) ,() (,1;,2) (0.5_1;2_3.5) -1_2_3`
    .split(/\s+/)
    .map((text) => text.replaceAll(/_(?=\d)/g, " "))

const session = () => {
  const host = memoryHost()
  const interpreter = makeInterpreter({ ...host, input: () => "1,2" }, { steps: 10_000, depth: 50, memory: 2 ** 28 })
  const run = (code: string) => {
    const failure = interpreter.evaluate(code)
    host.take()
    return failure
  }
  for (const line of ['`f.txt 0:("1,2";"3,4")', "`f 1:1 2 3"]) expect(run(line)).toBeUndefined()
  return run
}

/** Except verbs that end the process, and the verb that is an assignment between two names. */
const rows = [...verbs, ...systemNames].filter(({ glyph }) => glyph !== "_exit" && glyph !== ":")
const of = (valence: number): readonly string[] => rows.filter((row) => row.valence === valence).map(({ glyph }) => glyph)

it.each(values)("of %s", (x) => {
  const run = session()
  const defects: string[] = []
  const attempt = (code: string, y: string): void => {
    if (run(code)?.name === "internal") defects.push(`${code}   x:${x} y:${y}   ${run(code)?.hint}`)
  }
  expect(run(`x:${x}`)).toBeUndefined()
  for (const glyph of of(1)) attempt(`${glyph} x`, "")
  for (const y of values) {
    // A verb may have changed them.
    run(`x:${x}`)
    run(`y:${y}`)
    for (const glyph of of(2)) attempt(`x ${glyph} y`, y)
    for (const code of [
      "x@y",
      "x . ,y",
      "x . y",
      "x[y;]",
      "x[;y]",
      "@[x;y;-:]",
      "@[x;y;+;1]",
      ".[x;y;:;`b]",
      "x/y",
      "x'y",
      "x\\y",
      "x':y",
      "x/:y",
      "x\\:y",
    ])
      attempt(code, y)
    for (const glyph of of(3)) for (const z of [1, "`a", '"ab"', "_n"]) attempt(`${glyph}[x;y;${z}]`, y)
  }
  expect(defects).toEqual([])
})
