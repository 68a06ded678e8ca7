/** All prompts. */
import * as Effect from "effect/Effect"
import { namesBelow } from "../resources/sessions.ts"
import { defaultSession } from "../Tool.ts"
import { call, type Prompt } from "./Prompt.ts"

export const prompts: readonly Prompt[] = [
  {
    name: "quick-start",
    title: "Quick start",
    description: "The first calls in a K session, and what to look for in their replies.",
    arguments: [],
    text: () => `You have a persistent K3 session. Try these calls, then go on by yourself:

${call("k_eval", { code: "m:(1 2 3;4 5 6)\n+/m" })}
adds the rows: 5 7 9. Variables stay for the next call.

${call("k_inspect", { path: "m" })}
shows a variable without printing all of it.

${call("k_validate", { code: "f:{x+y\n  2*x}" })}
checks code without running it.

${call("k_help", { query: "sort" })}
finds verbs and idioms; a glyph or an error's name works too.

${call("k_eval", { code: "r:m%2", rollback: true, changes: true })}
undoes everything on an error, and says which names changed.

K reads right to left without precedence: 2*3+4 is 14. "ok": false is an error of K: mend what the caret shows and send it again.`,
  },
  {
    name: "k-for-array-people",
    title: "K3 for someone who knows arrays",
    description: "K3 against APL, J, q or NumPy: what is the same, what bites.",
    arguments: [
      {
        name: "language",
        description: "what you come from: APL, J, q, NumPy",
        required: false,
        values: Effect.succeed(["APL", "J", "NumPy", "q"]),
      },
    ],
    text: ({
      language = "another array language",
    }) => `Explain K3 to someone who comes from ${language}. Show each point with a call and its reply:

${call("k_eval", { code: "2*3+4" })}
right to left, no precedence: 14.

${call("k_eval", { code: "+/1 2 3\n+\\1 2 3\n{x*x}'1 2 3\n1 2 3+\\:10 20" })}
adverbs follow the verb: over / , scan \\ , each ' , each-right /: , each-left \\: .

${call("k_eval", { code: "m:(1 2;3 4)\nm[;1]\nm . 1 0\n#m\n^m" })}
a matrix is a list of lists; # counts, ^ gives the shape, @ and . index and apply.

${call("k_eval", { code: "a:!5\na[1 3]:10 30\na\n@[a;0;+;7]" })}
amend in place by assignment, or a changed copy by @[value;index;verb;argument].

${call("k_eval", { code: "7%2\n_7%2\n7!2" })}
% divides and gives a float, ! with an int on the right is the rest.

${call("k_eval", { code: "d:.((`a;1);(`b;2 3))\nd.b\n!d\n$1.5" })}
dictionaries, and the names in them.

Name what differs from ${language}, and the traps: a blank before / starts a comment; a function whose } stands alone on its line returns nothing; "a" is one character, not a string of one.`,
  },
  {
    name: "fix-error",
    title: "Fix this error",
    description: "From an error of K to code that runs.",
    arguments: [
      { name: "code", description: "the K code that failed", required: true },
      { name: "error", description: "what was said, if it is at hand", required: false },
    ],
    text: ({ code = "", error }) => `This K3 code fails${error === undefined ? "" : ` with ${error}`}:

${code}

1. Look for what can be seen without running it:
${call("k_validate", { code })}
2. Run it so that nothing is left behind; the caret in the reply stands at the verb that failed:
${call("k_eval", { code, rollback: true })}
3. Look up that verb, or the error's name, with k_help, and the shapes of what it was given with k_inspect.
4. Say what was wrong in one sentence, mend it, and run it again until "ok" is true.`,
  },
  {
    name: "build-loop",
    title: "Edit, build, reload, check",
    description: "The loop for work on the K3CSharp interpreter.",
    arguments: [{ name: "change", description: "what is to be changed in the interpreter", required: false }],
    text: ({ change = "the interpreter" }) => `You are changing K3CSharp: ${change}.

1. See what runs, and whether the build on disk is newer:
${call("k_status", {})}
2. Pin down today's behaviour with a few expressions that the change should and should not affect:
${call("k_eval", { code: "2+2\n|!4" })}
3. Edit the C# sources, then build and switch in one call; a build that fails or is not well changes nothing, and compiler errors come back as data:
${call("k_reload", { build: true, check: ["2+2", "|!4"] })}
4. Read "checks": those are the expressions that answer differently now. Each is the change you meant, or a regression.
5. Compare with the embedded interpreter where K itself should decide:
${call("k_compare", { code: "2+2", between: ["running", "embedded"] })}
Variables stay over the reload. Go round until only what you meant differs.`,
  },
  {
    name: "write-tests",
    title: "Write tests for a function",
    description: "A regression test of a K function, run and exported.",
    arguments: [
      { name: "function", description: "name of the function in the session", required: true, values: namesBelow(defaultSession, "") },
    ],
    text: ({ function: name = "f" }) => `Write tests for the K function ${name}.

1. Read it, what it uses, and how many arguments it takes:
${call("k_inspect", { path: name })}
2. In a copy of the session try what it is for, then the edges: an empty list (!0), one item, a nested list, nulls (0N 0n), the wrong type. One call a case, so that each becomes a test:
${call("k_session", { action: "fork", name: "tests" })}
${call("k_eval", { code: `.[${name};,!0;:]`, session: "tests" })}
The trap .[f;arguments;:] gives (0;result) or (1;error) instead of failing.
3. Keep what is right as a regression test, a file that k3 --test runs:
${call("k_history", { action: "test", session: "tests" })}
4. Say which behaviour surprised you; do not put a wrong answer into a test without saying so.`,
  },
  {
    name: "explore-data",
    title: "Explore this data file",
    description: "Types, counts, gaps and extremes of a file's columns, and the first questions to ask it.",
    arguments: [{ name: "file", description: "path of the file, below the roots", required: true }],
    text: ({ file = "" }) => `Explore the data in ${file}. Say what each column holds before you conclude anything from it.

1. See its size and first lines: the separator, names, quotes.
${call("k_eval", { code: `f:${JSON.stringify(file)}\n_size f\n0:(f;0;400&_size f)` })}
2. Read it as symbols first, then again with a letter a column: I int, F float, S symbol, C string, a blank leaves it out. With quotes in it, take k_help "csv-quoted".
${call("k_eval", { code: 'read:{c:(x;,",")0:f;.+c}\nt:read(1+#(*0:(f;0;4000&_size f))_ss ",")#"S"\n!t' })}
3. Counts, types, gaps, extremes:
${call("k_eval", { code: "gaps:{:[-1=4:x;x=0N;-2=4:x;x=0n;-4=4:x;x=`;0=#:'x]}\n#:'t[]\n4:'t[]\n+/'gaps't[]\n{v:x@&~gaps x;:[#v;(*v@<v;*v@>v);()]}'t[]" })}
4. Few different values make groups, as many as rows a key:
${call("k_eval", { code: "#:'?:'t[]\nmost:{g:=x;o:>#:'g;((#o)&5)#+((?x)o;(#:'g)o)}\nmost't[]" })}
5. Ask: do rows repeat, do numbers stand for gaps (-1, 999), what depends on which group? k_help "data" shows how to clean, group and join. Answer with numbers, and say how many rows each rests on.`,
  },
]

export const find = (name: string): Prompt | undefined => prompts.find((each) => each.name === name)

/** The entries of `prompts/list`. */
export const listed: readonly object[] = prompts.map(({ name, title, description, arguments: all }) => ({
  name,
  title,
  description,
  arguments: all.map((each) => ({ name: each.name, description: each.description, required: each.required })),
}))
