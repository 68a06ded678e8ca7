/** A prompt: K3 for a person who knows another array language. */
import * as Effect from "effect/Effect"
import { call, type Prompt } from "./Prompt.ts"

export const knowingArrays: Prompt = {
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
}
