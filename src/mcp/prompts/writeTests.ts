/** A prompt: write tests for a K function. */
import { namesBelow } from "../resources/sessions.ts"
import { defaultSession } from "../Tool.ts"
import { call, type Prompt } from "./Prompt.ts"

export const writeTests: Prompt = {
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
}
