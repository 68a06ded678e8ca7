/** A prompt: the first calls in a K session. */
import { call, type Prompt } from "./Prompt.ts"

export const quickStart: Prompt = {
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
}
