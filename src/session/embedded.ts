/**
 * The embedded engine: the bundled `k3` program, run by the Node that runs the server.
 *
 * It stops on an interrupt and keeps its state, reports errors as data, answers side requests, and ends the moment its standard input
 * does. It runs from where it is installed: nothing rebuilds it under a session's feet but an upgrade, which shows as stale.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { encode, type Statement } from "../repl/frame.ts"
import type { Child } from "./Child.ts"
import type { Engine, Parts, Sight } from "./Engine.ts"
import { childEnvironment } from "./environment.ts"
import { kindOf } from "./kinds.ts"
import type { KFailure } from "./Session.ts"
import { Refused } from "./SessionError.ts"

/** The `Failure` of src/k3/k3.ts as far as it is used here. */
const Failure = Schema.Struct({
  name: Schema.String,
  line: Schema.Finite,
  column: Schema.Finite,
  source: Schema.String,
  caret: Schema.String,
  at: Schema.String,
  rendered: Schema.String,
})
const decodeFailure = Schema.decodeUnknownOption(Schema.fromJsonString(Failure))

const failureOf = (statement: Statement, report: string): KFailure =>
  Option.match(decodeFailure(report), {
    onNone: () => ({ name: "error", text: report.slice(0, 1000) }),
    onSome: ({ rendered, line, ...rest }) => ({ ...rest, text: rendered.trimEnd(), line: statement.line + line - 1 }),
  })

const Name = Schema.Struct({ name: Schema.String, type: Schema.Finite, count: Schema.Finite, preview: Schema.String })
const decodeNames = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Name)))

const mostNames = 200

const side = (child: Child, request: object) =>
  Effect.map(child.ask(new TextEncoder().encode(`\x05${JSON.stringify(request)}\n`)), (reply) => new TextDecoder().decode(reply.head))

export const embedded = ({ settings, artifacts, machine, why }: Parts): Engine => {
  const program = machine.embeddedProgram
  const cutAt = Math.max(program.lastIndexOf("/"), program.lastIndexOf("\\"))
  const source = { folder: program.slice(0, cutAt), main: program.slice(cutAt + 1), mainOnly: true }
  const heapMB = Math.max(16, Math.floor(settings.childMemory / 1024 ** 2))
  const args = [
    `--max-old-space-size=${heapMB}`,
    program,
    "--mcp",
    ...settings.roots.flatMap((root) => ["--roots", root]),
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
    newline: "keep",
    warm: null,
    buildFolder: null,
    prepare: Effect.map(artifacts.onDisk(source), (build) => ({
      process: {
        command: machine.nodeProgram,
        args,
        cwd: settings.cwd,
        env: childEnvironment(machine.environment, []),
        endsWithStdin: true,
      },
      build,
      shadow: null,
    })),
    onDisk: artifacts.onDisk(source),
    refusal: (statement) =>
      statement.wire.trim() === "\\\\"
        ? new Refused({ statement: "\\\\", reason: "exit", detail: "it would end the interpreter" })
        : undefined,
    read: (statement, { text, report }) =>
      report === undefined ? { output: text, silent: false } : { output: text, silent: false, failure: failureOf(statement, report) },
    outOfMemory: (stderr) => /heap out of memory|Allocation failed|Array buffer allocation/i.test(stderr),
    clear: Effect.fnUntraced(function* (child) {
      yield* child.ask(encode({ source: "\\9", wire: "\\9" }, "keep"))
      const left = yield* side(child, { op: "names", path: "." })
      return Option.getOrElse(decodeNames(left), () => [null]).length === 0
    }),
    inspect: Effect.fnUntraced(function* (child, path) {
      const names = Option.getOrElse(decodeNames(yield* side(child, { op: "names", path })), () => [])
      const entries = names.slice(0, mostNames).map(({ name, type, count, preview }) => ({
        name,
        type,
        kind: kindOf(type),
        shape: type <= 0 ? String(count) : "",
        preview,
      }))
      return { path, entries, omitted: names.length - entries.length } satisfies Sight
    }),
  }
}
