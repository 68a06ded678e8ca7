/**
 * The K3 skill for coding agents: how to think in K and work with the tools, made of pages of the help. The plugin has its files; clients with the
 * skills extension read them from the server. Imported when it is first asked for (`load.ts`).
 */
import { idiomGroups } from "./idioms.ts"
import { topicPage } from "./help.ts"

/** A page of the help, its headings one level deeper. */
const below = (name: string): string => topicPage(name)!.replaceAll(/^(#+ )/gm, "#$1")

const tasks = idiomGroups.map(({ group, rows }) => `- ${group}: ${rows.map(([, task]) => task).join("; ")}`).join("\n")

const skill = `---
name: k3
description: How to write K3 (Kx's K version 3) and work with the k_* tools of k3-mcp. Use it when reading, writing or debugging .k files, or K expressions such as +/x, @[x;i;f;y], =x.
---

# K3

Work in small steps: \`k_eval\` one expression, look at what it prints, build on it. Variables stay between calls. \`k_help\` opens a verb, name, error or topic by its name, and finds K for a task in words. \`k_validate\` checks code without running it. An error of \`k_eval\` has a caret: fix that place and send the statement alone.

${["quickstart", "traps", "amend", "types", "tree", "files", "data", "server"].map(below).join("\n\n")}

## Tasks that have an idiom

\`k_help\` with the words gives the code and what it prints; \`idioms.md\` beside this file has them all.

${tasks}
`

/** Texts of the files by name. */
export const skillFiles: ReadonlyMap<string, string> = new Map([
  ["SKILL.md", skill],
  ["idioms.md", `${topicPage("idioms")!}\n`],
])
