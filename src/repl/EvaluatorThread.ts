/**
 * An interpreter on a worker thread, so that the main thread can react to interrupts, signals and the end of input while `while[1;x:1]` runs.
 *
 * Guarantees: requests are answered in order; an interrupt stops the requests made before it and no later one; the thread has a deep stack; when
 * it runs out of memory, only this thread ends. Does not: stop a long single operation of JavaScript.
 */
import { Worker } from "node:worker_threads"
import { fileURLToPath } from "node:url"
import type { ConsoleOptions } from "./commandLine.ts"
import { YOUNG_MB } from "./collector.ts"
import { HEAP_FOR_BYTE } from "./memory.ts"

/** Indices in the memory that both threads share: how many requests were made, evaluated, answered, and stopped. */
export const ASKED = 0
export const EVALUATED = 1
export const ANSWERED = 2
export const STOPPED = 3

export interface EvaluatorData {
  readonly role: "evaluator"
  readonly options: ConsoleOptions
  readonly shared: SharedArrayBuffer
  /** Where answers go: framed to standard output, or posted to the main thread. */
  readonly answers: "framed" | "posted"
}

const STACK_MB = 64

/** A thread of this program with a deep stack and the heap that its memory limit asks for. */
export const deepThread = (program: string, workerData: { readonly options: ConsoleOptions }): Worker =>
  new Worker(fileURLToPath(program), {
    workerData,
    resourceLimits: {
      stackSizeMb: STACK_MB,
      maxYoungGenerationSizeMb: YOUNG_MB,
      maxOldGenerationSizeMb: Math.max(64, Math.ceil((workerData.options.memory * HEAP_FOR_BYTE) / 1024 ** 2)),
    },
  })

export class EvaluatorThread {
  private readonly state = new Int32Array(new SharedArrayBuffer(16))
  private readonly worker: Worker
  private asked = 0

  /** `program`: the URL of the file that has the code of both threads. */
  constructor(program: string, options: ConsoleOptions, answers: EvaluatorData["answers"]) {
    Atomics.store(this.state, ANSWERED, -1)
    const workerData: EvaluatorData = { role: "evaluator", options, shared: this.state.buffer, answers }
    this.worker = deepThread(program, workerData)
  }

  /** A statement, or a side request (byte 05 and JSON), as a byte string; with `framed` answers a line of the wire, without its newline. */
  ask(request: string): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.worker.postMessage(request)
    Atomics.store(this.state, ASKED, ++this.asked)
    Atomics.notify(this.state, ASKED)
  }

  interrupt(): void {
    Atomics.store(this.state, STOPPED, this.asked)
  }

  /** The number of answered requests; -1 until the thread is ready. */
  get answered(): number {
    return Atomics.load(this.state, ANSWERED)
  }

  /** Does a request run or wait? If not, its answer may still have to be written. */
  get evaluating(): boolean {
    return Atomics.load(this.state, EVALUATED) < this.asked
  }

  /** Are all requests answered, and the answers written? */
  get idle(): boolean {
    return this.answered === this.asked
  }

  /** Gets each posted answer. */
  onAnswer(listener: (answer: unknown) => void): void {
    this.worker.on("message", listener)
  }

  /** Called when the thread has ended: with the code of `\\` or `_exit`, or with the failure that ended it. */
  onEnd(listener: (code: number, failure: Error | undefined) => void): void {
    let failure: Error | undefined
    this.worker.on("error", (error) => {
      failure = error
    })
    this.worker.on("exit", (code) => listener(code, failure))
  }
}
