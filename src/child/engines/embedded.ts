/**
 * The embedded engine: the bundled `k3` program, run by the Node that runs the server.
 *
 * It stops on an interrupt and keeps its variables, reports errors as data, answers side requests, and ends at once when its standard input
 * ends. It runs from its installed place without a shadow copy; only an upgrade changes its file, and then it is stale.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { side } from "../../repl/frame.ts"
import type { Statement } from "../../k3/text/statements.ts"
import type { Child, ChildEnded } from "../Child.ts"
import { absolutePath, directoriesBeside, type Listing, type View } from "./Listing.ts"
import { sideRequest, text } from "./ownRequests.ts"
import { inspectTree, Name } from "./embeddedTree.ts"
import { embeddedTracker } from "./embeddedState.ts"
import { versionIn } from "../builds/version.ts"
import { childEnvironment, keptMemory } from "../environment.ts"
import type { Engine, KFailure, EngineParts } from "./Engine.ts"
import { Refused } from "../ChildError.ts"
import { initial } from "../Contents.ts"
import { programFolder } from "../Machine.ts"
import { closedPaths } from "../../Settings.ts"

/** The fields of `Failure` in src/k3/k3.ts that are used here. */
const Failure = Schema.Struct({
  name: Schema.String,
  line: Schema.Finite,
  column: Schema.Finite,
  source: Schema.String,
  caret: Schema.String,
  at: Schema.String,
  valence: Schema.optionalKey(Schema.Finite),
  rendered: Schema.String,
})
const decodeFailure = Schema.decodeUnknownOption(Schema.fromJsonString(Failure))

const failureOf = (statement: Statement, report: string): KFailure =>
  Option.match(decodeFailure(report), {
    onNone: () => ({ name: "error", text: report.slice(0, 1000) }),
    onSome: ({ rendered, line, ...rest }) => ({ ...rest, text: rendered.trimEnd(), line: statement.line + line - 1 }),
  })

const decodeNames = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.Struct(Name))))

const decodeValue = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ image: Schema.NullOr(Schema.Uint8ArrayFromBase64), bytes: Schema.optionalKey(Schema.Finite) })),
)

const names = (child: Child, path: string) =>
  Effect.map(sideRequest(child, { op: "names", path }), (answer) => Option.getOrElse(decodeNames(answer), () => []))

/** Empties the workspace. `\9` does not reset precision, seed and current directory, so the seed is set and the others are checked. */
const clear = Effect.fnUntraced(function* (child: Child): Effect.fn.Return<boolean, ChildEnded> {
  yield* text(child, "\\9")
  yield* text(child, `\\r ${initial.seed}`)
  const left = yield* names(child, ".k")
  const top = yield* names(child, ".")
  const settings = [yield* text(child, "\\p"), yield* text(child, "\\d")]
  return (
    left.length === 0 &&
    top.every(({ name }) => name === "k" || name === "t") &&
    settings.join("") === `${initial.precision}\n${initial.directory}\n`
  )
})

/** Bytes of a long image in one reply: small enough to abandon, large enough to need few replies. */
const PIECE = 16 * 1024 ** 2

/** Reads a long image in pieces. Undefined when a piece is incomplete. */
const longImage = Effect.fnUntraced(function* (child: Child, size: number) {
  const image = new Uint8Array(size)
  let at = 0
  const write = (bytes: Uint8Array): void => {
    if (at + bytes.length <= size) image.set(bytes, at)
    at += bytes.length
  }
  for (let from = 0; from < size; from += PIECE) {
    const to = Math.min(size, from + PIECE)
    yield* child.ask(side({ op: "lent", from, to }), { edge: 0, live: true, write })
    if (at !== to) return undefined
  }
  return image
})

const value: Engine["value"] = (child, { source }, { image: most, quiet, allowance }, spill) =>
  Effect.flatMap(child.ask(side({ op: "value", statement: source, most, quiet, allowance }), spill), (reply) => {
    const { report, ...rest } = reply
    const found = Option.getOrUndefined(decodeValue(report ?? ""))
    if (found === undefined) return Effect.succeed({ reply })
    const { image, bytes } = found
    if (bytes === undefined) return Effect.succeed({ reply: rest, image: image ?? undefined })
    return Effect.map(longImage(child, bytes), (image) => ({ reply: rest, image }))
  })

/** `path` is resolved as in `absolutePath`. */
const inspect = Effect.fnUntraced(function* (child: Child, path: string, view: View): Effect.fn.Return<Listing, ChildEnded> {
  const directory = path.startsWith(".") ? "" : (yield* text(child, "\\d")).trim()
  const listing = yield* inspectTree(child, absolutePath(directory, path), view)
  if (path !== "") return listing
  const top = (yield* names(child, ".")).map(({ name }) => name)
  return { ...listing, others: directoriesBeside(directory, top) }
})

export const embedded = ({ settings, artifacts, machine, fs, why }: EngineParts): Engine => {
  const program = machine.embeddedProgram
  const folder = programFolder(machine)
  const source = { folder, main: program.slice(folder.length + 1), mainOnly: true }
  const version = versionIn(fs, `${folder}/../package.json`, /"version"\s*:\s*"([\w.+-]+)"/)
  const heapMB = Math.max(16, Math.floor(settings.childMemory / 1024 ** 2))
  const args = [
    `--max-old-space-size=${heapMB}`,
    program,
    "--mcp",
    ...settings.roots.flatMap((root) => ["--root", root]),
    ...closedPaths(settings).flatMap((path) => ["--closed", path]),
    "--shell",
    settings.shell,
    "--memory",
    String(settings.childMemory),
  ]
  return {
    kind: "embedded",
    why,
    interruptible: true,
    reports: true,
    limits: true,
    newline: "keep",
    emptyIsNil: true,
    warm: null,
    buildFolder: null,
    prepare: Effect.map(artifacts.onDisk(source), (build) => ({
      process: {
        command: machine.nodeProgram,
        args,
        cwd: settings.cwd,
        env: { ...childEnvironment(machine.environment, []), ...keptMemory, ...(settings.debug && { MCP_DEBUG: "1" }) },
        endsWithStdin: true,
        reads: [machine.nodeProgram, folder],
      },
      build,
      shadow: null,
      hold: Effect.void,
    })),
    onDisk: artifacts.onDisk(source),
    version: () => version,
    value,
    refusal: (statement) =>
      statement.wire.trim() === "\\\\"
        ? new Refused({ statement: "\\\\", reason: "exit", detail: "it would end the interpreter" })
        : undefined,
    locate: null,
    read: (statement, { text, report }) =>
      report === undefined ? { output: text, silent: false } : { output: text, silent: false, failure: failureOf(statement, report) },
    outOfMemory: (stderr) => /heap out of memory|ERR_WORKER_OUT_OF_MEMORY|Allocation failed|Array buffer allocation/i.test(stderr),
    clear,
    renew: clear,
    seal: (child) => Effect.asVoid(child.ask(side({ op: "seal" }))),
    track: (child) => embeddedTracker(child, { value: settings.captureValue, reply: settings.outputKept }),
    inspect,
  }
}
