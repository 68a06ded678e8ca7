/** The rooms of ARCHITECTURE.md as rules over imports: what this file forbids is what the map promises. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "..")
const source = join(root, "src")

interface Import {
  readonly from: string
  /** A path below src, or a package or `node:` module as written. */
  readonly to: string
  readonly typeOnly: boolean
  /** `import(…)`, when it is reached. */
  readonly late: boolean
}

const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => path.replaceAll("\\", "/"))

const imports: readonly Import[] = files.flatMap((from) => {
  const text = readFileSync(join(source, from), "utf8")
  return [...text.matchAll(/^\s*(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"|\bimport\("([^"]+)"\)/gm)].map((match) => {
    const to = match[2] ?? match[3]!
    return {
      from,
      to: to.startsWith(".") ? relative(source, join(source, dirname(from), to)).replaceAll("\\", "/") : to,
      typeOnly: match[1] !== undefined,
      late: match[3] !== undefined,
    }
  })
})

const isPlatform = (to: string): boolean => to.startsWith("node:") || to.startsWith("@effect/platform-node")
/** The three ways into the language. */
const isInterpreter = (to: string): boolean => to === "k3/k3.ts"
const isDocuments = (to: string): boolean => /^k3\/(?:documents|loadDocuments)\.ts$/.test(to)
/** The text of K as the server reads it, before the language is loaded; and the name that is nearest to a wrong one. */
const isText = (to: string): boolean => /^k3\/text\/(?:scan|statements|nearest)\.ts$/.test(to)
const isSdk = (to: string): boolean => to.startsWith("@modelcontextprotocol/")

/** Imports out of a room that its rule does not allow, as "from → to". */
const offences = (from: RegExp, allowed: (to: string, each: Import) => boolean): readonly string[] =>
  imports.filter((each) => from.test(each.from) && !allowed(each.to, each)).map((each) => `${each.from} → ${each.to}`)

/** Groups of files that import each other in a circle: Tarjan's strongly connected components of more than one file. */
const cycles = (among: (file: string) => boolean): readonly (readonly string[])[] => {
  const below = new Map<string, string[]>()
  for (const { from, to } of imports) if (among(from) && among(to)) below.set(from, [...(below.get(from) ?? []), to])
  const order = new Map<string, { index: number; low: number; open: boolean }>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (file: string): { index: number; low: number; open: boolean } => {
    const mark = { index: order.size, low: order.size, open: true }
    order.set(file, mark)
    stack.push(file)
    for (const next of below.get(file) ?? []) {
      const known = order.get(next)
      if (known === undefined) mark.low = Math.min(mark.low, visit(next).low)
      else if (known.open) mark.low = Math.min(mark.low, known.index)
    }
    if (mark.low === mark.index) {
      const group = stack.splice(stack.indexOf(file))
      for (const each of group) order.get(each)!.open = false
      if (group.length > 1) found.push(group.toSorted())
    }
    return mark
  }
  for (const file of files) if (among(file) && !order.has(file)) visit(file)
  return found
}

describe("imports go one way: main → mcp → define → session → repl/frame and k3/text, repl/main → k3, and mcp and repl → help → k3", () => {
  it("reads the imports at all", () => {
    expect(files.length).toBeGreaterThan(20)
    expect(imports.some(({ from, to }) => from === "main.ts" && to.startsWith("mcp/"))).toBe(true)
  })

  it("k3 imports nothing but itself", () => {
    expect(offences(/^k3\//, (to) => to.startsWith("k3/"))).toEqual([])
  })

  it("the language is entered through the interpreter, its documents, and the text of K, and no other file", () => {
    expect(offences(/^(?!k3\/)/, (to) => !to.startsWith("k3/") || isInterpreter(to) || isDocuments(to) || isText(to))).toEqual([])
  })

  it("the façades of the language export nothing that nobody uses", () => {
    const outside = files.filter((file) => !file.startsWith("k3/")).map((file) => readFileSync(join(source, file), "utf8"))
    for (const façade of ["k3/k3.ts", "k3/documents.ts"]) {
      const text = readFileSync(join(source, façade), "utf8")
      const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) => list!.split(","))
      const names = [...lists, ...[...text.matchAll(/^export (?:const|type) (\w+)/gm)].map(([, name]) => name!)]
      expect(names.length).toBeGreaterThan(3)
      const word = (name: string): RegExp => new RegExp(`\\b${name.replace("type ", "").trim()}\\b`)
      expect(names.filter((name) => !outside.some((each) => word(name).test(each)))).toEqual([])
    }
  })

  it("the scanner, statements, repl/frame and repl/cases, which the server reads too, import nothing but the scanner", () => {
    expect(offences(/^k3\/text\/(scan|statements)\.ts$|^repl\/(frame|cases)\.ts$/, (to) => to === "k3/text/scan.ts")).toEqual([])
  })

  it("repl speaks to the language through its boundary, and to no other room", () => {
    expect(
      offences(
        /^repl\//,
        (to) => to.startsWith("repl/") || isInterpreter(to) || isText(to) || to === "help/help.ts" || to.startsWith("node:"),
      ),
    ).toEqual([])
  })

  it("embed speaks to the language through its boundary, and knows no other room and no platform", () => {
    expect(offences(/^embed\//, (to) => to.startsWith("embed/") || isInterpreter(to) || isText(to))).toEqual([])
  })

  it("lsp knows the documents of the language, the help, and which files the interpreter finds; and alone the editors' protocol", () => {
    expect(
      offences(
        /^lsp\//,
        (to) =>
          /^(?:lsp|help)\//.test(to) ||
          ["repl/fence.ts", "repl/scriptFiles.ts", "limits.ts"].includes(to) ||
          isDocuments(to) ||
          isText(to) ||
          /^(?:node:|vscode-languageserver)/.test(to),
      ),
    ).toEqual([])
    expect(offences(/^(?!lsp\/)/, (to) => !to.startsWith("vscode-"))).toEqual([])
  })

  it("session knows nothing of MCP, of K's meaning or of the platform, and child nothing of sessions", () => {
    const shared = (to: string) =>
      /^(?:Settings|Telemetry|abandonable|engineKinds|limits|visible|elapsed|atEnd|loggingDefects|shortened|joinedBytes)\.ts$/.test(to) ||
      /^repl\/(frame|cases)\.ts$/.test(to) ||
      isText(to) ||
      to.startsWith("effect/")
    const isPicture = (to: string): boolean => /^plot\/(?:frames|Picture)\.ts$/.test(to)
    expect(offences(/^session\//, (to) => /^(session|child|store)\//.test(to) || isPicture(to) || shared(to))).toEqual([])
    expect(offences(/^child\//, (to) => to.startsWith("child/") || shared(to))).toEqual([])
  })

  it("store knows what a child holds, and no session; everybody else knows the store by its port and the cache over it", () => {
    expect(
      offences(
        /^store\//,
        (to) =>
          to.startsWith("store/") ||
          /^child\/(?:Contents|Machine|systemReason)\.ts$/.test(to) ||
          [
            "Settings.ts",
            "engineKinds.ts",
            "limits.ts",
            "visible.ts",
            "elapsed.ts",
            "abandonable.ts",
            "loggingDefects.ts",
            "crc32.ts",
            "joinedBytes.ts",
          ].includes(to) ||
          to.startsWith("effect/"),
      ),
    ).toEqual([])
    expect(
      offences(
        /^(?!store\/|platform\/|program\.ts|member\.ts|cluster\/sql\w+\.ts)/,
        (to) => !to.startsWith("store/") || /^store\/(?:Store|DocumentCache)\.ts$/.test(to),
      ),
    ).toEqual([])
  })

  it("define knows sessions and settings, and nothing of MCP", () => {
    expect(
      offences(
        /^define\//,
        (to) =>
          /^(define|session|child|store)\//.test(to) ||
          to === "plot/described.ts" ||
          ["Settings.ts", "engineKinds.ts", "limits.ts", "visible.ts", "elapsed.ts", "shortened.ts", "nesting.ts"].includes(to) ||
          isText(to) ||
          to.startsWith("effect/"),
      ),
    ).toEqual([])
  })

  it("mcp knows sessions, defined tools, the help and settings, and alone knows the SDK, but for its client, which attach and the page are", () => {
    expect(
      offences(
        /^mcp\//,
        (to) =>
          /^(mcp|define|session|child|store|help)\//.test(to) ||
          /^plot\/(?:Picture|specProblem)\.ts$/.test(to) ||
          [
            "Settings.ts",
            "Telemetry.ts",
            "settingKinds.ts",
            "engineKinds.ts",
            "limits.ts",
            "visible.ts",
            "elapsed.ts",
            "atEnd.ts",
            "loggingDefects.ts",
            "joinedBytes.ts",
            "lookup.ts",
            "shortened.ts",
            "nesting.ts",
            "repl/cases.ts",
          ].includes(to) ||
          isDocuments(to) ||
          to.startsWith("effect/") ||
          isSdk(to),
      ),
    ).toEqual([])
    expect(offences(/^(?!mcp\/|attach\/|page\/)/, (to) => !isSdk(to))).toEqual([])
  })

  it("page is a client in a browser: it knows how a server is asked, how a history is followed and how K is cut into pieces, and alone the parts that it is drawn with", () => {
    const drawnWith = /^(?:preact|@preact\/signals|@codemirror|@tanstack\/virtual-core)(?:\/|$)/
    expect(
      offences(
        /^page\//,
        (to) =>
          /^(?:page|grid)\//.test(to) ||
          [
            "attach/follow.ts",
            "attach/forPeople.ts",
            "attach/readNews.ts",
            "attach/wire.ts",
            "repl/beforeCursor.ts",
            "visible.ts",
            "@modelcontextprotocol/client",
          ].includes(to) ||
          isText(to) ||
          drawnWith.test(to),
      ),
    ).toEqual([])
    expect(offences(/^grid\//, (to) => to.startsWith("grid/") || drawnWith.test(to))).toEqual([])
    expect(offences(/^view\//, (to) => /^(?:view|grid)\//.test(to) || to === "uplot" || drawnWith.test(to))).toEqual([])
    expect(offences(/^(?!(?:page|grid|view)\/)/, (to) => !drawnWith.test(to) && !to.startsWith("grid/"))).toEqual([])
  })

  it("attach is a client: it knows the terminal, where servers are found, and nothing of what they do", () => {
    expect(
      offences(
        /^attach\//,
        (to) =>
          to.startsWith("attach/") ||
          /^repl\/(?:attach|Terminal)\.ts$/.test(to) ||
          /^platform\/(?:address|openRequest|stateFolder)\.ts$/.test(to) ||
          to === "settingKinds.ts" ||
          to === "visible.ts" ||
          to === "@modelcontextprotocol/client" ||
          isText(to) ||
          to.startsWith("node:"),
      ),
    ).toEqual([])
  })

  it("help is made from the language's documents, and imports nothing else but its index", () => {
    expect(
      offences(
        /^help\//,
        (to) => to.startsWith("help/") || isDocuments(to) || isText(to) || to === "minisearch" || to === "engineKinds.ts",
      ),
    ).toEqual([])
  })

  it("the help and the language are loaded late: outside of them types alone are imported in advance", () => {
    const early = imports.filter(({ from, typeOnly, late }) => !/^(embed|help|k3|lsp|repl)\//.test(from) && !typeOnly && !late)
    expect(early.filter(({ to }) => /^(help|k3)\//.test(to) && !isText(to)).map(({ from, to }) => `${from} → ${to}`)).toEqual([])
  })

  it("plot knows the images of values, and neither sessions nor MCP; the server knows what crosses to it, and loads none of its drawing", () => {
    const drawing = /^(?:vega(?:-lite|-interpreter)?|@resvg\/resvg-wasm)$/
    const isProgram = (from: string): boolean => from === "plot/main.ts"
    expect(
      offences(
        /^plot\//,
        (to, { from }) =>
          to.startsWith("plot/") ||
          /^child\/engines\/(?:image|letters)\.ts$/.test(to) ||
          ["crc32.ts", "engineKinds.ts", "joinedBytes.ts", "shortened.ts", "visible.ts"].includes(to) ||
          drawing.test(to) ||
          (isProgram(from) && isPlatform(to)),
      ),
    ).toEqual([])
    expect(offences(/^(?!plot\/)/, (to) => !drawing.test(to))).toEqual([])
    expect(
      offences(
        /^plot\/(?:Picture|frames|specProblem)\.ts$/,
        (to, { typeOnly }) => typeOnly || ["plot/Picture.ts", "joinedBytes.ts"].includes(to),
      ),
    ).toEqual([])
  })

  it("only main, repl, attach, lsp, platform and the program that draws touch the platform", () => {
    expect(
      offences(/^(?!main\.ts|program\.ts|member\.ts|plot\/main\.ts|lsp\/|repl\/|attach\/|platform\/)/, (to) => !isPlatform(to)),
    ).toEqual([])
  })

  it("platform knows the ports it serves, and no policy", () => {
    const ports =
      /^cluster\/Watchdog\.ts$|^child\/(?:Process|Machine|Fence|residentBytes|fence\/\w+)\.ts$|^(?:crc32|store\/folder\/Lock)\.ts$|^session\/(?:output\/Spool|RootFiles)\.ts$|^mcp\/(?:StdioTransport|http\/(?:Listener|Principal))\.ts$/
    expect(
      offences(
        /^platform\//,
        (to) =>
          to.startsWith("platform/") ||
          ports.test(to) ||
          /^repl\/(?:fence(?:dFiles)?|inFolder|makeFolder|scriptFiles|stateHome|withFallback)\.ts$/.test(to) ||
          ["Settings.ts", "Telemetry.ts", "settingKinds.ts", "limits.ts", "lookup.ts", "visible.ts", "k3/text/nearest.ts"].includes(to) ||
          to.startsWith("effect/") ||
          to === "jose" ||
          to === "@effect/sql-pg/PgClient" ||
          isPlatform(to),
      ),
    ).toEqual([])
  })

  it("what is loaded before the first reply needs no runtime: nothing of Effect but plain data, nothing of the SDK but types", () => {
    const early =
      /^(?:main|Settings|platform\/(?:commandLine|NodeStdio)|mcp\/(?:connection|Opening|StdioTransport|FrameReader|contentLength|message))\.ts$/
    expect(offences(early, (to, { typeOnly }) => typeOnly || !/^effect\/|^@/.test(to) || /^effect\/(?:Result|Context)$/.test(to))).toEqual(
      [],
    )
  })

  it("no files form a cycle, by type imports either", () => {
    expect(cycles(() => true)).toEqual([])
  })

  it("nobody imports the program files", () => {
    expect(
      offences(
        /./,
        (to) =>
          ![
            "main.ts",
            "repl/main.ts",
            "attach/main.ts",
            "lsp/main.ts",
            "page/main.tsx",
            "plot/main.ts",
            "view/plot.tsx",
            "view/variable.tsx",
          ].includes(to),
      ),
    ).toEqual([])
  })

  it("effect is imported by module, not by its barrel, which costs start-up", () => {
    expect(offences(/./, (to) => to !== "effect")).toEqual([])
  })
})

describe("every source file", () => {
  it("begins with what it is for", () => {
    expect(files.filter((path) => !readFileSync(join(source, path), "utf8").startsWith("/**"))).toEqual([])
  })

  it("has a name that says something", () => {
    expect(files.filter((path) => /util|helper|manager|misc|common|handler/i.test(path))).toEqual([])
  })
})

/** JSON and the environment of the process come as objects; these files read them. */
const READS_OBJECTS =
  /^(?:settingKinds|Settings|lookup|session\/builds\/Build|child\/(?:environment|Machine|Process)|define\/(?:call|definition|parameters)|repl\/cases|plot\/(?:encoding|specProblem)|mcp\/(?:ToolCalls|message|Opening|Tool|complete|prompts\/Prompt|resources\/Resource))\.ts$/

describe("text from outside never indexes a plain object, which has constructor and toString without being given them", () => {
  const offending = (pattern: RegExp): readonly string[] =>
    files
      .filter((path) => !READS_OBJECTS.test(path))
      .flatMap((path) =>
        readFileSync(join(source, path), "utf8")
          .split("\n")
          .filter((line) => pattern.test(line.replaceAll(/"(?:[^"\\]|\\.)*"/g, "")) && !/^\s*(?:\*|\/[/*])/.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      )

  // The type checker refuses text as an index of every other object.
  it("since no type of an object has text for its keys, and no text is called a key", () =>
    expect(offending(/Record<string\b|\[\w+: string\]|as keyof/)).toEqual([]))

  it("nor is it asked with `in`", () =>
    expect(offending(/[(!&|?=] ?[\w.]+!? in [a-z][\w.]*(?=[)\s?&|,;]|$)/).filter((line) => !line.includes("for ("))).toEqual([]))
})

describe("one name stands for one thing", () => {
  /** The interface of the package for programs calls a few things by the names that the language has for them. */
  const rooms = files.filter((file) => !file.startsWith("embed/"))

  const twice = (names: readonly string[]): readonly string[] => names.filter((name, i) => names.indexOf(name) !== i)

  it("of the exported types and classes, no two have the same name", () => {
    const names = rooms.flatMap((file) =>
      [...readFileSync(join(source, file), "utf8").matchAll(/^export (?:declare )?(?:abstract )?(?:class|interface|type) (\w+)/gm)].map(
        ([, name]) => name!,
      ),
    )
    expect(names.length).toBeGreaterThan(500)
    expect(twice(names)).toEqual([])
  })

  it("of the files of a class, a service or a family of types, no two have the same name", () =>
    expect(twice(rooms.map((file) => basename(file)).filter((name) => /^[A-Z]/.test(name)))).toEqual([]))
})

describe("the map", () => {
  it("names no file that is not there", () => {
    const docs = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"))
    const pages = ["ARCHITECTURE.md", ...docs.map((name) => `docs/${name}`)]
    const map = pages.map((page) => readFileSync(join(root, page), "utf8")).join("\n")
    const named = [...map.matchAll(/`((?:[\w-]+\/)*[\w.-]+\.(?:ts|mjs))`/g)].map(([, path]) => path!)
    expect(named.length).toBeGreaterThan(50)
    // A name without a folder is that of a file beside the one named before it.
    const tests = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    const names = new Set([...files, ...tests].map((path) => basename(path)))
    const there = (path: string): boolean =>
      names.has(path) || ["", "src", "src/k3", "src/mcp", "test"].some((folder) => existsSync(join(root, folder, path)))
    expect(named.filter((path) => !there(path))).toEqual([])
  })

  it("gives the path of an evaluation in ten steps and nine files, each with the functions that it names", () => {
    const map = readFileSync(join(root, "ARCHITECTURE.md"), "utf8")
    const steps = [...map.matchAll(/^\| (\d+) \| `(\S+\.ts)` (.+?) \|/gm)].map(([, number, file, names]) => ({
      number,
      file,
      names: names!,
    }))
    expect(steps.map(({ number }) => number)).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"])
    expect(new Set(steps.map(({ file }) => file)).size).toBe(9)
    for (const { file, names } of steps) {
      const text = readFileSync(join(source, file!), "utf8")
      for (const [, name] of names.matchAll(/`(\w+)`/g)) expect(text).toMatch(new RegExp(`\\b${name!}\\b[:(= ]`))
    }
  })
})
