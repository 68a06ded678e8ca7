/** Real processes: nothing is left when a process is killed, ends, or loses its server. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { getPriority, tmpdir } from "node:os"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { layer } from "../../src/platform/NodeProcess.ts"
import { Process, type ProcessSpec, type RunningProcess } from "../../src/child/Process.ts"
import { isAlive } from "../lib/processes.ts"

const env = { PATH: process.env.PATH ?? "" }
const shell = (script: string): ProcessSpec => ({ command: "/bin/sh", args: ["-c", script], cwd: tmpdir(), env, endsWithStdin: true })

const start = (spec: ProcessSpec) => Effect.flatMap(Process, (port) => port.spawn(spec))
/** The first output of the process. */
const firstOutput = (child: RunningProcess) =>
  Effect.callback<string>((resume) => child.onStdout((chunk) => resume(Effect.succeed(new TextDecoder().decode(chunk).trim()))))
const exit = (child: RunningProcess) =>
  Effect.callback<{ readonly code: number | null; readonly signal: string | null }>((resume) =>
    child.onExit((how) => resume(Effect.succeed(how))),
  )
const gone = (pid: number) =>
  Effect.gen(function* () {
    while (isAlive(pid)) yield* Effect.sleep(2)
  })

describe.skipIf(process.platform === "win32")("a process", () => {
  const test = (name: string, body: Effect.Effect<void, unknown, Process>) => it.live(name, () => Effect.provide(body, layer))

  test(
    "S19 that ignores signals is killed, with its whole group, when its scope closes",
    Effect.gen(function* () {
      const { pid, descendant } = yield* Effect.scoped(
        Effect.gen(function* () {
          const child = yield* start(shell(`trap '' TERM INT HUP; (trap '' TERM INT HUP; while :; do sleep 1; done) & echo $!; wait`))
          return { pid: child.pid, descendant: Number(yield* firstOutput(child)) }
        }),
      )
      yield* gone(pid)
      yield* gone(descendant)
    }),
  )

  test(
    "N16 whose priority is lowered has a lower one than the server, and so have its threads and children; another process has not",
    Effect.scoped(
      Effect.gen(function* () {
        const program = `console.log(require("node:child_process").spawn("sleep", ["60"]).pid)`
        const yielding = yield* start({ ...shell(""), command: process.execPath, args: ["-e", program] })
        const usual = yield* start(shell("echo; sleep 60"))
        const descendant = Number(yield* firstOutput(yielding))
        yielding.lowerPriority()
        const threads = readdirSync(`/proc/${yielding.pid}/task`).map(Number)
        assert.isAbove(threads.length, 1)
        assert.deepStrictEqual(new Set([...threads, descendant].map(getPriority)), new Set([10]))
        assert.strictEqual(getPriority(usual.pid), getPriority())
        const groups = `/proc/${descendant}/autogroup`
        if (existsSync(groups)) while (!readFileSync(groups, "utf8").endsWith(" nice 10\n")) yield* Effect.sleep(5)
      }),
    ),
  )

  test(
    "keeps what it prints until somebody listens",
    Effect.scoped(
      Effect.gen(function* () {
        const folder = mkdtempSync(join(tmpdir(), "k3-mcp-"))
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
        const printed = join(folder, "printed")
        const child = yield* start(shell(`echo early; touch '${printed}'; sleep 60`))
        while (!existsSync(printed)) yield* Effect.sleep(2)
        // Two turns of the event loop, in which it could be read.
        yield* Effect.repeat(Effect.sleep(2), { times: 1 })
        assert.strictEqual(yield* Effect.timeout(firstOutput(child), 5000), "early")
      }),
    ),
  )

  test(
    "is sent UTF-8",
    Effect.scoped(
      Effect.gen(function* () {
        const child = yield* start(shell("head -c 5 | od -An -tx1"))
        child.write('"é"\n')
        assert.strictEqual(yield* firstOutput(child), "22 c3 a9 22 0a")
      }),
    ),
  )

  test(
    "S8 that ends by itself leaves no process of its group",
    Effect.scoped(
      Effect.gen(function* () {
        const child = yield* start(shell("sleep 1000 >/dev/null 2>&1 & echo $!"))
        const descendant = Number(yield* firstOutput(child))
        assert.deepStrictEqual(yield* exit(child), { code: 0, signal: null })
        yield* gone(descendant)
      }),
    ),
  )

  test(
    "S5 whose descendant holds its pipes is reported as ended",
    Effect.scoped(
      Effect.gen(function* () {
        const child = yield* start(
          shell(`${process.execPath} -e 'require("child_process").spawn("sleep",["2"],{detached:true,stdio:"inherit"}).unref()'; exit 4`),
        )
        assert.deepStrictEqual(yield* exit(child), { code: 4, signal: null })
      }),
    ),
  )

  test(
    "S5 keeps the beginning and the end of its standard error",
    Effect.scoped(
      Effect.gen(function* () {
        const child = yield* start(
          shell("echo first >&2; i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done; kill -SEGV $$"),
        )
        assert.deepStrictEqual(yield* exit(child), { code: null, signal: "SIGSEGV" })
        assert.isTrue(child.stderr().startsWith("first\n"))
        assert.isTrue(child.stderr().endsWith("line 2999\n"))
        assert.isBelow(child.stderr().length, 8300)
        // The cut is a line of its own, between whole lines.
        assert.match(child.stderr(), /^first\n(?:line \d+\n)+…\n(?:line \d+\n)+$/)
      }),
    ),
  )

  test(
    "S6 that cannot be started fails with the reason",
    Effect.gen(function* () {
      const nothing = yield* Effect.flip(Effect.scoped(start({ ...shell(""), command: "/no/such/program" })))
      assert.include(nothing.reason, "ENOENT")
    }),
  )

  test(
    "S17 gets the given environment and no other variable",
    Effect.scoped(
      Effect.gen(function* () {
        process.env.K3_TEST_SECRET = "s"
        const child = yield* start({ ...shell('echo "[$K3_TEST_SECRET][$A]"'), env: { ...env, A: "b" } })
        assert.strictEqual(yield* firstOutput(child), "[][b]")
      }),
    ),
  )
})

/** A small server as a process: starts a program that never reads its input, prints both pids, and waits. */
const server = (layerFile: string, portFile: string) => `
import * as Effect from "effect/Effect"
import { layer } from ${JSON.stringify(layerFile)}
import { Process } from ${JSON.stringify(portFile)}
const spec = { command: "/bin/sh", args: ["-c", "echo $$; while :; do :; done"], cwd: "/", env: { PATH: process.env.PATH }, endsWithStdin: false }
const program = Effect.flatMap(Process, ({ spawn }) => spawn(spec)).pipe(
  Effect.tap((child) => Effect.sync(() => child.onStdout((chunk) => console.log(child.pid, new TextDecoder().decode(chunk).trim())))),
  Effect.andThen(Effect.never),
)
void Effect.runPromise(Effect.scoped(Effect.provide(program, layer)))
`

describe.skipIf(process.platform === "win32")("S8 the server's death by SIGKILL in the middle of an evaluation", () => {
  const check = (name: string, path: (folder: string) => string) =>
    it.live(name, () =>
      Effect.acquireUseRelease(
        // Beside the packages that it imports; not among the tests, whose files other tests read meanwhile.
        Effect.sync(() => mkdtempSync(join(import.meta.dirname, "../../node_modules/.server-"))),
        (folder) =>
          Effect.gen(function* () {
            const entry = join(folder, "server.ts")
            const src = join(import.meta.dirname, "../../src")
            writeFileSync(entry, server(join(src, "platform/NodeProcess.ts"), join(src, "child/Process.ts")))
            const file = join(folder, "server.mjs")
            yield* Effect.promise(async () => (await rolldown({ input: entry, platform: "node" })).write({ file, format: "esm" }))
            const parent = spawn(process.execPath, [file], { env: { PATH: path(folder) }, stdio: ["ignore", "pipe", "inherit"] })
            const printed = yield* Effect.callback<string>((resume) => {
              parent.stdout.once("data", (chunk: Buffer) => resume(Effect.succeed(chunk.toString())))
            })
            const [known, own] = printed.trim().split(" ").map(Number)
            assert.strictEqual(known, own)
            assert.isTrue(isAlive(own!))
            parent.kill("SIGKILL")
            yield* gone(own!)
          }),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true })),
      ),
    )

  check("ends a program that would run on for ever", () => process.env.PATH ?? "")
  // Without `setpriv` on the path, a shell watches for the server's death.
  check("ends it where the kernel cannot be asked to, too", (folder) => {
    symlinkSync("/bin/sh", join(folder, "sh"))
    return folder
  })
})
