/** What the server says it can do; `Opening.ts` and `server.ts` say the same. Tasks are of the later era alone, where each request declares them. */
import type { Era } from "./message.ts"

const skills = { "io.modelcontextprotocol/skills": {} }

export const capabilitiesIn = (era: Era) => ({
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: {},
  completions: {},
  extensions: era === "modern" ? { ...skills, "io.modelcontextprotocol/tasks": {} } : skills,
})
