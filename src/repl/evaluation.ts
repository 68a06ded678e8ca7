/**
 * The evaluating thread: takes requests one by one, and blocks while there is none.
 *
 * Guarantees: output is written while an evaluation runs; in framed replies no K program can forge a sentinel or a report, since the bytes 01,
 * 02 and 15 in its output become octal escapes. Does not: know where requests come from.
 */
import { parentPort, receiveMessageOnPort, type MessagePort } from "node:worker_threads"
import {
  makeInterpreter,
  type CaptureLimits,
  type Failure,
  type VariableToRestore,
  type Interpreter,
  type LookRequest,
  type TreeSettings,
} from "../k3/k3.ts"
import { Account, type RequestLimits } from "./Account.ts"
import { ANSWERED, ASKED, EVALUATED, STOPPED, type EvaluatorData } from "./EvaluatorThread.ts"
import { countedHead, decode, REPORT, SENTINEL, SIDE_REQUEST, unforgeable } from "./frame.ts"
import { makeHost } from "./host.ts"
import { markInSteps } from "./collector.ts"
import { Memory } from "./memory.ts"
import { Pieces } from "./Pieces.ts"
import { BufferedOutput } from "./standardStreams.ts"

const sentinel = String.fromCharCode(...SENTINEL)
const report = String.fromCharCode(REPORT)
/** Characters above 255, which output cannot hold: it is bytes. */
const beyondBytes = /[\u0100-\uffff]/g
const unicode = (c: string): string => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`

/** The most functions in one answer. */
const MOST_FUNCTIONS = 2000

interface Request {
  readonly op: string
  readonly path?: string
  readonly view?: LookRequest
  readonly since?: number
  readonly limits?: CaptureLimits
  /** Variables to restore, images in base64. `inPieces`: the image came before, by `give`. */
  readonly variables?: readonly (VariableToRestore & { readonly inPieces?: true })[]
  /** A piece of an image, its range in the image, and the bytes of the whole image. */
  readonly image?: Uint8Array
  readonly from?: number
  readonly to?: number
  readonly size?: number
  readonly workspace?: TreeSettings
  readonly removed?: readonly string[]
  /** A statement to evaluate, the most bytes of its value's image (0: no image), and its limits. */
  readonly statement?: string
  readonly most?: number
  /** The value is not printed. */
  readonly quiet?: boolean
  readonly allowance?: RequestLimits
  /** Statements before this request. */
  readonly statements?: number
}

const fromBase64 = (text: string): Uint8Array => {
  const bytes = Buffer.from(text, "base64")
  // A short buffer is part of Node's pool; a value that held it would keep the whole pool in memory.
  return new Uint8Array(bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes)
}

/** Bytes encoded as base64 in one step; a multiple of 3. */
const PIECE = 49_152
/** The most bytes of an image in a report; the server takes a longer one by `lent`. */
const LONGEST_IN_REPORT = 512 * 1024
/** Stands for an image in JSON: no character of K's text, which is bytes. */
const IMAGE = "\ue000"

/** Writes an answer as JSON with images as base64, piece by piece: a single text would take several times their memory. */
const writeAnswer = (answer: unknown, write: (text: string) => void): void => {
  const images: Uint8Array[] = []
  const text = JSON.stringify(answer, (_, value: unknown) => (value instanceof Uint8Array ? (images.push(value), IMAGE) : value))
  text.split(IMAGE).forEach((part, i) => {
    write(part.replace(beyondBytes, unicode))
    const { buffer, byteOffset = 0, byteLength = 0 } = images[i] ?? {}
    for (let at = 0; at < byteLength; at += PIECE)
      write(Buffer.from(buffer!, byteOffset + at, Math.min(PIECE, byteLength - at)).toString("base64"))
  })
}

/** The result of a statement, sent as a report after the output. */
class Evaluated {
  constructor(readonly told: Failure | { readonly image: Uint8Array | null } | { readonly image: null; readonly bytes: number }) {}
}

/** The number of the running request, and of the last one in which `0:` cut a quoted field. Once `sealed`, K writes no file and runs no command. */
class Requests {
  current = 0
  sealed = false
  private quotesCut = Number.NEGATIVE_INFINITY
  noteQuotesCut(): void {
    this.quotesCut = this.current
  }
  /** Did one of the last `before` requests cut a quoted field? */
  cutQuotes(before: number): boolean {
    return this.quotesCut >= this.current - before
  }
}

/** The thread's state that operations use. */
interface Held {
  readonly interpreter: Interpreter
  readonly account: Account
  readonly pieces: Pieces
  readonly requests: Requests
}
type Operation = (held: Held, request: Request) => unknown

/** The side requests, which are no K code. The answer is JSON, `{}` for an operation without a result; bytes alone are sent as counted bytes. */
const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries<Operation>({
    /** Evaluates a statement and gives its value's image; for a long image only its length, and `lent` gives the bytes. */
    value: ({ interpreter, account, pieces }, { statement, most, quiet, allowance }) => {
      const wanted = { most: most!, quiet: quiet === true }
      const { failure, image } = account.run(allowance, (within) => interpreter.imaged(statement!, wanted, within))
      const isLong = image !== undefined && image.length > LONGEST_IN_REPORT
      pieces.value.set(isLong ? image : undefined)
      return new Evaluated(failure ?? (isLong ? { image: null, bytes: image.length } : { image: image ?? null }))
    },
    lent: ({ pieces }, { from, to }) => pieces.value.take(from!, to!),
    /** `path` `.` is the root of the tree, an empty path the current directory. */
    names: ({ interpreter }, { path }) => interpreter.names(path || interpreter.directory),
    look: ({ interpreter }, { view }) => interpreter.look({ ...view!, path: view!.path || interpreter.directory }),
    functions: ({ interpreter }) => interpreter.functions(MOST_FUNCTIONS),
    /** The changes of the tree since the capture numbered `since`; `take` gives an image above `limits.total` bytes. */
    capture: ({ interpreter, pieces }, { since, limits }) => pieces.without(interpreter.capture(since!, limits!), limits!.total),
    take: ({ pieces }, { from, to }) => ({ image: pieces.captured.take(from!, to!) }),
    give: ({ pieces }, { image, from, size }) => pieces.give(image!, from!, size!),
    /** The variables of more than `most` bytes, which no capture holds. None exists while all memory in use is less. */
    large: ({ interpreter, account }, { most }) => (account.memory.used() < most! ? [] : interpreter.large(most!)),
    /** Did `0:` cut a quoted field in one of the last `statements` requests? */
    quotes: ({ requests }, { statements }) => ({ cut: requests.cutQuotes(statements!) }),
    /** Removes names and restores variables; answers with the variables that did not come back equal. */
    restore: ({ interpreter, pieces }, { variables, workspace, removed }) =>
      interpreter.restore(
        variables!.map((given) => (given.inPieces === true ? Object.assign(given, { image: pieces.given() }) : given)),
        workspace,
        removed,
      ),
    /** From now on K writes no file and runs no command. */
    seal: ({ requests }) => void (requests.sealed = true),
    /** `mark` remembers the state; `back` returns to it. */
    mark: ({ interpreter }) => interpreter.mark(),
    back: ({ interpreter }) => interpreter.back(),
  }),
)

/**
 * A statement, a side request, or the error of a side request that is no JSON. A line of the wire is decoded after the look at its first byte, so that
 * no source becomes a side request. Keeps no reference to the text, which may be long.
 */
const read = (text: string, framed: boolean): string | Request | SyntaxError => {
  if (!text.startsWith(SIDE_REQUEST)) return framed ? decode(text) : text
  try {
    return JSON.parse(text.slice(1), (key, value: unknown) =>
      (key === "image" || key === "attributes") && typeof value === "string" ? fromBase64(value) : value,
    ) as Request
  } catch (error) {
    return error as SyntaxError
  }
}

const answerSide = (request: Request | SyntaxError, held: Held): unknown => {
  try {
    if (request instanceof Error) throw request
    const operation = operations.get(request.op)
    if (operation === undefined) return { error: `no such op: ${request.op}; there are: ${[...operations.keys()].join(", ")}` }
    return operation(held, request) ?? {}
  } catch (error) {
    return { error: String(error) }
  }
}

/** Waits for the next request of the main thread. */
const nextRequest = (port: MessagePort, state: Int32Array): string => {
  for (;;) {
    const asked = Atomics.load(state, ASKED)
    const received = receiveMessageOnPort(port)
    if (received !== undefined) return received.message as string
    Atomics.wait(state, ASKED, asked)
  }
}

/** One reply of the wire: counted bytes, JSON, or nothing, and the sentinel. */
const writeReply = (output: BufferedOutput, answer: unknown, isReport: boolean): void => {
  if (answer instanceof Uint8Array) {
    output.write(countedHead(answer.length))
    output.writeBytes(answer)
  } else if (answer !== undefined) {
    if (isReport) output.write(report)
    writeAnswer(answer, (text) => output.write(text))
  }
  output.write(sentinel)
}

/** Never returns: `\\`, `_exit` or the main thread ends this thread. */
export const runEvaluation = ({ options, shared, answers }: EvaluatorData): void => {
  const state = new Int32Array(shared)
  const port = parentPort!
  const framed = answers === "framed"
  const output = new BufferedOutput()
  const memory = new Memory(options.memory)
  const pieces = new Pieces()
  markInSteps()
  const requests = new Requests()
  const interpreter = makeInterpreter(
    makeHost({
      ...options,
      memory,
      write: framed ? (text) => output.write(unforgeable(text)) : (text) => output.write(text),
      // Called about every 10 ms of work: often enough to show the reader the output so far.
      interrupted: () => {
        output.flush()
        return Atomics.load(state, STOPPED) >= requests.current
      },
      sealed: () => requests.sealed,
      quotesCut: () => requests.noteQuotesCut(),
      exit: (code) => output.exit(code),
    }),
    { memory: memory.limit },
  )

  const account = new Account(memory, () => interpreter.dropCaches())

  if (framed) output.write(sentinel)
  for (;;) {
    output.flush()
    Atomics.store(state, ANSWERED, requests.current)
    const request = read(nextRequest(port, state), framed)
    requests.current++
    const side = typeof request !== "string"
    const given = side
      ? answerSide(request, { interpreter, account, pieces, requests })
      : request.trim() === ""
        ? undefined
        : interpreter.evaluate(request)
    const isEvaluated = given instanceof Evaluated
    const answer = isEvaluated ? given.told : given
    Atomics.store(state, EVALUATED, requests.current)
    if (framed) writeReply(output, answer, isEvaluated || !side)
    else {
      // The console's prompt clears its line, so the output must end in a newline.
      output.endLine()
      output.flush()
      port.postMessage(answer)
    }
  }
}
