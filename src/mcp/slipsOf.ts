/**
 * Likely slips in code that ran: the warnings that `k_validate` would give for it, if the output or error fits the slip; on K3CSharp, the
 * differences from K with that outcome. The language is loaded only for an error, and for code that both looks like a slip and has the result of
 * one; without its file, after an upgrade of the server, there are none.
 */
import * as Effect from "effect/Effect"
import type { Evaluation } from "../session/Evaluation.ts"
import type { Session } from "../session/Session.ts"
import { loadHelp } from "./loadHelp.ts"

const LONGEST = 4000
const mostTold = 3

type Came = Pick<Evaluation, "ok" | "output" | "error" | "failedStatement" | "truncated" | "engine">

/** For each kind of slip, with examples: a pattern of the code, and a test of the result. */
const signs: readonly (readonly [looks: RegExp, came: (came: Came) => boolean])[] = [
  // `+ /x`
  [/[-+*%&|<>=!~,^#_?@$.]:?[ \t]+\//, ({ output }) => /^[-+*%&|<>=!~,^#_?@$.]:?$/m.test(output)],
  // `7 / 2`, `x // 2`
  [/[\w)\]][ \t]+\/\/?[ \t]*[\d#]/, () => true],
  // `2**3`
  [/\*\*/, ({ output }) => output.trim() !== ""],
  // `a==b`, `a!=b`
  [/[=!<>]=/, () => true],
  // `a&&b`
  [/&&/, () => true],
  // `a>2 & a<5`
  [/[<>=][^;\n]*[&|][^;\n]*[<>=]/, () => true],
  // `a-=1`, `a<>b`, `a||b`
  [/[-+*|:]=|<>|\|\|/, ({ ok }) => !ok],
  // `'text'`
  [/(?:^|[:;([{])\s*'\w/m, () => true],
  // `if (c)`, `r:if[…]`
  [/\b(?:if|while|do)\b(?!\[)|:\s*(?:if|while|do)\[/, () => true],
  // `10_draw 5`
  [/[\d)\]]_[A-Za-z]\b/, () => true],
  // `7/2`
  [/\d\//, () => true],
  // `a = 5`
  [/\w[ \t]+=[ \t]/, ({ ok }) => !ok],
  // `$[c;a;b]`, `2147483648`, `x++`, `a:1, b:2`, `m[0,1]`, `x[:2]`, `x[2:4]`, `1_000`, `"I"$x`, `0N!x`, `1 2 _in x`
  [/\$\[|\d{10}|\+\+|--|,\s+[A-Za-z][\w.]*:|\[[^\][;\n]*,|[[;]\s*:|\[\d:|\d_\d|["`]\w+"?\$|0N!|\b_in\b/, () => true],
  // `a[a>2]`, `1<x<3`, `if[c;a]`
  [/(?<![\w.])([A-Za-z][\w.]*)\[\(*\1\s*[<>=]|[<>][^;\n&|]*[<>]|\bif\[/, () => true],
  // `c ? 1 : 2`
  [/\s\?\s.*\s:\s/, ({ ok }) => !ok],
  // `select …`, `let a`, `# text`
  [/\b(?:select|exec|update|delete|from|let|const|var|for|def|lambda|import|function)\b|(?:#|--)\s+[A-Za-z]/i, ({ ok }) => !ok],
  // `"x is ",x`, `x,:"ef"`
  [/",|,:?\s*"/, ({ output }) => output.startsWith('("')],
  // `("I";",")0:f`
  [/"\)\s*0:/, () => true],
  // `*/1+!20`, `*/1+!13`, which wrap
  [/\*/, ({ output }) => /-\d{9}/.test(output)],
  [/\*\/1\+!\d\d/, () => true],
  // `f:{x+y};r:f(3;4)`
  [/[A-Za-z0-9]\s*\([^()\n]*;/, () => true],
  // `f(3;4)`, when a projection is printed
  [/[\d)]/, ({ output }) => output.startsWith("{") && output.trimEnd().endsWith("]")],
  // `{x+rate}`, when `rate` has no value
  [/\{/, ({ output, error }) => output === "" && (error === undefined || error.text.includes("in a function a name without a value"))],
]

/** Does the code fit a slip? If not, the language need not be loaded. */
export const mayBeSlip = (code: string, came: Came): boolean =>
  code.length <= LONGEST && signs.some(([looks, isSo]) => looks.test(code) && isSo(came))

/** Code that K3CSharp may pass over in silence. */
const passedOver = /\([^\w\s()]['/\\]:?\)|\d_\d|(?:^|[;{[(])'["`]|[A-Za-z][\w.]*\[[^\][]*\]:/m

/** An assignment without a semicolon behind it, alone on its line. Text, numbers and functions as they are written print little. */
const assignment = /^\s*\.?[A-Za-z][\w.]*:(?!(?:[-\d. ]+|"[^"\n]*"|\{.*\})$)[^:\n].*[^;\s]\s*$/m

const isLongAssignment = (code: string, { ok, truncated }: Came): boolean => ok && truncated !== undefined && assignment.test(code)

const mayDiffer = (code: string, came: Came): boolean =>
  came.engine === "k3csharp" && code.length <= LONGEST && (!came.ok || passedOver.test(code) || isLongAssignment(code, came))

export const slipsOf = (code: string, came: Came, { names }: Pick<Session, "names">): Effect.Effect<readonly string[]> => {
  const isSlip = mayBeSlip(code, came)
  const isDifferent = mayDiffer(code, came)
  if (!isSlip && !isDifferent) return Effect.succeed([])
  return Effect.gen(function* () {
    const { slipsIn, readsNil, differencesShown } = yield* Effect.tryPromise(() => loadHelp(({ slips }) => slips()))
    const { ok, output, error } = came
    const ran = { code, output, failed: !ok, error: error?.text }
    const held = isSlip && readsNil(ran) ? yield* names : undefined
    const slips = isSlip ? slipsIn({ ...ran, ...(held?.engine === "embedded" && held.ageMs !== null && { held }) }) : []
    if (!isDifferent) return slips
    const { failedStatement } = came
    const differences = differencesShown({ code, failedStatement, error, isLongAssignment: isLongAssignment(code, came) })
    return [...slips, ...differences].slice(0, mostTold)
  }).pipe(Effect.orElseSucceed(() => []))
}
