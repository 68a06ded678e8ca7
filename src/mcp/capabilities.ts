/** What the server says it can do, in both eras; `Opening.ts` and `converse.ts` say the same. */
export const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: {},
  completions: {},
  extensions: { "io.modelcontextprotocol/skills": {} },
}
