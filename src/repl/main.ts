/**
 * The `k3` program: console, script runner, tests, child of a server. The build makes one file of it, in which its worker threads start too.
 *
 * Exit codes: 0; 1 when K ended in an error or a case failed; 2 for a command line or a file of cases that cannot be used.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { isMainThread, workerData } from "node:worker_threads"
import { type Failure, KError, makeInterpreter, systemWords } from "../k3/k3.ts"
import type { AttachRequest } from "./attach.ts"
import { runChild } from "./child.ts"
import { helpText, readCommandLine, type CommandLine } from "./commandLine.ts"
import { runConsole } from "./console.ts"
import { runEvaluation } from "./evaluation.ts"
import { deepThread, type EvaluatorData } from "./EvaluatorThread.ts"
import { makeHost } from "./host.ts"
import { Memory } from "./memory.ts"
import { type Bench, runTests } from "./runTests.ts"
import { mayRecurse } from "./recursion.ts"
import { runInput, runSource, type Runner } from "./script.ts"
import { inColour, InputLines, BufferedOutput, writeError, writeOutput } from "./standardStreams.ts"

const program = import.meta.url

/** The time limit of a case of `--test`, ms: the server's default deadline for an evaluation. */
const CASE_TIME = 30_000

const version = (): string =>
  (JSON.parse(readFileSync(new URL("../package.json", program), "utf8")) as { readonly version: string }).version

/** Is this descriptor a terminal? `node:tty` also loads Node's network code, so it is loaded only here. */
const isatty = (descriptor: number): boolean => process.getBuiltinModule("node:tty").isatty(descriptor)

const complain = (text: string): void => {
  writeError(isatty(2) && inColour() ? `\x1b[31m${text}\x1b[0m` : text)
}

interface RunnerData {
  readonly role: "runner"
  readonly options: CommandLine
}

/** The most bytes of a value's image that is drawn, as in `k_plot`. */
const MOST_DRAWN = 170_000_000

/** Runs `k3-plot.js`, which draws the image into a file. Returns the exit code. */
const draw = (image: Uint8Array | undefined, path: string): number => {
  if (image === undefined) {
    complain("k3: there is no picture: the last statement gives no value, or more than 10,000,000 numbers\n")
    return 1
  }
  const file = fileURLToPath(new URL("k3-plot.js", program))
  const { spawnSync } = process.getBuiltinModule("node:child_process")
  const { status } = spawnSync(process.execPath, ["--liftoff-only", file, path], {
    input: image,
    env: { ...process.env, TZ: "UTC" },
    stdio: ["pipe", "inherit", "inherit"],
  })
  return status ?? 1
}

/** Evaluates on this thread; Ctrl-C ends the process. Returns the exit code. */
const runCode = (options: CommandLine): number => {
  const output = new BufferedOutput()
  const memory = new Memory(options.memory)
  const input = new InputLines()
  const isInputFree = options.sources.length > 0 && !options.sources.some((source) => source.kind === "file" && source.path === "-")
  const host = makeHost({
    ...options,
    memory,
    write: (text) => output.write(text),
    input: isInputFree
      ? () => {
          output.flush()
          return input.next()
        }
      : undefined,
    interrupted: () => {
      output.flush()
      return false
    },
    exit: (code) => output.exit(code),
  })
  const interpreter = makeInterpreter(host, { memory: memory.limit })
  const runner: Runner = { interpreter, output, complain }
  const { plot, sources } = options
  let image: Uint8Array | undefined
  const last = (statement: string): Failure | undefined => {
    const imaged = interpreter.imaged(statement, { most: MOST_DRAWN, quiet: true })
    image = imaged.image
    return imaged.failure
  }
  const isLast = (i: number): boolean => plot !== undefined && i === sources.length - 1
  const well =
    sources.length === 0 ? runInput(runner) : sources.every((source, i) => runSource(isLast(i) ? { ...runner, last } : runner, source))
  output.flush()
  if (!well) return 1
  return plot === undefined ? 0 : draw(image, plot)
}

/** Runs each case in an interpreter of its own; an exit from K is an error of its case. Returns the exit code. */
const runCases = (options: CommandLine): number => {
  const output = new BufferedOutput()
  const memory = new Memory(options.memory)
  const fresh = (): Bench => {
    let printed = ""
    const until = performance.now() + CASE_TIME
    const host = makeHost({
      ...options,
      memory,
      write: (text) => void (printed += text),
      interrupted: () => performance.now() > until,
      exit: (code) => {
        throw new KError("exit", { what: "exit", code })
      },
    })
    const take = (): string => {
      const taken = printed
      printed = ""
      return taken
    }
    return { interpreter: makeInterpreter(host, { memory: memory.limit }), take }
  }
  const code = runTests(
    options.sources.flatMap((source) => (source.kind === "file" ? [source.path] : [])),
    { fresh, say: (text) => output.write(Buffer.from(text).toString("latin1")), complain },
  )
  output.flush()
  return code
}

/** Runs code without recursion on this thread, which starts faster, and all other code on a thread with a deep stack. */
const runWhereItFits = (options: CommandLine): void => {
  if (options.mode === "run" && options.sources.length > 0 && !options.sources.some(mayRecurse)) {
    process.exitCode = runCode(options)
    return
  }
  const data: RunnerData = { role: "runner", options }
  deepThread(program, data)
    .on("error", (error) => {
      complain(`k3: ${error.message}\n`)
      process.exitCode = 1
    })
    .on("exit", (code) => (process.exitCode ||= code))
}

const refuse = (problem: string): void => {
  process.stderr.write(`k3: ${problem}\n`)
  process.exitCode = 2
}

/** Loads another file of the build from this program's folder. */
const beside = (file: string): unknown => process.getBuiltinModule("node:module").createRequire(program)(file)

const runLanguageServer = ({ roots, closed }: CommandLine): void => {
  const { serve } = beside("./k3-lsp.js") as {
    readonly serve: (options: Pick<CommandLine, "roots" | "closed"> & { readonly version: string }) => void
  }
  serve({ roots, closed, version: version() })
}

/** The attached console is a file of its own, so that other modes need not load it. */
const attach = ({ session, args: [target] }: CommandLine): void => {
  const file = beside("./k3-attach.js") as { readonly attach: (request: AttachRequest) => Promise<void> }
  void file.attach({ target, session, version: version(), systemNames: systemWords, complain: (problem) => complain(`k3: ${problem}\n`) })
}

const isOnTerminal = (): boolean => isatty(0) && isatty(1)

const modes: { readonly [Mode in CommandLine["mode"]]: (options: CommandLine) => void } = {
  help: () => writeOutput(Buffer.from(helpText)),
  version: () => writeOutput(Buffer.from(`${version()}\n`)),
  mcp: (options) => runChild(options, program),
  lsp: runLanguageServer,
  test: runWhereItFits,
  attach: (options) =>
    isOnTerminal() ? attach(options) : refuse("--attach is a console: its standard input and output have to be a terminal"),
  run: (options) => (options.sources.length === 0 && isOnTerminal() ? runConsole(options, program, version()) : runWhereItFits(options)),
}

const run = (): void => {
  const options = readCommandLine(process.argv.slice(2), process.cwd())
  if ("problem" in options) refuse(options.problem)
  else modes[options.mode](options)
}

if (isMainThread) run()
else {
  const data = workerData as EvaluatorData | RunnerData
  if (data.role === "evaluator") runEvaluation(data)
  else process.exit((data.options.mode === "test" ? runCases : runCode)(data.options))
}
