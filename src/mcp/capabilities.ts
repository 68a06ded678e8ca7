/**
 * The server's capabilities, for `Opening.ts` and `server.ts`. Tasks exist only in the modern era, where each request declares that it takes them.
 */
import type { Era } from "./message.ts"

const skills = { "io.modelcontextprotocol/skills": {} }

export const capabilitiesIn = (era: Era) => ({
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: {},
  completions: {},
  extensions: era === "modern" ? { ...skills, "io.modelcontextprotocol/tasks": {} } : skills,
})
