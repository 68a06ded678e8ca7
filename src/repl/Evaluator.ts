/**
 * An interpreter on a thread of its own, so that this thread stays free to see interrupts, signals and the end of its input while
 * `while[1;x:1]` runs.
 *
 * Guarantees: requests are answered in order; an interrupt stops what was asked before it and nothing that is asked later; the thread
 * has a deep stack, and when its memory ends, it ends alone. Does not: stop a single operation of JavaScript's own that takes long.
 */
import { Worker } from "node:worker_threads"
import { fileURLToPath } from "node:url"
import type { Options } from "./commandLine.ts"
import { YOUNG_MB } from "./collector.ts"
import { HEAP_FOR_BYTE } from "./memory.ts"

/** Places in the memory that both threads see: how many requests were made, evaluated, answered, and stopped. */
export const ASKED = 0
export const EVALUATED = 1
export const ANSWERED = 2
export const STOPPED = 3

export interface EvaluatorData {
  readonly role: "evaluator"
  readonly options: Options
  readonly shared: SharedArrayBuffer
  /** Where answers go: framed to standard output, or to the thread that asked. */
  readonly answers: "framed" | "posted"
}

const STACK_MB = 64

/** A thread of this program with a deep stack and the heap that its memory limit asks for. */
export const deepThread = (program: string, workerData: { readonly options: Options }): Worker =>
  new Worker(fileURLToPath(program), {
    workerData,
    resourceLimits: {
      stackSizeMb: STACK_MB,
      maxYoungGenerationSizeMb: YOUNG_MB,
      maxOldGenerationSizeMb: Math.max(64, Math.ceil((workerData.options.memory * HEAP_FOR_BYTE) / 1024 ** 2)),
    },
  })

export class Evaluator {
  private readonly state = new Int32Array(new SharedArrayBuffer(16))
  private readonly worker: Worker
  private asked = 0

  /** `program` is the URL of the one file that holds both threads' code. */
  constructor(program: string, options: Options, answers: EvaluatorData["answers"]) {
    Atomics.store(this.state, ANSWERED, -1)
    const workerData: EvaluatorData = { role: "evaluator", options, shared: this.state.buffer, answers }
    this.worker = deepThread(program, workerData)
  }

  /** A statement, or a side request (byte 05 and JSON), as a byte string. */
  ask(request: string): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.worker.postMessage(request)
    Atomics.store(this.state, ASKED, ++this.asked)
    Atomics.notify(this.state, ASKED)
  }

  interrupt(): void {
    Atomics.store(this.state, STOPPED, this.asked)
  }

  /** -1 until it is ready. */
  get answered(): number {
    return Atomics.load(this.state, ANSWERED)
  }

  /** Is something evaluated, or waiting to be? What is not may still be on its way out. */
  get evaluating(): boolean {
    return Atomics.load(this.state, EVALUATED) < this.asked
  }

  /** Is all that was asked answered, and the answers written? */
  get idle(): boolean {
    return this.answered === this.asked
  }

  /** The answers, where they are posted. */
  onAnswer(listener: (answer: unknown) => void): void {
    this.worker.on("message", listener)
  }

  /** Its end: by `\\` or `_exit`, with their code; or by a failure, which is told. */
  onEnd(listener: (code: number, failure: Error | undefined) => void): void {
    let failure: Error | undefined
    this.worker.on("error", (error) => {
      failure = error
    })
    this.worker.on("exit", (code) => listener(code, failure))
  }
}
