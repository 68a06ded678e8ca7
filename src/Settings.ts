/**
 * All settings of the server. A value is taken from the flag, else the configuration file, else the environment, else the default.
 *
 * `--help`, `--print-config` and README's table are made from the table below. Guarantees: the result of `resolve` is complete and valid; a value
 * that cannot be parsed, or an unknown key, is a problem that names the setting, the origin of the value and the allowed values; a
 * misspelt variable is a warning. Does not: read files, the environment or arguments (the caller passes them in); check flags' names
 * (`platform/commandLine.ts`); check that a folder exists.
 */
import * as Context from "effect/Context"
import * as Result from "effect/Result"
import { meant } from "./k3/text/nearest.ts"
import {
  type Base,
  database,
  duration,
  flag,
  folder,
  folders,
  type SettingKind,
  machineAddress,
  oneOf,
  optional,
  place,
  platformFolder,
  size,
  stateFolder,
  text,
  url,
  wholeNumber,
} from "./settingKinds.ts"

/** One setting. Its key in `table` is its name in a configuration file. */
interface Setting<A> {
  readonly kind: SettingKind<A>
  readonly variable: string
  /** The default, as a user would write it. */
  readonly default: string
  readonly doc: string
}

const setting = <A>(kind: SettingKind<A>, variable: string, fallback: string, doc: string): Setting<A> => ({
  kind,
  variable,
  default: fallback,
  doc,
})

const table = {
  engine: setting(
    oneOf("auto", "k3csharp", "embedded"),
    "K3_ENGINE",
    "auto",
    "which interpreter answers; `auto` is K3CSharp when a build is found, else the embedded one",
  ),
  buildDir: setting(
    folder,
    "K3_BUILD_DIR",
    "K3CSharp/bin/Debug/net8.0/",
    "folder of the K3CSharp build; the default is looked for from the working folder up to the repository's root",
  ),
  buildCommand: setting(
    text,
    "K3_BUILD_COMMAND",
    "dotnet build K3CSharp/K3CSharp.csproj",
    "command that makes a build: run by `k_reload`, named when none is found",
  ),
  buildTimeout: setting(duration, "K3_BUILD_TIMEOUT", "10m", "deadline of the build command"),
  evalTimeout: setting(duration, "K3_EVAL_TIMEOUT", "30s", "deadline of one evaluation"),
  evalTimeoutMax: setting(duration, "K3_EVAL_TIMEOUT_MAX", "10m", "the longest deadline a call may ask for"),
  backgroundTimeout: setting(
    optional(duration),
    "K3_BACKGROUND_TIMEOUT",
    "1h",
    "deadline of an evaluation in the background, and the longest one a call may ask for",
  ),
  launchTimeout: setting(duration, "K3_LAUNCH_TIMEOUT", "10s", "deadline of a launch"),
  interruptGrace: setting(duration, "K3_INTERRUPT_GRACE", "250ms", "time between an interrupt and the kill"),
  spare: setting(flag, "K3_SPARE", "0", "a second, warm child stands by for each session and takes over at once"),
  restartFirstDelay: setting(duration, "K3_RESTART_FIRST_DELAY", "50ms", "first delay before a relaunch after a crash; doubles with each"),
  restartMaxDelay: setting(duration, "K3_RESTART_MAX_DELAY", "5s", "the longest such delay"),
  restartCrashes: setting(wholeNumber(1, 1000), "K3_RESTART_CRASHES", "5", "crashes within the window that open the breaker"),
  restartWindow: setting(duration, "K3_RESTART_WINDOW", "30s", "the window in which crashes are counted"),
  restartCooldown: setting(duration, "K3_RESTART_COOLDOWN", "1m", "time after which an open breaker lets one launch through"),
  outputShown: setting(wholeNumber(200, 1_000_000), "K3_OUTPUT_SHOWN", "8000", "characters of output shown in a reply"),
  outputKept: setting(size(1024), "K3_OUTPUT_KEPT", "64MiB", "bytes kept of one reply, on disk when it is long"),
  captureValue: setting(size(1024), "K3_CAPTURE_VALUE", "64MiB", "largest variable that is held for restoring (embedded engine)"),
  captureTotal: setting(size(1024), "K3_CAPTURE_TOTAL", "256MiB", "bytes held of one session for restoring"),
  stateDir: setting(
    stateFolder,
    "K3_STATE_DIR",
    platformFolder,
    "folder where sessions are kept over restarts, `none` to keep nothing on disk; by default one for each working folder",
  ),
  persistEvery: setting(
    wholeNumber(1, 1_000_000),
    "K3_PERSIST_EVERY",
    "20",
    "evaluations after which a session is written to disk at once; fewer are written a second after their capture",
  ),
  historyKept: setting(size(1024 ** 2), "K3_HISTORY_KEPT", "16MiB", "bytes kept of one session's history; the oldest entries are dropped"),
  maxSessions: setting(wholeNumber(1, 1000), "K3_MAX_SESSIONS", "16", "sessions at once"),
  sessionTtl: setting(
    duration,
    "K3_SESSION_TTL",
    "30m",
    "idle time after which a session is written to disk and ended; it comes back when used. One that would not come back whole stays",
  ),
  childMemory: setting(size(32 * 1024 ** 2), "K3_CHILD_MEMORY", "1GiB", "memory a child may use"),
  steps: setting(
    optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
    "K3_STEPS",
    "none",
    "items and calls one evaluation may take (embedded engine)",
  ),
  roots: setting(
    folders,
    "K3_ROOTS",
    ".",
    "folders K may read and write, and scripts are loaded from; K3CSharp is kept to them by the fence alone",
  ),
  shell: setting(oneOf("deny", "allow"), "K3_SHELL", "deny", "shell commands from K"),
  fence: setting(
    oneOf("auto", "required", "off"),
    "K3_FENCE",
    "auto",
    "the operating system's confinement of interpreters: `auto` where there is one, `required` to launch none without it",
  ),
  listen: setting(
    optional(place),
    "K3_LISTEN",
    "none",
    "address and port at which MCP is also served over HTTP, at /mcp, with the token of `k3-mcp token show` (loopback alone) or one of `k3-mcp token add`",
  ),
  publicUrl: setting(
    optional(url),
    "K3_PUBLIC_URL",
    "none",
    "address by which clients reach the server through a proxy; its name is taken as Host and Origin",
  ),
  authIssuer: setting(
    optional(url),
    "K3_AUTH_ISSUER",
    "none",
    "issuer of JWTs that are taken as tokens over HTTP: https, or http on this machine; each subject is a principal",
  ),
  authAudience: setting(optional(text), "K3_AUTH_AUDIENCE", "none", "audience that such a JWT has to be for"),
  principals: setting(
    optional(folder),
    "K3_PRINCIPALS",
    "none",
    "folder in which each principal of `k3-mcp token add` or of an issuer has its root; none: they are not served",
  ),
  httpConnections: setting(wholeNumber(1, 10_000), "K3_HTTP_CONNECTIONS", "100", "connections at once over HTTP"),
  httpRequests: setting(wholeNumber(1, 10_000), "K3_HTTP_REQUESTS", "256", "requests under way at once over HTTP, open streams among them"),
  httpSessions: setting(
    wholeNumber(1, 10_000),
    "K3_HTTP_SESSIONS",
    "64",
    "transport sessions, and streams of subscriptions, at once; a session that had to make room is there again when it is used",
  ),
  httpBody: setting(size(1024), "K3_HTTP_BODY", "64MiB", "bytes of one request's body"),
  drain: setting(duration, "K3_DRAIN", "1s", "time that calls over HTTP have to end when the server is to end"),
  cluster: setting(
    optional(database),
    "K3_CLUSTER",
    "none",
    "database of the cluster that this server is a member of (Node 22.19 or later); rather as the variable than as the flag, which every program of the machine can read",
  ),
  role: setting(
    oneOf("both", "front", "runner"),
    "K3_ROLE",
    "both",
    "what a member of a cluster does: answer clients (`front`), hold sessions (`runner`)",
  ),
  runnerAddress: setting(
    machineAddress,
    "K3_RUNNER_ADDRESS",
    "127.0.0.1:34431",
    "address and port at which a runner listens and the other members of the cluster reach it",
  ),
  runnerPublic: setting(flag, "K3_RUNNER_PUBLIC", "0", "let that address be one of the public internet"),
  clusterQuota: setting(size(1024 ** 2), "K3_CLUSTER_QUOTA", "4GiB", "bytes that the database of the cluster keeps of one principal"),
  logLevel: setting(oneOf("error", "warn", "info", "debug"), "K3_LOG_LEVEL", "info", "what is logged to standard error"),
  telemetryCode: setting(
    flag,
    "K3_TELEMETRY_CODE",
    "0",
    "K code in what is sent to a collector of OpenTelemetry, which the OTEL_ variables name",
  ),
  debug: setting(
    flag,
    "MCP_DEBUG",
    "0",
    "log everything, and trace evaluation: what is sent to interpreters and what they print; of the embedded one also calls and names amended",
  ),
} as const

type Table = typeof table
type SettingName = keyof Table
type ValueOf<Name extends SettingName> = Table[Name] extends Setting<infer A> ? A : never

/** Durations in milliseconds, sizes in bytes, folders absolute. */
export type SettingValues = { readonly [Name in SettingName]: ValueOf<Name> } & {
  /** The user's working folder, absolute: where a child is launched. */
  readonly cwd: string
  /** The folder in which the build command runs; null for the working folder. */
  readonly buildRoot: string | null
  /** The reason for the value of `buildDir`, in words. */
  readonly buildDirWhy: string
  /** Was `buildDir` set by the user? Then a missing build is an error. */
  readonly isBuildDirGiven: boolean
  /** Are these the settings of a principal's space, not of the local person's? */
  readonly isHosted: boolean
}

/** The names of the files and folders that the server makes in its state folder. */
const stateNames: readonly string[] = [
  "sessions",
  "definitions",
  "crashes",
  "evaluations",
  "subscriptions",
  "lock",
  "token",
  "tokens",
  "principals",
  "address",
]

/**
 * The paths that K code and the `file` arguments of calls may not use: the state folder, or, if a root lies in it (as with `--state-dir .`), the
 * server's files and folders there.
 */
export const closedPaths = ({ stateDir, roots }: Pick<SettingValues, "stateDir" | "roots">): readonly string[] => {
  if (stateDir === null) return []
  const isIn = (root: string) => root === stateDir || ["/", "\\"].some((separator) => root.startsWith(stateDir + separator))
  return roots.some(isIn) ? stateNames.map((name) => `${stateDir}/${name}`) : [stateDir]
}

type Source = "flag" | "file" | "environment" | "default"

/** One line of `--print-config`. */
export interface PrintedSetting {
  readonly name: SettingName
  readonly value: string
  readonly source: Source
  /** The flag, key of the file, or variable that gave the value; empty for a default. */
  readonly from: string
}

/** The flag, key of the file or variable by which a setting was given; its variable when it was not given. */
export type NamesGiven = (name: SettingName) => string

export const namesGiven =
  (origins: readonly PrintedSetting[]): NamesGiven =>
  (name) =>
    origins.find((each) => each.name === name)?.from || table[name].variable

const names = Object.keys(table) as readonly SettingName[]
const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)

/** The flags of the settings, without dashes, in the form that `parseArgs` of `node:util` takes. */
export const flags: Readonly<Record<string, { readonly type: "string" }>> = Object.fromEntries(
  names.map((name) => [kebab(name), { type: "string" as const }]),
)

/** The folder that the default of `buildDir`, and the build command, are relative to. */
export interface BuildPlace {
  readonly folder: string
  readonly why: string
}

/** The sources of the settings. `flags`: by name without dashes; `file`: the parsed configuration file, if there is one. */
export interface Sources extends Base {
  /** The default folder of the build; the working folder when absent. */
  readonly buildPlace?: BuildPlace | undefined
  readonly flags: Readonly<Record<string, unknown>>
  readonly file?: { readonly path: string; readonly content: unknown } | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
}

const PREFIX = "K3_"
const variables: ReadonlySet<string> = new Set(names.map((name) => table[name].variable))
const withoutPrefix = [...variables].map((variable) => variable.replace(PREFIX, ""))

/**
 * A sentence on each variable that is nearly a setting's. Variables of the package's other programs, and of the user's own, have the same prefix:
 * one that is near no setting is taken for theirs.
 */
const misspelt = (environment: Sources["environment"]): readonly string[] =>
  Object.keys(environment).flatMap((name) => {
    if (!name.startsWith(PREFIX) || variables.has(name)) return []
    const near = meant(name.slice(PREFIX.length), withoutPrefix, PREFIX)
    return near === "" ? [] : [`no such setting: ${name}${near}; it is ignored`]
  })

/** All settings, their origins, and warnings; or all problems. A warning and a problem are a line each. */
export const resolve = (
  sources: Sources,
): Result.Result<
  { readonly values: SettingValues; readonly origins: readonly PrintedSetting[]; readonly warnings: readonly string[] },
  readonly string[]
> => {
  const problems: string[] = []
  const content: unknown = sources.file === undefined ? {} : sources.file.content
  if (typeof content !== "object" || content === null || Array.isArray(content))
    return Result.fail([`${sources.file!.path}: allowed: a JSON object whose keys are settings, such as {"engine":"embedded"}`])
  const fromFile = content as Readonly<Record<string, unknown>>
  for (const key of Object.keys(fromFile))
    if (!Object.hasOwn(table, key))
      problems.push(`${sources.file!.path}: no such setting: ${JSON.stringify(key)}${meant(key, names)}; there are: ${names.join(", ")}`)

  const origins: PrintedSetting[] = []
  const { folder: searched, why } = sources.buildPlace ?? { folder: sources.cwd, why: "the default, in the working folder" }
  const values: Record<string, unknown> = { cwd: sources.cwd, buildRoot: null, isHosted: false }
  for (const name of names) {
    const row: Setting<unknown> = table[name]
    const candidates: readonly (readonly [Source, string, unknown])[] = [
      ["flag", `--${kebab(name)}`, sources.flags[kebab(name)]],
      ["file", `"${name}" in ${sources.file?.path}`, fromFile[name]],
      ["environment", row.variable, sources.environment[row.variable] || undefined],
      ["default", "", row.default],
    ]
    const [source, from, raw] = candidates.find(([, , given]) => given !== undefined)!
    const isSearched = name === "buildDir" && source === "default"
    const value = row.kind.read(raw, isSearched ? { ...sources, cwd: searched } : sources)
    if (name === "buildDir")
      Object.assign(
        values,
        isSearched
          ? { buildRoot: searched === sources.cwd ? null : searched, buildDirWhy: why, isBuildDirGiven: false }
          : { buildDirWhy: `set by ${from}`, isBuildDirGiven: true },
      )
    if (value === undefined)
      problems.push(`${from} is ${row.kind.isSecret === true ? "of another form" : JSON.stringify(raw)}; allowed: ${row.kind.allowed}`)
    values[name] = value
    if (value !== undefined) origins.push({ name, value: row.kind.show(value), source, from })
  }
  if (problems.length > 0) return Result.fail(problems)
  return Result.succeed({ values: values as SettingValues, origins, warnings: misspelt(sources.environment) })
}

/** The settings as rows of text, for README and `--help`. */
export const documentation: readonly {
  readonly name: string
  readonly flag: string
  readonly variable: string
  readonly default: string
  readonly doc: string
}[] = names.map((name) => ({
  name,
  flag: `--${kebab(name)}`,
  variable: table[name].variable,
  default: table[name].default,
  doc: table[name].doc,
}))

export class Settings extends Context.Service<Settings, SettingValues>()("k3-mcp/Settings") {}
