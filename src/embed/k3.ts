/**
 * The interpreter as a module for JavaScript programs: `import { makeInterpreter } from "k3-mcp/k3"`.
 *
 * Guarantees: needs nothing but JavaScript itself, so that it runs in a browser, a worker and Node alike; an interpreter reaches no file, network,
 * shell or environment; `evaluate` never throws, and keeps the variables when a limit stops it. Does not: run in parallel to the caller. Evaluation
 * is synchronous, so a page that must stay responsive runs it in a worker. `memory` bounds each single allocation, since JavaScript does not tell how
 * much memory is in use.
 */
import { fromBytes, KError, makeInterpreter as makeCore, toBytes } from "../k3/k3.ts"
import { statements } from "../k3/text/statements.ts"

export interface Limits {
  /** Milliseconds that one `evaluate` may take; no limit unless given. */
  readonly timeout?: number
  /** Steps that one statement may take, a step being an item of a loop or a call; no limit unless given. */
  readonly steps?: number
  /** Bytes that one allocation may ask for; default 1 GiB. */
  readonly memory?: number
  /** Calls that may be nested; default 1,000. */
  readonly depth?: number
}

export interface EvaluationError {
  /** K's name of the error: `type`, `rank`, `length`, …, or the text that the program signalled. */
  readonly name: string
  /** A sentence that says more, or the empty string. */
  readonly hint: string
  /** The place in the code given. Both count from 1, in lines and in characters. */
  readonly line: number
  readonly column: number
  /** The error as the console prints it: name, hint, source line, caret. */
  readonly text: string
}

export interface Evaluated {
  /** The printed text, also when an error ended the evaluation. */
  readonly output: string
  /** The error that ended the evaluation; the statements before it ran. */
  readonly error?: EvaluationError
}

export interface Variable {
  readonly name: string
  /** As K's verb `4:` gives it: 1 int, 2 float, 3 char, 4 symbol, 5 dictionary, 6 nil, 7 function; negative for vectors, 0 for a list. */
  readonly type: number
  /** Items; 1 for an atom. */
  readonly count: number
  /** The beginning of the value's display. */
  readonly preview: string
}

export interface Interpreter {
  /** Runs statements in order until one fails. Variables stay for the next call. */
  evaluate(code: string): Evaluated
  /** The names in a directory of the K tree, `.k` unless given, or in a dictionary. */
  variables(path?: string): readonly Variable[]
  /** The current directory: `.k` until `\d` changes it. */
  readonly directory: string
}

const refuse = (what: string) => (): never => {
  throw new KError("access", `no ${what} in an embedded interpreter`)
}

/** The clock of `timeout`: one that nobody sets, where there is one. */
const clock: { now(): number } = globalThis.performance ?? Date

/** Nested calls that fit on the stack of a browser's page and of Node's main thread. */
const DEPTH = 1000

const limitNames = ["timeout", "steps", "memory", "depth"]

/** An interpreter with an empty K tree. Throws a `TypeError` for a limit that would limit nothing. */
export const makeInterpreter = (limits: Limits = {}): Interpreter => {
  for (const [name, value] of Object.entries(limits)) {
    if (!limitNames.includes(name)) throw new TypeError(`there is no limit ${name}; there are ${limitNames.join(", ")}`)
    if (value !== undefined && !(typeof value === "number" && value > 0)) throw new TypeError(`${name} is no number above 0`)
  }
  const { timeout = Infinity, depth = DEPTH } = limits
  let printed = ""
  let until = Infinity
  const core = makeCore(
    {
      write: (text) => void (printed += text),
      now: () => Date.now(),
      zoneOffset: (ms) => -new Date(ms).getTimezoneOffset(),
      interrupted: () => clock.now() > until,
      memoryUsed: () => 0,
      room: () => true,
      exit: refuse("process to end"),
      env: { get: () => undefined, set: refuse("environment"), user: "", host: "", args: [], address: () => undefined },
      files: {
        read: refuse("files"),
        script: refuse("files"),
        write: refuse("files"),
        patch: refuse("files"),
        size: refuse("files"),
        list: refuse("files"),
        cd: refuse("files"),
      },
      shell: refuse("shell"),
    },
    { depth, ...(limits.memory !== undefined && { memory: limits.memory }), ...(limits.steps !== undefined && { steps: limits.steps }) },
  )
  const evaluate = (code: string): Evaluated => {
    printed = ""
    until = clock.now() + timeout
    for (const { source, line } of statements(toBytes(code))) {
      const failure = core.evaluate(source)
      if (failure === undefined) continue
      const { name, hint, rendered, column } = failure
      return {
        output: fromBytes(printed),
        error: { name: fromBytes(name), hint: fromBytes(hint), line: line + failure.line - 1, column, text: fromBytes(rendered) },
      }
    }
    return { output: fromBytes(printed) }
  }
  return {
    evaluate,
    variables: (path = ".k") => {
      until = Infinity
      return core
        .names(toBytes(path))
        .map(({ name, type, count, preview }) => ({ name: fromBytes(name), type, count, preview: fromBytes(preview) }))
    },
    get directory() {
      return fromBytes(core.directory)
    },
  }
}
