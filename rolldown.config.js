/**
 * Bundles the programs, each a file and a folder (`program`): the two that `bin` of package.json names, `k3 --attach`, `k3 --lsp`, and the program
 * that draws, with its font and its rasteriser. Beside them: the interpreter as an ES module, with its types, the page and the views.
 *
 * Programs are minified, which makes a start 10 ms faster. They are CommonJS, since Node needs another 10 ms to load its first ES module.
 */
import { readFileSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { isolatedDeclarationSync } from "rolldown/experimental"

/**
 * `ajv` is the SDK's default JSON Schema validator. `src/mcp` gives the SDK another one, so these 290 kB would be parsed at each start and never
 * used.
 */
const withoutAjv = {
  name: "without-ajv",
  load: (id) =>
    id.includes("/ajvProvider-")
      ? "export class n { constructor() { throw new Error('k3-mcp ships no JSON Schema validator') } }\nexport { n as t, n as r, n as i, n as a, n as o }"
      : undefined,
}

/** With a letter beyond Latin-1, V8 keeps the whole file at two bytes a letter, which costs 8 ms at each start. */
const inAscii = {
  name: "in-ascii",
  generateBundle: (_, bundle) => {
    for (const chunk of Object.values(bundle).filter(({ type }) => type === "chunk"))
      chunk.code = chunk.code.replaceAll(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)
  },
}

const common = {
  platform: "node",
  plugins: [withoutAjv],
  // A module of Effect reads `import.meta.env`, which only some bundlers define.
  transform: { define: { "import.meta.env": "undefined" } },
  // Code that is imported late is not compiled early either.
  optimization: { pifeForModuleWrappers: false },
}

/** Beside a `package.json` of type `module`, Node would take them for ES modules. */
const toldAsCommonJs = {
  name: "told-as-commonjs",
  generateBundle() {
    this.emitFile({ type: "asset", fileName: "package.json", source: '{ "type": "commonjs" }\n' })
  },
}

/** The files of packages that the drawing program reads. */
const materials = {
  "resvg.wasm": "@resvg/resvg-wasm/index_bg.wasm",
  ...Object.fromEntries(
    ["latin", "latin-ext", "vietnamese", "greek", "greek-ext", "cyrillic", "cyrillic-ext"].map((letters) => [
      `inter-${letters}.woff`,
      `@fontsource/inter/files/inter-${letters}-400-normal.woff`,
    ]),
  ),
  "inter-license.txt": "@fontsource/inter/LICENSE",
}
const withMaterials = {
  name: "with-materials",
  generateBundle() {
    for (const [fileName, path] of Object.entries(materials))
      this.emitFile({ type: "asset", fileName, source: readFileSync(new URL(`node_modules/${path}`, import.meta.url)) })
  },
}

/** Vega's parts for Node look for a canvas and for files; those for browsers find neither. */
const browserParts = Object.fromEntries(
  ["canvas", "loader"].map((part) => [
    `vega-${part}`,
    fileURLToPath(new URL(`node_modules/vega-${part}/build/vega-${part}.browser.js`, import.meta.url)),
  ]),
)

/**
 * Corrections of Vega, which looks texts up in objects that inherit names. Without the first a text such as `"constructor"`, and `"if"`, is read
 * as the name of a signal, so no title or column may be called so; without the others no scale of names may have such a column.
 */
const corrections = [
  ["vega-expression", "legalKeywords[lookahead.value]", "(type === TokenKeyword && legalKeywords[lookahead.value])"],
  ["vega-parser", "ds.counts = {}", "ds.counts = Object.create(null)"],
  ["vega-parser", "ds[name] = {}", "ds[name] = Object.create(null)"],
]
const withCorrections = {
  name: "with-corrections",
  transform(code, id) {
    let corrected = code
    for (const [part, wrong, right] of corrections.filter(([part]) => id.endsWith(`/${part}/build/${part}.js`))) {
      if (!code.includes(wrong)) this.error(`${part} has no "${wrong}" any more: see whether this correction is still needed`)
      corrected = corrected.replace(wrong, right)
    }
    return corrected
  },
}

/** Removes the files of earlier builds from a folder: their names have other hashes. */
const emptied = (folder) => ({ name: "emptied", buildStart: () => rmSync(folder, { recursive: true, force: true }) })

/**
 * The file of a program, and a folder of the same name with the code that it imports late, so that a start neither reads nor compiles that code. A
 * name in the folder has a hash of the file's contents: a program that runs while its files are replaced does not mix two builds. Code that both
 * use lies in the folder too (`strict`): a late file that loaded the program's file under another name or spelling would run the program again.
 */
const program = (input, name, ...plugins) => ({
  ...common,
  input,
  preserveEntrySignatures: "strict",
  plugins: [...common.plugins, ...plugins, emptied(`dist/${name}`), inAscii, toldAsCommonJs],
  output: {
    format: "cjs",
    minify: true,
    // Code in CommonJS loads a module of Node's own by `require`, at once.
    dynamicImportInCjs: false,
    dir: "dist",
    entryFileNames: `${name}.js`,
    chunkFileNames: `${name}/[name]-[hash].js`,
    postBanner: ({ isEntry }) => (isEntry ? "#!/usr/bin/env node" : ""),
  },
})

/** The types of a file that names no type of another file, beside its bundle. */
const withTypes = (input, fileName) => ({
  name: "with-types",
  generateBundle() {
    const { code, errors } = isolatedDeclarationSync(input, readFileSync(input, "utf8"))
    if (errors.length > 0) this.error(errors[0].message)
    this.emitFile({ type: "asset", fileName, source: code })
  },
})
/** The page beside its script: names carry a hash of what is in them, so that browsers may keep them. */
const withPage = {
  name: "with-page",
  generateBundle(_, bundle) {
    const source = ["src/page/page.css", "src/grid/grid.css"].map((file) => readFileSync(file, "utf8")).join("")
    const style = this.getFileName(this.emitFile({ type: "asset", name: "page.css", source }))
    const script = Object.values(bundle).find(({ isEntry }) => isEntry).fileName
    const page = readFileSync("src/page/index.html", "utf8").replace("__STYLE__", style).replace("__SCRIPT__", script)
    this.emitFile({ type: "asset", fileName: "index.html", source: page })
  },
}

/** A view of MCP Apps: one file, its script and styles in it. */
const view = (name, source, style) => ({
  input: `src/view/${source}`,
  platform: "browser",
  plugins: [inAscii, inOneFile(name, style)],
  output: { dir: "dist/view", format: "iife", minify: true, codeSplitting: false },
})
const inOneFile = (name, style) => ({
  name: "in-one-file",
  generateBundle(_, bundle) {
    const [[file, { code }]] = Object.entries(bundle)
    delete bundle[file]
    const page = readFileSync(`src/view/${name}.html`, "utf8")
    // Functions: a replacement would read `$` in the text.
    const styled = page.replace("__LIBRARY__", () => readFileSync(style, "utf8"))
    const whole = styled.replace("__SCRIPT__", () => code.replaceAll("</script", "<\\/script"))
    this.emitFile({ type: "asset", fileName: `${name}.html`, source: whole })
  },
})

const drawing = program("src/plot/main.ts", "k3-plot", withMaterials, withCorrections)

export default [
  program("src/main.ts", "k3-mcp"),
  program("src/repl/main.ts", "k3"),
  program("src/attach/main.ts", "k3-attach"),
  // Loaded by `k3 --lsp` alone. It needs at once all that the server imports late.
  { ...program("src/lsp/main.ts", "k3-lsp"), checks: { ineffectiveDynamicImport: false } },
  {
    input: "src/embed/k3.ts",
    platform: "neutral",
    plugins: [inAscii, withTypes("src/embed/k3.ts", "interpreter.d.mts")],
    output: { file: "dist/interpreter.mjs", format: "esm", minify: true, codeSplitting: false },
  },
  { ...drawing, resolve: { alias: browserParts } },
  {
    input: "src/page/main.tsx",
    platform: "browser",
    plugins: [withoutAjv, withPage],
    output: {
      dir: "dist/page",
      cleanDir: true,
      format: "esm",
      minify: true,
      codeSplitting: false,
      entryFileNames: "assets/page-[hash].js",
      assetFileNames: "assets/page-[hash][extname]",
    },
  },
  view("plot", "plot.tsx", "node_modules/uplot/dist/uPlot.min.css"),
  view("variable", "variable.tsx", "src/grid/grid.css"),
]
