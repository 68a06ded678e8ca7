/**
 * Two programs, one file each: what `bin` of package.json names. Minified, which is worth 10 ms of start-up.
 *
 * The MCP SDK brings `ajv` as its default JSON Schema validator; src/mcp gives it another (our schemas have already judged), so `ajv`
 * would be 290 kB parsed at every start for nothing.
 */
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const withoutAjv = {
  name: "without-ajv",
  load: (id) =>
    id.includes("/ajvProvider-")
      ? "export class n { constructor() { throw new Error('k3-mcp ships no JSON Schema validator') } }\nexport { n as t, n as r, n as i, n as a, n as o }"
      : undefined,
}

/** One letter beyond Latin-1 and V8 keeps the whole file at two bytes a letter, which costs 8 ms at every start. */
const inAscii = {
  name: "in-ascii",
  generateBundle: (_, bundle) => {
    for (const chunk of Object.values(bundle))
      chunk.code = chunk.code.replaceAll(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)
  },
}

const common = {
  platform: "node",
  plugins: [withoutAjv],
  // What is imported late is not compiled early either.
  optimization: { pifeForModuleWrappers: false },
}

/**
 * What `main.ts` imports behind the first reply lies in the file as text and is compiled when it is needed: even reading it over, which
 * is all that JavaScript does with a function before it is called, takes longer than everything a client waits for.
 */
const compiledWhenNeeded = (late) => ({
  name: "compiled-when-needed",
  load: async (id) => {
    if (id !== late) return undefined
    const bundle = await rolldown({ ...common, input: late })
    const [{ code, exports }] = (await bundle.generate({ format: "cjs", minify: true, codeSplitting: false, exports: "named" })).output
    await bundle.close()
    return [
      'import { createRequire } from "node:module"',
      'import { compileFunction } from "node:vm"',
      "const exports = {}",
      `const code = ${JSON.stringify(code)}`,
      'compileFunction(code, ["exports", "require"], { filename: "k3-mcp (program.ts)" })(exports, createRequire(import.meta.url))',
      `export const { ${exports.join(", ")} } = exports`,
    ].join("\n")
  },
})

const program = (input, file, ...plugins) => ({
  ...common,
  input,
  plugins: [...common.plugins, ...plugins, inAscii],
  output: { file, format: "esm", minify: true, codeSplitting: false, postBanner: "#!/usr/bin/env node" },
})

export default [
  program("src/main.ts", "dist/k3-mcp.js", compiledWhenNeeded(fileURLToPath(new URL("src/program.ts", import.meta.url)))),
  program("src/repl/main.ts", "dist/k3.js"),
]
