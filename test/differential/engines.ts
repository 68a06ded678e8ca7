/**
 * The interpreters that are compared: this one in process, K3CSharp and Kona as children.
 *
 * Guarantees: each statement is answered by itself; a child that dies, or does not answer within its deadline, is launched anew and its answer
 * is `lost`, which proves nothing. Does not: clear variables between programs, so a program assigns what it reads.
 */
import { spawn, type ChildProcess } from "node:child_process"
import { closeSync, openSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeInterpreter } from "../../src/k3/k3.ts"
import { memoryHost } from "../lib/memoryHost.ts"
import { readPrinted, type Printed } from "./printed.ts"

export type Answer =
  | { readonly kind: "value"; readonly value: Printed; readonly text: string }
  | { readonly kind: "error" | "nothing" | "unread" | "lost"; readonly text: string }

/** Statements, each a line. */
export type Program = readonly string[]

export interface Engine {
  readonly name: string
  /** For each program the output of its last statement, or the error of any statement. */
  ask(programs: readonly Program[]): Promise<readonly Answer[]>
  close(): void
}

const answerOf = (text: string, isError: RegExp): Answer => {
  if (text === "") return { kind: "nothing", text }
  if (isError.test(text)) return { kind: "error", text }
  const value = readPrinted(text)
  return value === undefined ? { kind: "unread", text } : { kind: "value", value, text }
}

/** Statements that one interpreter runs before a new one takes over. */
const LIFE = 10_000
/** Milliseconds without output after which a child is lost: one that evaluates, and one that a busy machine is still starting. */
const DEADLINE = 5000
const START = 60_000
const SENTINEL = "\x01\x02"

/** The output of a child so far, cut at its sentinels. */
class Replies {
  readonly whole: string[] = []
  partial = ""
  private heard: () => void = () => {}

  constructor(readonly child: ChildProcess) {
    child.stdout!.setEncoding("latin1")
    child.stdout!.on("data", (data: string) => {
      const parts = (this.partial + data).split(SENTINEL)
      this.partial = parts.pop()!
      for (const part of parts) this.whole.push(part)
      this.heard()
    })
    child.stdin?.on("error", () => this.heard())
    child.stdout!.on("close", () => this.heard())
  }

  get ended(): boolean {
    return this.child.stdout!.closed
  }

  /** The next so many; fewer when the child has ended, floods its output or is silent. */
  take(count: number, patience = DEADLINE): Promise<readonly string[]> {
    return new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer)
        this.heard = () => {}
        resolve(this.whole.splice(0, count))
      }
      const timer = setTimeout(settle, patience)
      this.heard = () => {
        timer.refresh()
        if (this.whole.length >= count || this.partial.length > 1e6 || this.ended) settle()
      }
      this.heard()
    })
  }

  close(): void {
    this.child.kill("SIGKILL")
  }
}

interface Dialect {
  readonly name: string
  /** Hands statements to a child, each of which ends its reply with a sentinel. */
  readonly send: (statements: readonly string[]) => Promise<Replies>
  readonly printed: (reply: string) => string
  readonly isError: RegExp
  /** Ends the child that was handed something last, when that is over or something is missing. */
  readonly release: (replies: Replies, complete: boolean) => void
  readonly close: () => void
}

const asked = ({ name, send, printed, isError, release, close }: Dialect): Engine => ({
  name,
  close,
  ask: async (programs) => {
    const answers: Answer[] = []
    while (answers.length < programs.length) {
      const rest = programs.slice(answers.length)
      const statements = rest.flat()
      const replies = await send(statements)
      const texts = (await replies.take(statements.length)).map(printed)
      let at = 0
      for (const program of rest) {
        const own = texts.slice(at, (at += program.length))
        if (own.length < program.length) {
          answers.push({ kind: "lost", text: replies.partial })
          break
        }
        answers.push(answerOf(own.find((text) => isError.test(text)) ?? own[own.length - 1]!, isError))
      }
      release(replies, texts.length === statements.length)
    }
    return answers
  },
})

/** One sentinel a line; the first before any. Runs in the folder `cwd`. */
export const k3csharp = (build: string, cwd: string): Engine => {
  let current: Replies | undefined
  let sent = 0
  const launched = async (): Promise<Replies> => {
    const env = { ...process.env, DOTNET_ROLL_FORWARD: "Major", DOTNET_GCHeapHardLimit: "0x20000000" }
    const replies = new Replies(spawn(join(build, "K3CSharp"), ["--mcp"], { cwd, env, stdio: ["pipe", "pipe", "ignore"] }))
    replies.child.stdin!.write("\\p 15\n")
    if ((await replies.take(2, START)).length < 2) throw new Error("K3CSharp does not start")
    sent = 0
    return replies
  }
  const close = (): void => {
    current?.close()
    current = undefined
  }
  return asked({
    name: "K3CSharp",
    send: async (statements) => {
      current ??= await launched()
      sent += statements.length
      current.child.stdin!.write(Buffer.from(statements.map((each) => `${each}\n`).join(""), "latin1"))
      return current
    },
    printed: (reply) => reply.replace(/\n$/, ""),
    isError: /^Error: /,
    release: (_, complete) => {
      if (!complete || sent > LIFE) close()
    },
    close,
  })
}

/**
 * A process for all statements of a request. It reads them from a file as a console, since of a pipe it sees only the first line. It prompts before
 * each line, prints a mark when it is told to, opens no level after an error, and shows all digits.
 */
export const kona = (program: string, cwd: string): Engine => {
  const input = join(cwd, "statements.k")
  return asked({
    name: "Kona",
    send: (statements) => {
      writeFileSync(input, `\\e 0\n\\p 17\n${statements.map((each) => `${each}\n\`0:"\\001\\002"\n`).join("")}\\\\\n`, "latin1")
      const stdin = openSync(input, "r")
      const replies = new Replies(spawn("sh", ["-c", 'ulimit -v 2000000; exec "$0"', program], { cwd, stdio: [stdin, "pipe", "ignore"] }))
      closeSync(stdin)
      return Promise.resolve(replies)
    },
    printed: (reply) => reply.replace(/^(?: {2})+/, "").replace(/\n? *$/, ""),
    isError: /^[a-z ]+ error$/m,
    release: (replies) => replies.close(),
    close: () => {},
  })
}

const LIMITS = { steps: 1e6, memory: 64 * 1024 ** 2, depth: 200 }

/** This interpreter, at once. */
export const embedded = (): { readonly ask: (program: Program) => Answer } => {
  let programs = 0
  let host = memoryHost()
  let interpreter = makeInterpreter(host, LIMITS)
  return {
    ask: (program) => {
      if (programs++ % LIFE === 0) {
        host = memoryHost()
        interpreter = makeInterpreter(host, LIMITS)
        interpreter.evaluate("\\p 17")
      }
      let text = ""
      for (const statement of program) {
        const failure = interpreter.evaluate(statement)
        text = host.take().replace(/\n$/, "")
        if (failure !== undefined) return { kind: "error", text: failure.rendered }
      }
      return answerOf(text, /^$/)
    },
  }
}
