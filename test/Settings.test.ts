import { readdirSync, readFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { readCommandLine } from "../src/platform/commandLine.ts"
import { closedPaths, documentation, resolve, type Sources } from "../src/Settings.ts"
import { lockFile, ownFolders } from "../src/store/folder/layout.ts"

const sources = (given: Partial<Sources> = {}): Sources => ({
  cwd: "/home/k",
  resolvePath: (...segments) => segments.reduce((path, next) => (next.startsWith("/") ? next : `${path}/${next}`)),
  pathDelimiter: ":",
  flags: {},
  environment: {},
  ...given,
})

const values = (given: Partial<Sources> = {}) => Result.getOrThrow(resolve(sources(given))).values
const problems = (given: Partial<Sources>) => {
  const result = resolve(sources(given))
  return Result.isFailure(result) ? result.failure : []
}

describe("defaults", () => {
  it("are those of the table, decoded", () => {
    expect(values()).toMatchObject({
      cwd: "/home/k",
      engine: "auto",
      buildDir: "/home/k/K3CSharp/bin/Debug/net8.0/",
      evalTimeout: 30_000,
      evalTimeoutMax: 600_000,
      interruptGrace: 250,
      outputKept: 64 * 1024 ** 2,
      childMemory: 1024 ** 3,
      shell: "deny",
      debug: false,
    })
  })

  it("are shown as the table writes them, but for folders, which are shown resolved", () => {
    const { origins } = Result.getOrThrow(resolve(sources()))
    const shown = new Map<string, string>(origins.map(({ name, value }) => [name, value]))
    const unlike = documentation.filter((row) => row.default !== shown.get(row.name)).map(({ name }) => name)
    expect(unlike).toEqual(["buildDir", "stateDir", "roots"])
  })

  it("read back from what they show", () => {
    const { origins } = Result.getOrThrow(resolve(sources()))
    const again = Result.getOrThrow(
      resolve(sources({ file: { path: "c.json", content: Object.fromEntries(origins.map(({ name, value }) => [name, value])) } })),
    )
    expect({ ...again.values, buildDirWhy: "", isBuildDirGiven: false }).toEqual({ ...values(), buildDirWhy: "", isBuildDirGiven: false })
  })
})

describe("priority", () => {
  it("is flag, file, environment, default", () => {
    const environment = { K3_EVAL_TIMEOUT: "4s" }
    const file = { path: "c.json", content: { evalTimeout: "3s" } }
    const flags = { "eval-timeout": "2s" }
    expect(values({ environment }).evalTimeout).toBe(4000)
    expect(values({ environment, file }).evalTimeout).toBe(3000)
    expect(values({ environment, file, flags }).evalTimeout).toBe(2000)
  })

  it("is reported with each value", () => {
    const { origins } = Result.getOrThrow(resolve(sources({ environment: { K3_SHELL: "allow" }, flags: { engine: "embedded" } })))
    expect(origins.find(({ name }) => name === "shell")).toEqual({ name: "shell", value: "allow", source: "environment", from: "K3_SHELL" })
    expect(origins.find(({ name }) => name === "engine")).toMatchObject({ source: "flag", from: "--engine" })
    expect(origins.find(({ name }) => name === "roots")).toMatchObject({ source: "default", from: "" })
  })

  it("ignores an empty variable", () => {
    expect(values({ environment: { K3_ENGINE: "" } }).engine).toBe("auto")
  })
})

describe("durations and sizes", () => {
  it.each([
    ["250ms", 250],
    ["30s", 30_000],
    ["1.5s", 1500],
    ["2m", 120_000],
    ["750", 750],
    [750, 750],
  ])("%s is %d ms", (given, expected) => {
    expect(values({ file: { path: "c.json", content: { evalTimeout: given } } }).evalTimeout).toBe(expected)
  })

  it.each(["", "0", "-1", "1e3", "30 seconds", "30S", "25d", "999h", ["30s"], {}, null])("%j is refused", (given) => {
    const file = { path: "c.json", content: { evalTimeout: given } }
    expect(problems({ file })).toEqual([
      `"evalTimeout" in c.json is ${JSON.stringify(given)}; allowed: a duration such as 250ms, 30s, 2m or a whole number of milliseconds, from 1ms to 24 days`,
    ])
  })

  it.each([
    ["64MiB", 64 * 1024 ** 2],
    ["65536", 65536],
    ["1.5 KiB", 1536],
  ])("%s is %d bytes", (given, expected) => {
    expect(values({ environment: { K3_OUTPUT_KEPT: given } }).outputKept).toBe(expected)
  })
})

describe("bad input", () => {
  it("gives every problem with its source and the allowed values", () => {
    expect(
      problems({
        flags: { engine: "k4" },
        environment: { K3_MAX_SESSIONS: "none", K3_CHILD_MEMORY: "1KiB" },
        file: { path: "c.json", content: { evalTimeot: "3s" } },
      }),
    ).toEqual([
      expect.stringContaining('c.json: no such setting: "evalTimeot" (did you mean evalTimeout?); there are: engine, buildDir'),
      '--engine is "k4"; allowed: auto, k3csharp, embedded',
      'K3_MAX_SESSIONS is "none"; allowed: a whole number from 1 to 1000',
      'K3_CHILD_MEMORY is "1KiB"; allowed: a size such as 512MiB, 1GiB or a whole number of bytes, at least 32MiB',
    ])
  })

  it.each([[[]], ["text"], [null], [3]])("refuses a file that is %j", (content) => {
    expect(problems({ file: { path: "c.json", content } })).toEqual([expect.stringContaining("a JSON object whose keys are settings")])
  })
})

describe("folders", () => {
  it("are relative to the working folder", () => {
    expect(values({ environment: { K3_ROOTS: "a:/b" } }).roots).toEqual(["/home/k/a", "/b"])
    expect(values({ file: { path: "c.json", content: { roots: ["a:b"] } } }).roots).toEqual(["/home/k/a:b"])
  })
})

it("several flags for roots are one list", () => {
  const { sources } = Result.getOrThrow(readCommandLine(["--roots", "a", "--roots", `b${delimiter}c`]))
  expect(Result.getOrThrow(resolve(sources)).values.roots).toEqual(["a", "b", "c"].map((name) => join(process.cwd(), name)))
  expect(Result.getOrThrow(readCommandLine([])).sources.flags["roots"]).toBeUndefined()
})

describe("G10 the paths that are closed to K", () => {
  it("are the state folder", () => {
    expect(closedPaths({ stateDir: "/s", roots: ["/r"] })).toEqual(["/s"])
    expect(closedPaths({ stateDir: null, roots: ["/r"] })).toEqual([])
  })

  it("are all files and folders of the server in it, when a root lies in it", () => {
    const closed = closedPaths({ stateDir: "/s", roots: ["/s/r"] })
    expect(closed).toEqual(expect.arrayContaining([...ownFolders, lockFile, "token", "tokens", "address"].map((name) => `/s/${name}`)))
    expect(closed).not.toContain("/s")
  })
})

describe("names", () => {
  it("follow one pattern: evalTimeout, --eval-timeout, K3_EVAL_TIMEOUT", () => {
    for (const { name, flag, variable } of documentation) {
      expect(flag).toBe(`--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
      if (name !== "debug") expect(variable).toBe(`K3_${flag.slice(2).toUpperCase().replaceAll("-", "_")}`)
    }
  })
})

describe("variables", () => {
  const [slip, shortSlip] = ["K3_EVAL_TIMOUT", "K3_SHEL"]
  const warnings = (environment: Record<string, string>) => Result.getOrThrow(resolve(sources({ environment }))).warnings

  it("a misspelt one is named with the setting that it resembles", () =>
    expect(warnings({ [slip]: "4s", [shortSlip]: "/x", K3_SHELL: "allow" })).toEqual([
      `no such setting: ${slip} (did you mean K3_EVAL_TIMEOUT?); it is ignored`,
      `no such setting: ${shortSlip} (did you mean K3_SHELL?); it is ignored`,
    ]))

  it("those of other programs are not named", () => {
    const folder = join(import.meta.dirname, "..")
    const texts = ["src", "test", "docs", "deploy", "plugin", "bench"].flatMap((room) =>
      readdirSync(join(folder, room), { recursive: true, withFileTypes: true })
        .filter((each) => each.isFile() && /\.(?:ts|tsx|mjs|js|md|json|ya?ml)$/.test(each.name))
        .map((each) => join(each.parentPath, each.name)),
    )
    const named = texts.flatMap((file) => readFileSync(file, "utf8").match(/\bK3_[A-Z]\w*/g) ?? [])
    expect(named).toContain("K3_TOKEN")
    expect(warnings(Object.fromEntries(named.filter((name) => name !== slip && name !== shortSlip).map((name) => [name, ""])))).toEqual([])
  })
})
