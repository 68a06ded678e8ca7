/** `FenceSystem` of `child/Fence.ts` on Node: finds the fence's program, tries it, and finds the paths in a root that must be read-only inside. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { accessSync, constants, existsSync, lstatSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs"
import * as os from "node:os"
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path"
import type { FenceTools, SystemFolder } from "../child/fence/FencePlan.ts"
import type { Trial } from "../child/fence/refusals.ts"
import { FenceSystem } from "../child/Fence.ts"
import { Machine } from "../child/Machine.ts"
import { systemCallFilter } from "../child/fence/systemCalls.ts"
import { launch } from "./NodeProcess.ts"
import { searchRoot } from "./rootSearch.ts"
import { RootWatch } from "./RootWatch.ts"
import { withFallback } from "../repl/withFallback.ts"

const TRIAL_MS = 5000

/**
 * Runs `true` inside the fence. A signal can end the fence's program and leave the process inside, which keeps the pipes; `launch` ends both. A trial
 * that takes too long counts as ended by a signal: it tells nothing about the fence.
 */
const attempt = (tools: FenceTools, args: readonly string[]): Effect.Effect<Trial | undefined> =>
  launch({
    command: "true",
    args: [],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
    endsWithStdin: true,
    fence: { ...tools, args },
  }).pipe(
    Effect.flatMap(({ onExit, stderr }) =>
      Effect.callback<Trial | undefined>((resume) =>
        onExit(({ code, signal }) => resume(Effect.succeed(code === 0 ? undefined : { error: signal ?? undefined, stderr: stderr() }))),
      ),
    ),
    Effect.timeoutOrElse({ duration: TRIAL_MS, orElse: () => Effect.succeed({ error: "SIGKILL", stderr: "" }) }),
    Effect.catchTag("SpawnFailed", ({ code = "unknown" }) => Effect.succeed({ error: code, stderr: "" })),
    Effect.scoped,
  )

const programFolders = (process.env["PATH"] ?? "").split(delimiter).filter(isAbsolute)

/** The package.json of the folder that holds this folder of npx: npx runs the programs that it names. */
const packageOf = (folder: string): readonly string[] =>
  folder.endsWith("/node_modules/.bin") ? [resolve(folder, "../../package.json")] : []

const programPlaces = programFolders.flatMap((folder) => [folder, ...packageOf(folder)])

/** The real path of a file that can be executed. Throws for another one. */
const executable = (file: string): string => {
  const path = realpathSync(file)
  accessSync(path, constants.X_OK)
  return path
}

/** The real path of an installed program. A program inside a root is not used: K code may have made it. */
const locate = (name: string, roots: readonly string[]): string | undefined => {
  for (const folder of ["/usr/bin", ...programFolders]) {
    const path = withFallback(() => executable(join(folder, name)), undefined)
    if (path !== undefined && !roots.some((root) => path.startsWith(`${root}/`))) return path
  }
  return undefined
}

/** The system's folders of programs and libraries; the last two are those of Nix and Guix. */
const SYSTEM_FOLDERS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"]

const folderOf = (path: string): SystemFolder => (lstatSync(path).isSymbolicLink() ? { path, target: readlinkSync(path) } : { path })

/** The .NET folders outside of `folders`: the one in DOTNET_ROOT, and the one of the `dotnet` in the path. */
const runtimes = (folders: readonly string[]): readonly string[] => {
  const found = locate("dotnet", [])
  return [process.env["DOTNET_ROOT"], found && dirname(found)].filter(
    (folder): folder is string =>
      folder !== undefined && existsSync(join(folder, "shared")) && !folders.some((each) => folder.startsWith(`${each}/`)),
  )
}

/** Does the kernel count processes per user namespace? Linux does since 5.14. */
const countsProcesses = (release: string): boolean => {
  const [major = 0, minor = 0] = release.split(".").map(Number)
  return major > 5 || (major === 5 && minor >= 14)
}

/** The hard limits of this process; infinite where it has none. */
const hardLimits = (): FenceTools["hardLimits"] => {
  const text = withFallback(() => readFileSync("/proc/self/limits", "utf8"), "")
  const limit = (name: string): number => Number(new RegExp(`^Max ${name} +\\w+ +(\\d+)`, "m").exec(text)?.[1] ?? Infinity)
  return { memoryBytes: limit("data size"), stackBytes: limit("stack size"), processes: limit("processes") }
}

const tools = (roots: readonly string[]): FenceTools | undefined => {
  if (process.platform === "darwin" && existsSync("/usr/bin/sandbox-exec"))
    return { by: "sandbox-exec", program: "/usr/bin/sandbox-exec", runtimes: runtimes([]), folders: [] }
  if (process.platform !== "linux") return undefined
  return {
    by: "bubblewrap",
    program: locate("bwrap", roots) ?? "/usr/bin/bwrap",
    prlimit: locate("prlimit", roots),
    countsProcesses: countsProcesses(os.release()),
    hardLimits: hardLimits(),
    filter: systemCallFilter(process.arch),
    runtimes: runtimes(SYSTEM_FOLDERS),
    folders: SYSTEM_FOLDERS.filter((path) => existsSync(path)).map(folderOf),
  }
}

const find = (path: string) =>
  withFallback(() => {
    // The variant in JavaScript asks for each folder of the path.
    const found = realpathSync.native(path)
    return { path: found, isFolder: statSync(found).isDirectory() }
  }, undefined)

const mountsOf = (pid: number | "self"): string => withFallback(() => readFileSync(`/proc/${pid}/mountinfo`, "utf8"), "")

export const layer: Layer.Layer<FenceSystem, never, Machine> = Layer.effect(
  FenceSystem,
  Effect.gen(function* () {
    const { temporaryFolder, user } = yield* Machine
    const roots = new RootWatch(join(temporaryFolder, `k3-mcp-${user}`, "aside"), programPlaces)
    yield* Effect.addFinalizer(() => Effect.sync(() => roots.close()))
    return FenceSystem.of({
      platform: process.platform,
      homeFolder: os.homedir(),
      tools: (among) => Effect.sync(() => tools(among)),
      attempt,
      find,
      mountsOf,
      readOnlyIn: (root, builds) =>
        Effect.promise(async () => {
          const found = await searchRoot(root, builds, roots.knows(root))
          return process.platform === "linux" ? roots.watch(found, root, builds) : found.readOnly
        }),
      programPlaces,
      began: (makesFolders) => roots.began(makesFolders),
      ended: (pid) => roots.ended(pid),
      takeAppeared: () => roots.take(),
    })
  }),
)
