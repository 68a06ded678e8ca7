/** A prompt: change the K3CSharp interpreter. */
import { call, type Prompt } from "./Prompt.ts"

export const buildLoop: Prompt = {
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
}
