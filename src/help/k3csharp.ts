/**
 * What K3CSharp treats otherwise than K3, measured on its head of 2026-04-18: rows for people, and for `k_validate` a pattern that says
 * which code a row is about. Does not: parse; `code` is searched with strings and comments blanked out, so a pattern sees K alone.
 */

export interface Difference {
  /** Stable, for programs. */
  readonly code: string
  /** What is there, and what to write instead. */
  readonly there: string
  /** What K, and the embedded engine, do. */
  readonly here: string
  /** In which code it matters; absent where no pattern could tell. */
  readonly pattern?: RegExp
}

// prettier-ignore
export const differences: readonly Difference[] = [
  { code: "unfinished", here: "`1+`, `)`, `(1 2` are errors with a place",
    there: "unfinished code prints nothing at all: no error, no value" },
  { code: "errors", here: "`type error` and a caret",
    there: "a message of .NET, such as `Error: Cannot add Integer and Symbol`; k_eval gives K's name beside it" },
  { code: "assign-prints", here: "an assignment prints nothing",
    there: "a:!5 and x:1 2 3 print the value that they assign", pattern: /^[A-Za-z][\w.]*:(?:!|-?\d+ )/m },
  { code: "mixed-numbers", here: "1 2 3.5 is a vector of floats",
    there: "1 2 3.5 is a list (1;2;3.5): write every number with its point", pattern: /(?<![\w.])\d+ +\d+\.\d|\d\.\d* +\d+(?![\w.:])/ },
  { code: "divide-vector", here: "% gives floats: 4 8%2 is 2 4.0",
    there: "4 8%2 is 2 4, of ints", pattern: /\d *% *\d/ },
  { code: "power", here: "^ gives a float: 2^3 is 8.0",
    there: "2^3 is 8, an int", pattern: /[\w)\]] *\^ *[\w(]/ },
  { code: "float-vector", here: "2 4.0: one item shows that all are floats",
    there: "every item shows it: 2.0 4.0" },
  { code: "derived-alone", here: "(+/)1 2 3 is 6",
    there: "(+/)1 2 3 prints nothing: write +/1 2 3", pattern: /\([-+*%|&^<>=~,]['/\\]:?\)/ },
  { code: "projection", here: "{x+y}[1] waits for the rest",
    there: "fewer arguments are an error: write {x+y}[1;], or a function of the rest", pattern: /\}\[[^;\][]*\]/ },
  { code: "dot-names", here: "t.b is the item b of the dictionary t",
    there: "t.b is an undefined variable: write t[`b]", pattern: /(?<![\w.`])[A-Za-z]\w*\.[A-Za-z]/ },
  { code: "ssr", here: "_ssr replaces text",
    there: "_ssr is missing", pattern: /_ssr/ },
  { code: "in", here: "1 2 3 _in 2 is 0: _in looks for the whole of its left",
    there: "1 2 3 _in 2 is an error" , pattern: /\d +\d+ *_in\b/ },
  { code: "newline-in-string", here: "a string may hold a newline",
    there: "a newline within a string is an error: write \\n" },
  { code: "function-text", here: "a function prints as it was written",
    there: "a function prints without its blanks and quotes" },
  { code: "shell-commands", here: "\\w and \\m are commands of K",
    there: "\\w, \\m and every unknown \\word run a shell command, with their first argument lost; refused unless K3_SHELL is allow", pattern: /^\\(?:w|m|e|s|b)\b/m },
  { code: "precision", here: "\\p 17 shows all digits",
    there: "after \\p 17 every float fails to print until it is set back", pattern: /^\\p +17/m },
  { code: "global-assign", here: "a::5 at the top is an assignment like a:5",
    there: "a name made with :: survives \\9 and does not show in \\v; k_reset relaunches", pattern: /^[A-Za-z]\w*::/m },
  { code: "wide-characters", here: "text is bytes, in UTF-8",
    // oxlint-disable-next-line no-control-regex
    there: "characters above 255 come back as wrong octal escapes", pattern: /[^\x00-\xff]/ },
  { code: "interrupt", here: "a deadline interrupts and keeps the variables",
    there: "a deadline kills the interpreter; its variables are given back from the last capture" },
]

/** Strings and comments as blanks of the same length. */
const codeAlone = (code: string): string =>
  code.replaceAll(/"(?:[^"\\]|\\[^])*"?|(?<=^|\s)\/[^\n]*/g, (text) => text.replaceAll(/[^\n]/g, " "))

/** Where a code holds what a row is about: each row once, at its first place; an offset into the code. */
export const differencesIn = (code: string): readonly (Difference & { readonly at: number })[] => {
  const alone = codeAlone(code)
  return differences.flatMap((each) => {
    const at = each.pattern === undefined ? -1 : (each.code === "wide-characters" ? code : alone).search(each.pattern)
    return at < 0 ? [] : [{ ...each, at }]
  })
}
