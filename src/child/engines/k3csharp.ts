/**
 * The K3CSharp engine: a .NET build, run from a shadow copy.
 *
 * It cannot be interrupted, so a deadline kills it. When its standard input ends during an evaluation, it runs on for ever, so a watcher outside
 * the server ends it (`endsWithStdin: false`). It would run an unknown `\word` as a shell command; such statements are refused unless the
 * settings allow them, as far as the text shows them (k3csharpShell.ts). Its file verbs and the libraries that `2:` loads cannot be refused
 * here. Measured on its head of 2026-04-18.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { codeAlone } from "../../k3/text/scan.ts"
import type { Statement } from "../../k3/text/statements.ts"
import type { Shadow } from "../builds/Artifact.ts"
import type { BuildSource } from "../builds/buildFiles.ts"
import { versionIn } from "../builds/version.ts"
import type { Engine, EngineParts } from "./Engine.ts"
import { childEnvironment } from "../environment.ts"
import { line } from "./ownRequests.ts"
import { failureOf } from "./k3csharpErrors.ts"
import { shellCommandIn } from "./k3csharpShell.ts"
import { k3csharpTracker } from "./k3csharpState.ts"
import { renew } from "./k3csharpRenew.ts"
import { inspectTree } from "./k3csharpTree.ts"
import { shortened } from "../../shortened.ts"
import { value } from "./k3csharpValue.ts"
import { Refused } from "../ChildError.ts"

const main = "K3CSharp.dll"

export const buildSource = (settings: { readonly buildDir: string }): BuildSource => ({ folder: settings.buildDir, main, mainOnly: false })

/** The command that starts a copied build: its own program where it has one, else `dotnet`. */
export const commandOf = ({ folder, files }: Pick<Shadow, "folder" | "files">, windows: boolean) => {
  const [own, separator] = windows ? ["K3CSharp.exe", "\\"] : ["K3CSharp", "/"]
  const path = (file: string): string => `${folder}${separator}${file}`
  return files.includes(own) ? { command: path(own), args: ["--mcp"] } : { command: "dotnet", args: [path(main), "--mcp"] }
}

/** Whether a statement looks incomplete. When it also printed nothing, it may be a syntax error that the engine ignored. */
const looksUnfinished = ({ wire, open }: Statement): boolean => {
  if (open !== undefined) return true
  const code = codeAlone(wire)
  const balance = (opener: string, closer: string) => code.split(opener).length - code.split(closer).length
  return balance("(", ")") !== 0 || balance("[", "]") !== 0 || balance("{", "}") !== 0 || /[-+*%&|<>=^!~,#_$?@.]\s*$/.test(code)
}

export const k3csharp = ({ settings, artifacts, machine, fs, why }: EngineParts): Engine => {
  const source = buildSource(settings)
  const environment = {
    DOTNET_ROLL_FORWARD: "Major",
    // A killed process would leave its sockets and pipes for debuggers in the temporary folder.
    DOTNET_EnableDiagnostics: "0",
    // Writing compiled code through a second mapping costs a fifth of a launch, and protects nothing where K may run any .NET code.
    DOTNET_EnableWriteXorExecute: "0",
    DOTNET_GCHeapHardLimit: `0x${settings.childMemory.toString(16)}`,
    ...childEnvironment(machine.environment, ["DOTNET_", "COMPlus_", "ICU_"]),
  }
  const separator = machine.windows ? "\\" : "/"
  return {
    kind: "k3csharp",
    why,
    interruptible: false,
    reports: false,
    limits: false,
    newline: "join",
    emptyIsNil: false,
    warm: line("0"),
    buildFolder: settings.buildDir,
    prepare: Effect.gen(function* () {
      const shadow = yield* artifacts.shadow(source)
      return {
        process: {
          ...commandOf(shadow, machine.windows),
          cwd: settings.cwd,
          env: environment,
          endsWithStdin: false,
          reads: [shadow.folder],
        },
        build: shadow,
        shadow: shadow.folder,
        hold: artifacts.hold(shadow.folder),
      }
    }),
    onDisk: artifacts.onDisk(source),
    version: (running) => versionIn(fs, `${running?.shadow ?? settings.buildDir}${separator}K3CSharp.deps.json`, /"K3CSharp\/([^"]+)"/),
    value,
    refusal: (statement) => {
      const line = statement.wire.trim()
      if (line === "\\\\") return new Refused({ statement: line, reason: "exit", detail: "it would end the interpreter" })
      const command = settings.shell === "allow" ? undefined : shellCommandIn(line)
      if (command === undefined) return undefined
      return new Refused({
        statement: shortened(command),
        reason: "shell",
        detail: "K3CSharp hands this command to an operating-system shell",
      })
    },
    locate: Effect.fnUntraced(function* (command) {
      const name = /^\\l\s+(.+)$/.exec(command.wire)?.[1]!.trim()
      if (name === undefined) return command
      const file = name.endsWith(".k") ? name : `${name}.k`
      const isIn = (folder: string) => Effect.orElseSucceed(fs.exists(`${folder}${separator}${file}`), () => false)
      const folder = Option.getOrElse(yield* Effect.findFirst([settings.cwd, ...settings.roots], isIn), () => settings.cwd)
      return folder === settings.cwd ? command : { ...command, wire: `\\l ${folder}${separator}${file}` }
    }),
    read: (statement, { text: printed }) => {
      const failure = failureOf(printed, [...new Set([settings.cwd, ...settings.roots])])
      const silent = printed === "" && !statement.command && !statement.wire.includes(":") && looksUnfinished(statement)
      return { output: failure === undefined ? printed : "", silent, ...(failure === undefined ? {} : { failure }) }
    },
    outOfMemory: (stderr) => /OutOfMemoryException|Out of memory|GC heap/i.test(stderr),
    // `\\9` does not remove names made with `::`, which `\\v` does not show, nor reset precision, seed and folders.
    clear: null,
    renew,
    seal: null,
    track: k3csharpTracker,
    inspect: inspectTree,
  }
}
