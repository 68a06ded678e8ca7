/** A prompt: correct code that ends in an error of K. */
import { call, type Prompt } from "./Prompt.ts"

export const fixError: Prompt = {
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
}
