/** Two programs, one file each: what `bin` of package.json names. */
const program = (input, file) => ({
  input,
  platform: "node",
  output: { file, format: "esm", minify: true, codeSplitting: false, postBanner: "#!/usr/bin/env node" },
})

export default [program("src/main.ts", "dist/k3-mcp.js"), program("src/repl/main.ts", "dist/k3.js")]
