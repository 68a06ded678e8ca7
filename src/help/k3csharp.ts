/**
 * The differences between K3CSharp (its head of 2026-04-18, measured) and K3: texts for people, and for `k_validate` patterns that find affected
 * code. Does not: parse. Strings, comments and names of scripts are blanked out before a pattern searches, so that it sees K alone. Each pattern
 * takes time in proportion to the text.
 */
import { placeOf, pointed } from "../k3/documents.ts"
import { codeAlone } from "../k3/text/scan.ts"
import { statements } from "../k3/text/statements.ts"

export interface EngineDifference {
  /** A stable name for programs. The code of an issue of `k_validate` here means that K3CSharp does not have that issue. */
  readonly code: string
  /** K3CSharp's behaviour, and the code to write instead. */
  readonly there: string
  /** The behaviour of K and of the embedded engine. */
  readonly here: string
  /** K code that shows the difference, with its output here and there. An error is given as its name: `'type`. */
  readonly example?: readonly [code: string, here: string, there: string]
  /** The entries of the help that are otherwise there. */
  readonly of?: readonly string[]
  /** Other errors that affected code gives there, by name; an empty name where it prints nothing, and gives no error. */
  readonly errors?: readonly string[]
  /** Finds affected code; absent where no pattern could. */
  readonly pattern?: RegExp
  /** Finds code that may have failed so, where no pattern tells it from right code. */
  readonly failing?: RegExp
}

// prettier-ignore
export const differences: readonly EngineDifference[] = [
  { code: "unfinished", here: "`1+`, `)`, `(1 2` are errors with a place",
    example: ["(1 2", "'open", ""],
    there: "unfinished code prints nothing at all: no error, no value" },
  { code: "errors", here: "`type error` and a caret",
    there: "a message of .NET, such as `Error: Cannot add Integer and Symbol`; k_eval gives K's name beside it" },
  { code: "assign-prints", here: "an assignment prints nothing",
    example: ["zz:!3", "", "0 1 2"],
    there: "a:!5 and x:1 2 3 print the value that they assign: a ; behind them prevents it", pattern: /^[A-Za-z][\w.]*:(?:!|-?\d+ )/m },
  { code: "mixed-numbers", here: "1 2 3.5 is a vector of floats",
    example: ["1 2 3.5", "1 2 3.5", "(1;2;3.5)"],
    there: "1 2 3.5 is a list (1;2;3.5): write every number with its point", pattern: /(?<![\w.])\d+ +\d+\.\d|\d\.\d* +\d+(?![\w.:])/ },
  { code: "divide-vector", of: ["x%y"], here: "% gives floats: 4 8%2 is 2 4.0",
    example: ["4 8%2", "2 4.0", "2 4"],
    there: "4 8%2 is 2 4, of ints", pattern: /\d +\d[\d.]* *% *\d|\d *% *\d[\d.]* +\d/ },
  { code: "power", of: ["x^y"], here: "^ gives a float: 2^3 is 8.0",
    example: ["2^3", "8.0", "8"],
    there: "2^3 is 8, an int", pattern: /[\w)\]] *\^ *[\w(]/ },
  { code: "float-vector", here: "2 4.0: one item shows that all are floats",
    example: ["1.5 2.5*2", "3 5.0", "3.0 5.0"],
    there: "every item shows it: 2.0 4.0" },
  { code: "derived-alone", here: "(+/)1 2 3 is 6",
    example: ["(+/)1 2 3", "6", ""],
    there: "(+/)1 2 3 prints nothing: write +/1 2 3", pattern: /\([-+*%|&^<>=~,]['/\\]:?\)(?![ \t]*[;.,])/ },
  { code: "projection", of: ["{[a;b]s1;s2}"], here: "{x+y}[1] waits for the rest",
    example: ["{x+y}[1]", "{x+y}[1]", "'value"],
    there: "fewer arguments of x, y and z are an error: write f:{x+y}[1;], then f 2, or name the parameters",
    pattern: /\{(?!\s*\[)(?=[^{}]*\b[yz]\b)[^{}]*\}\[[^;\][]*\]/ },
  { code: "each-function", of: ["f'x"], here: "{x*2}'1 2 3 is 2 4 6",
    example: ["{x*2}'1 2 3", "2 4 6", "'nonce"],
    there: "f'x of a function is an error: give it a name, and write f@/:x where the items of x are atoms, else a loop", pattern: /\}'(?!:)|(?<![\w.`])[A-Za-z]\w*'(?!:)/ },
  { code: "over-function", of: ["f/x", "f\\x"], here: "{x+y}/1 2 3 is 6",
    example: ["{x+y}/1 2 3", "6", "+"],
    there: "{x+y}/1 2 3 is +: / and \\ take verbs alone, as in +/x; write a loop for a function", pattern: /\}[/\\](?!:)/ },
  { code: "vector-argument", here: "f[1 2 3] gives f one argument",
    example: ["f:{[v]#v};\nf[1 2 3]", "3", "'valence"],
    there: "f[1 2 3] and f@1 2 3 give f three arguments: write f 1 2 3, with f a name", failing: /(?<!\{)\[[^;\][]+\]|@/ },
  { code: "amend-item", of: ["n:v", "amend"], here: "a[1]:9 changes an item of a",
    example: ["a:1 2 3;\na[1]:9\na", "1 9 3", "1 2 3"],
    errors: [""],
    there: "a[1]:9 changes nothing, in silence: write @[`a;1;:;9], or a:@[a;1;:;9] in a function", pattern: /(?<![\w.`])[A-Za-z][\w.]*\[[^\][]*\]:(?!:)/ },
  { code: "index-depth", of: ["x.y"], here: "m[1;2] is item 2 of row 1, and m[;2] a column",
    example: ["m:2 2#!4;\nm[1;0]", "2", "(2 3;0 1)"],
    errors: ["type"],
    there: "m[1;2] and m . 1 2 are the rows 1 and 2, and m[;2] is an error: write m[1][2], and m@\\:2", pattern: /[A-Za-z\])]\[;/ },
  { code: "dot-names", here: "t.b is the item b of the dictionary t",
    example: ["t:.((`a;1);(`b;2))\nt.b", "2", "'value"],
    there: "t.b is an undefined variable: write t[`b]", pattern: /(?<![\w.`])[A-Za-z]\w*\.[A-Za-z]/ },
  { code: "ssr", of: ["_ssr[x;y;z]"], here: "_ssr replaces text",
    example: ["_ssr[\"abc\";\"b\";\"x\"]", "\"axc\"", "'value"],
    there: "_ssr is missing: _ss finds the places", pattern: /_ssr/ },
  { code: "match-text", of: ["x _sm y"], here: "\"abc\" _sm \"a*\" is 1",
    example: ["\"abc\" _sm \"a*\"", "1", "'type"],
    there: "_sm of a string is an error: write (`$x) _sm `\"a*\"", pattern: /" *_sm\b|\b_sm *"/ },
  { code: "missing-key", here: "d[`z] of a key that d does not have is nil",
    example: ["d:.((`a;1);(`b;2))\nd[`z]", "", "'error"],
    there: "d[`z] of a key that d does not have is an error" },
  { code: "in", of: ["x _in y"], here: "1 2 3 _in 2 is 0: _in looks for the whole of its left",
    example: ["1 2 3 _in 2", "0", "'type"],
    there: "1 2 3 _in 2 is an error" , pattern: /\d +\d+ *_in\b/ },
  { code: "newline-in-string", here: "a string may hold a newline",
    there: "a newline within a string is an error: write \\n" },
  { code: "function-text", here: "a function prints as it was written",
    example: ["{x + 1}", "{x + 1}", "{x+1}"],
    there: "a function prints without its blanks and quotes" },
  { code: "load", of: ["\\l file"], here: "\\l prints what the script's lines print, and ends with the place of an error",
    there: "\\l runs only the first statement of a script: send the script's lines with k_eval", pattern: /^\\l /m },
  { code: "shell-commands", of: ["\\e [n]", "\\s", "\\b"], here: "\\w is a command of K",
    there: "\\w, \\m and every unknown \\word run a shell command, with their first argument lost; refused unless K3_SHELL is allow", pattern: /^\\(?:w|m|e|s|b)\b/m },
  { code: "precision", of: ["\\p [n]"], here: "\\p 17 shows all digits",
    there: "after \\p 17 every float fails to print until it is set back", pattern: /^\\p +17/m },
  { code: "global-assign", here: "a::5 at the top is an assignment like a:5",
    there: "a name made with :: survives \\9, unseen by \\v then; k_reset relaunches", pattern: /^[A-Za-z]\w*::/m },
  { code: "wide-characters", here: "text is bytes, in UTF-8",
    // oxlint-disable-next-line no-control-regex
    there: "characters above 255 come back as wrong octal escapes", pattern: /[^\x00-\xff]/ },
  { code: "mod-negative", of: ["x!y"], here: "-7!3 is 2: the sign follows the right side", example: ["-7!3", "2", "-1"],
    there: "-7!3 is -1: the sign follows the left side", pattern: /-\d+ *!\d/ },
  { code: "zero-by-zero", here: "0%0 is 0n", example: ["0%0", "0n", "0"],
    there: "0%0 is 0" },
  { code: "match-types", of: ["x~y"], here: "~ tells things of different type apart", example: ["\"a\"~,\"a\"", "0", "'type"],
    there: "~ of a char and a string is an error", pattern: /"[^"]"~,/ },
  { code: "signal", of: ["'x"], here: "'\"text\" raises an error", example: ["'\"boo\"", "'boo", ""],
    there: "'\"text\" does nothing" , pattern: /(?<=^|[;{[(])'["`]/m },
  { code: "inverse", of: ["x?y"], here: "{x^2}?9 is 3.0: ? of a function inverts it", example: ["{x^2}?9", "3.0", "'type"],
    there: "? of a function is an error", pattern: /\}\?/ },
  { code: "drop-glued", here: "1_2 3 4 drops", example: ["1_2 3 4", "3 4", ""],
    there: "1_2 3 4 prints nothing: write 1 _ 2 3 4", pattern: /(?<![\w.])\d+_\d/ },
  { code: "layout", here: "lists of lists print a row a line, symbols `a `b with blanks", example: ["2 2#!4", "(0 1\n 2 3)", "(0 1;2 3)"],
    there: "lists print on one line, (0 1;2 3), symbols as `a`b" },
  { code: "brace-line", here: "a } on a line of its own makes a function return nil",
    example: ["{[x]\n  x*2\n}[7]", "", "14"],
    there: "a } on a line of its own changes nothing: the function returns its last value" },
  { code: "file-names", of: ["0:x", "1:x", "6:x"], here: "a string or a symbol names a file",
    example: ["\"t.txt\" 6:\"ab\"\n6:`t.txt", "\"ab\"", "'type"],
    errors: ["no such file or directory"],
    there: "only a symbol names a file: write 0:`\"t.txt\"", pattern: /[016]:(?<=(?:^|[^\w.`")\]} \t])[ \t]*[016]:)[ \t]*"|(?<!`)"[^"]*"[ \t]*[0156]:/m },
  { code: "fields", of: ["x0:y", "x1:y"], here: "(\"SI\";,\",\")0:f reads the columns of the file f",
    example: ["`t.csv 6:\"a,1\\nb,2\\n\"\n(\"SI\";\",\")0:`t.csv", "(`a `b\n 1 2)", "'type"],
    errors: ["length"],
    there: "(\"SI\";,\",\")0:f is an error: cut the lines of 0:f, or read the file in an embedded session, made by k_session create", pattern: /;[^;()[\]{}]*\)[ \t]*[01]:/ },
  { code: "interrupt", here: "a deadline interrupts and keeps the variables",
    there: "a deadline kills the interpreter; its variables are restored from the last capture" },
]

const codes = new Set(differences.map(({ code }) => code))

/** Does an issue of `k_validate` with this code hold for K3CSharp too? */
export const isTrueThere = (code: string): boolean => !codes.has(code)

/** A difference that code is affected by: the offset, the line and column (from 1), and the source line with its caret. */
interface Found extends EngineDifference {
  readonly at: number
  readonly line: number
  readonly column: number
  readonly source: string
  readonly caret: string
}

/** Each difference at most once, at its first place; in the order of the code. `failed`: the code has failed. */
export const differencesIn = (code: string, failed = false): readonly Found[] => {
  const alone = codeAlone(code).replaceAll(/^\\l .*/gm, (line) => "\\l".padEnd(line.length))
  const found = differences.flatMap((each) => {
    const pattern = each.pattern ?? (failed ? each.failing : undefined)
    const at = pattern === undefined ? -1 : (each.code === "wide-characters" ? code : alone).search(pattern)
    if (at < 0) return []
    const { line, column, text } = placeOf(code, at)
    return [{ ...each, at, line, column, ...pointed(text, column) }]
  })
  return found.toSorted((a, b) => a.at - b.at)
}

interface Ran {
  readonly code: string
  /** From 1. */
  readonly failedStatement?: number | undefined
  /** K's name of the error, and the text that it is about. */
  readonly error?: { readonly name: string; readonly at?: string | undefined } | undefined
  /** An assignment whose output was cut. */
  readonly isLongAssignment?: boolean
}

/** Why code that ran on K3CSharp failed there, did nothing, or printed so much: a sentence for each difference with that outcome. */
export const differencesShown = ({ code, failedStatement, error, isLongAssignment }: Ran): readonly string[] => {
  const blamed = failedStatement === undefined ? code : (statements(code)[failedStatement - 1]?.source ?? "")
  const outcome = error === undefined ? "" : `'${error.name}`
  const shown =
    isLongAssignment === true
      ? differences.filter((each) => each.code === "assign-prints")
      : differencesIn(`${blamed}\n${error?.at ?? ""}`, error !== undefined).filter(
          ({ example, errors = [] }) => example?.[2] === outcome || errors.includes(error?.name ?? ""),
        )
  return shown.map(({ there }) => `on K3CSharp ${there}.`)
}
