/** Entries of adverbs, control words, functions and literals. */
import type { HelpEntry, Example } from "./HelpEntry.ts"

type Row = readonly [form: string, keys: readonly string[], title: string, words: string, doc: string, ...examples: readonly Example[]]

// prettier-ignore
const adverbRows: readonly Row[] = [
  ["f/x", ["/", "over", "fold", "reduce"], "over", "accumulate aggregate total insert loop converge fixpoint iterate repeat while",
    "With f of two arguments it folds: +/x is the sum, and y+/x begins with y. With f of one it applies f until the result repeats; n f/x does so n times; g f/x while g of it is true. It must touch f: a blank before / begins a comment.",
    ["+/1 2 3", "6"], ["10+/1 2 3", "16"], ["3{2*x}/1", "8"], ["(100>){2*x}/1", "128"], ["{(x+2%x)%2}/1.0", "1.414214"]],
  ["f\\x", ["\\", "scan"], "scan", "cumulative running prefix accumulate trace intermediate",
    "As over, but every result on the way is kept.",
    ["+\\1 2 3", "1 3 6"], ["3{2*x}\\1", "1 2 4 8"]],
  ["f'x", ["'", "each", "map"], "each", "apply every item for all loop pairwise zip",
    "f of each item; between two lists, item by item, an atom with every item.",
    ["#:'(1 2;3 4 5)", "2 3"], ["1 2 3{x,y}'4 5 6", "(1 4\n 2 5\n 3 6)"]],
  ["x f/:y", ["/:", "each right"], "each right", "map right cross outer",
    "The whole of x with each item of y: a row per item of y.",
    ["1 2+/:10 20", "(11 12\n 21 22)"]],
  ["x f\\:y", ["\\:", "each left"], "each left", "map left cross outer",
    "Each item of x with the whole of y: a row per item of x.",
    ["1 2+\\:10 20", "(11 21\n 12 22)"], ["1 2,/:\\:`a`b", "(((1;`a)\n  (1;`b))\n ((2;`a)\n  (2;`b)))"]],
  ["f':x", ["':", "each prior", "prior"], "each prior", "deltas differences neighbours pairs previous",
    "f of each item and the one before it, one shorter than x; with a left argument, that is put in front.",
    ["-':4 8 9 12", "4 1 3"], ["0-':4 8 9", "0 4 1"]],
]

// prettier-ignore
const controlRows: readonly Row[] = [
  [":[c;t;f]", [":[", "cond", "condition"], "cond", "if then else ternary case switch choose branch",
    "The value of t when c is not 0, else of f; more pairs before the last are else-ifs. Only what is chosen is evaluated.",
    [":[2>1;`yes;`no]", "`yes"], ["{:[x<0;`neg;x=0;`zero;`pos]}'-1 0 1", "`neg `zero `pos"]],
  ["if[c;a;b]", ["if"], "if", "condition when then statement",
    "Runs a, b, … when c is not 0. It gives nil: to choose a value use :[c;t;f].",
    ["x:5\nif[x>3;x:0]\nx", "0"]],
  ["while[c;a;b]", ["while"], "while", "loop repeat until for",
    "Runs a, b, … as long as c is not 0; gives nil. Over and scan say most loops shorter.",
    ["i:0\nwhile[i<3;i+:1]\ni", "3"]],
  ["do[n;a;b]", ["do", "for"], "do", "loop repeat times for n",
    "Runs a, b, … n times; gives nil.",
    ["s:1\ndo[3;s*:2]\ns", "8"]],
  ["{[a;b]s1;s2}", ["{", "{}", "function", "lambda"], "function", "define procedure parameters arguments local variables valence body",
    "A function; its value is that of the last statement. Without a parameter list the arguments are x, y, z. A name assigned in it with : is local; n::v assigns the global. A } on a line of its own ends in an empty statement, and the function returns nil.",
    ["f:{[a;b]a+2*b}\nf[1;10]", "21"], ["{x*x}3", "9"], ["{x+y}[1]5", "6"]],
  ["_f", ["_f", "self", "recursion"], "the function itself", "recursive call own name",
    "Within a function, that function: recursion without a name.",
    ["{:[x<2;1;x*_f x-1]}5", "120"]],
  [":x", [":", "return"], "return", "early exit leave function result",
    "In a function, leaves it with the value of x.",
    ["{if[x<0;:`negative];_sqrt x}'-4 4", "(`negative;2.0)"]],
  ["'x", ["'\"", "signal"], "signal", "raise throw error exception",
    "Ends the evaluation in an error whose name is the text x.",
    ["@[{'\"too small\"};0;:]", "(1;\"too small\")"]],
  ["@[f;x;:]", ["trap", "try", "catch"], "trap", "exception handle error safe protected",
    "f of x, and what became of it: (0;result) or (1;error's name). .[f;(x;y);:] for a list of arguments.",
    ["@[{1+x};`a;:]", "(1;\"type\")"], [".[+;1 2;:]", "0 3"]],
  ["n:v", ["assignment", "::", "a:"], "assignment", "set variable define store global local increment modify",
    "n:v names a value; n+:v and so with every verb; n[i]:v and n[i]+:v at places; in a function n::v means the global.",
    ["a:1 2 3\na[1]+:10\na,:7\na", "1 12 3 7"]],
]

const entry =
  (kind: "adverb" | "control") =>
  ([form, keys, title, words, doc, ...examples]: Row): HelpEntry => ({
    kind,
    form,
    keys: [form, title, ...keys],
    title,
    group: kind === "adverb" ? "adverb" : "syntax",
    body: [doc, ...examples],
    words,
    related: [],
  })

export const adverbs: readonly HelpEntry[] = adverbRows.map(entry("adverb"))
export const syntax: readonly HelpEntry[] = controlRows.map(entry("control"))
