/**
 * Two programs, one file each: what `bin` of package.json names. Minified, which is worth 10 ms of start-up.
 *
 * The MCP SDK brings `ajv` as its default JSON Schema validator; src/mcp gives it another (our schemas have already judged), so `ajv`
 * would be 290 kB parsed at every start for nothing.
 */
const withoutAjv = {
  name: "without-ajv",
  load: (id) =>
    id.includes("/ajvProvider-")
      ? "export class n { constructor() { throw new Error('k3-mcp ships no JSON Schema validator') } }\nexport { n as t, n as r, n as i, n as a, n as o }"
      : undefined,
}

const program = (input, file) => ({
  input,
  platform: "node",
  plugins: [withoutAjv],
  // What is imported late is not compiled early either.
  optimization: { pifeForModuleWrappers: false },
  output: { file, format: "esm", minify: true, codeSplitting: false, postBanner: "#!/usr/bin/env node" },
})

export default [program("src/main.ts", "dist/k3-mcp.js"), program("src/repl/main.ts", "dist/k3.js")]
