/**
 * A scripted interpreter in memory, behind the process port. Each line tells it its behaviour, so that a test of supervision explains itself.
 *
 *     print X       prints X                       loop          runs until it is interrupted or killed
 *     x: V          remembers V, prints nothing    deaf          like loop, and ignores interrupts
 *     x             prints the remembered value    exit N        ends with code N, a word on standard error
 *     err X         fails as its engine would      spill X       answers, then prints X unasked
 *     flood N       prints N letters               split         prints "split" one byte per chunk
 *     busy          prints "half", then like loop  \9 \v !`      answered like K3CSharp
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Process, type ProcessExit, type ProcessSpec, type RunningProcess, SpawnFailed } from "../../src/child/Process.ts"

export interface ScriptedProcess {
  readonly pid: number
  readonly spec: ProcessSpec
  /** The lines that it got. */
  readonly lines: readonly string[]
  readonly alive: () => boolean
  /** Was it killed? It stays alive while kills are held. */
  readonly killed: () => boolean
  /** Was its priority lowered? */
  readonly yields: () => boolean
  readonly exit: (exit: ProcessExit) => void
  readonly print: (text: string) => void
  /** Ends the present loop with an answer, and goes on with the lines that came meanwhile. */
  readonly finish: (text: string) => void
}

/** The behaviour of a launch. `slow`: ready at `wake`; `mute`: never ready. */
export type LaunchScript = "ready" | "mute" | "slow" | "exit" | "refuse"

/** A side request to the embedded engine. */
interface SideRequest {
  readonly op: string
  readonly path: string
  readonly since?: number
  readonly view?: { readonly path: string }
  readonly variables?: readonly { readonly path: string; readonly image?: string }[]
  readonly removed?: readonly string[]
  readonly statement?: string
}

export class Script {
  readonly processes: ScriptedProcess[] = []
  /** The behaviour of the next launches, in order; `ready` after the last. */
  readonly launches: LaunchScript[] = []
  /** While true, killed processes stay alive. */
  holdKills = false
  /** The number of children that will be killed while they restore a `fragile` value, as by the system. */
  kills = 0
  private nextPid = 1001
  private readonly slow: (() => void)[] = []

  get latest(): ScriptedProcess {
    return this.processes.at(-1)!
  }

  get alive(): readonly number[] {
    return this.processes.filter((each) => each.alive()).map((each) => each.pid)
  }

  readonly layer: Layer.Layer<Process> = Layer.succeed(Process, {
    spawn: (spec) =>
      Effect.acquireRelease(
        Effect.suspend(() => {
          const launch = this.launches.shift() ?? "ready"
          return launch === "refuse" ? Effect.fail(new SpawnFailed({ reason: "ENOENT" })) : Effect.sync(() => this.start(spec, launch))
        }),
        (process) =>
          Effect.callback<void>((resume) => {
            process.onExit(() => resume(Effect.void))
            process.kill()
          }),
      ),
  })

  private start(spec: ProcessSpec, launch: LaunchScript): RunningProcess {
    const utf8 = new TextEncoder()
    const lines: string[] = []
    const queued: string[] = []
    const variables = new Map<string, string>()
    const exits: ((exit: ProcessExit) => void)[] = []
    const embedded = spec.endsWithStdin
    let ended: ProcessExit | undefined
    let killed = false
    let yields = false
    let working: "no" | "loop" | "deaf" = "no"
    let stderr = ""
    let listener: (chunk: Uint8Array) => void = () => {}

    const exit = (how: ProcessExit) => {
      if (ended !== undefined) return
      ended = how
      for (const each of exits) each(how)
    }
    const print = (text: string) => {
      if (ended === undefined) listener(utf8.encode(text))
    }
    /** Is the next answer followed by the image of a value? The image is its text. */
    let valued = false
    /** Is the next answer kept and not printed, as in K3CSharp's request for a value? */
    let assigning = false
    let held = ""
    const answer = (text: string) => {
      if (working !== "no") return
      if (assigning) {
        assigning = false
        if (!text.startsWith("Error: ")) {
          held = text
          return print("\x01\x02")
        }
      }
      const report = valued ? `\x15${JSON.stringify({ image: Buffer.from(text).toString("base64") })}` : ""
      valued = false
      print(`${text}${report}\x01\x02`)
    }
    const fail = (text: string) => {
      valued = false
      answer(
        embedded
          ? `\x15${JSON.stringify({ name: text, hint: "", line: 1, column: 2, source: "s", caret: " ^", at: "+", path: [], rendered: `${text} error` })}`
          : `Error: ${text}`,
      )
    }

    let serial = 0
    /** The variables as they were captured or restored. */
    let seen = new Map<string, string>()
    /** Dropped by the next capture. */
    let marked: ReadonlyMap<string, string> | undefined
    const side = (request: SideRequest): unknown => {
      switch (request.op) {
        case "capture": {
          marked = undefined
          const anew = request.since !== serial
          if (anew) seen.clear()
          const changed = [...variables].filter(([name, v]) => seen.get(name) !== v)
          const removed = [...seen.keys()].filter((name) => !variables.has(name))
          seen = new Map(variables)
          return {
            serial: ++serial,
            anew,
            more: false,
            changed: changed.map(([name, v]) => ({ path: `.k.${name}`, type: 4, shape: "", bytes: v.length, text: v, image: v })),
            removed: removed.map((name) => `.k.${name}`),
            workspace: { precision: 7, seed: -314159, directory: ".k", folder: "/" },
          }
        }
        case "restore":
          if (request.variables!.some(({ image }) => image === "broken")) return { error: "RangeError: it is broken" }
          for (const path of request.removed ?? []) variables.delete(path.slice(3))
          return request.variables!.flatMap(({ path, image }) => give(path.slice(3), image!))
        case "mark":
          marked = new Map(variables)
          return {}
        case "back":
          if (marked === undefined) return {}
          variables.clear()
          for (const [name, v] of marked) variables.set(name, v)
          marked = undefined
          return {}
        case "large":
          return []
        case "quotes":
          return {}
        case "names":
          return below(request.path)
        case "look":
          return { entries: below(request.view!.path), total: below(request.view!.path).length }
        default:
          throw new Error(`the scripted child knows no ${request.op}`)
      }
    }
    const below = (path: string) =>
      (path === ".k" || path === "" ? [...variables] : path === "." ? ([["k", ""]] as const) : []).map(([name, v]) => ({
        name,
        type: 4,
        count: 1,
        preview: v,
      }))
    /**
     * Restores a variable; returns the lost ones. `deadly` ends the child, `fragile` kills it while `kills` is above 0, `endless` keeps it busy,
     * `shy` is not restored, `lossy` is restored as another value, `broken` spoils the answer.
     */
    const give = (name: string, value: string): readonly { readonly path: string; readonly why: string }[] => {
      if (value === "deadly") exit({ code: 7, signal: null })
      if (value === "fragile" && this.kills > 0) {
        this.kills--
        exit({ code: null, signal: "SIGKILL" })
      }
      if (value === "endless") working = "loop"
      if (value === "shy") return [{ path: `.k.${name}`, why: "it is shy" }]
      variables.set(name, value === "lossy" ? "less" : value)
      if (value !== "lossy") seen.set(name, value)
      return value === "lossy" && embedded ? [{ path: `.k.${name}`, why: "it is lossy" }] : []
    }

    const run = (line: string): void => {
      const given = /^\.k\.(\w+):_db _ci (.*);$/.exec(line)
      if (given !== null)
        return answer(give(given[1]!, String.fromCharCode(...given[2]!.split(" ").map(Number))).length > 0 ? "Error: it is shy" : "")
      const assigned = /^\.t\.k3mcp:(.*);$/.exec(line)?.[1]
      if (assigned !== undefined) {
        assigning = true
        return assigned === "0" || assigned.startsWith("`") ? answer(assigned) : run(assigned)
      }
      if (line === ".t.k3mcp") return answer(held)
      if (line === "_ic _bd .t.k3mcp") return answer([...utf8.encode(held.padStart(12))].join(" "))
      const [word = "", ...rest] = line.split(" ")
      const argument = rest.join(" ")
      if (line.startsWith("\x05")) {
        const request = JSON.parse(line.slice(1)) as SideRequest
        if (request.op === "value") {
          valued = true
          return run(request.statement!)
        }
        return answer(JSON.stringify(side(request)))
      }
      if (word.endsWith(":")) {
        variables.set(word.slice(0, -1), argument)
        return answer("")
      }
      switch (word) {
        case "print":
          return answer(argument)
        case "err":
          return fail(argument)
        case "loop":
        case "deaf":
          working = word
          return
        case "busy":
          working = "loop"
          return print("half")
        case "exit":
          stderr = `stderr of exit ${argument}`
          return exit({ code: Number(argument), signal: null })
        case "spill":
          answer("first")
          return print(argument)
        case "split":
          for (const byte of utf8.encode("split\x01\x02")) listener(Uint8Array.of(byte))
          return
        case "flood": {
          const chunk = "x".repeat(65536)
          for (let left = Number(argument); left > 0; left -= 65536) print(chunk.slice(0, Math.min(left, 65536)))
          return answer("")
        }
        case "1+1":
          return answer("2")
        case "\\9":
          if (variables.get("sticky") === undefined) variables.clear()
          return answer("")
        case "\\v":
          return answer(`${[...variables.keys()].join(" ")}\n`)
        case "\\r":
          return answer("-314159\n")
        case "\\cd":
          return answer("/\n")
        case "\\d":
          return answer(".k\n")
        case "\\p":
          return answer("7\n")
        case "!`":
          return answer("`k`t")
        case "!`.k":
          return answer([...variables.keys()].map((name) => `\`${name}`).join(""))
        default:
          if (line.startsWith("(4:") && line.includes("^")) return answer("(4;!0;1)")
          if (line.startsWith("_ic _bd .k.") && variables.get(line.slice(11)) === "slow") {
            variables.set(line.slice(11), "slowly")
            working = "loop"
            return
          }
          if (line.startsWith("_ic _bd .k.")) return answer([...utf8.encode(variables.get(line.slice(11)))].join(" "))
          if (line.startsWith(".k.")) return answer(variables.get(line.slice(3)) ?? "")
          if (line.startsWith("(4:")) return answer("4 1")
          if (line.startsWith("5:.k.")) return answer(`"\`${variables.get(line.slice(5))}"`)
          return variables.has(line) ? answer(variables.get(line)!) : answer("0")
      }
    }

    const take = (line: string): void => {
      if (working === "no") run(line)
      else queued.push(line)
    }
    const goOn = (end: () => void): void => {
      working = "no"
      end()
      for (const line of queued.splice(0)) take(line)
    }

    const process: RunningProcess & ScriptedProcess = {
      pid: this.nextPid++,
      spec,
      lines,
      alive: () => ended === undefined,
      killed: () => killed,
      yields: () => yields,
      exit,
      print,
      finish: (text) => goOn(() => answer(text)),
      stderr: () => stderr,
      onStderr: () => {},
      lowerPriority: () => void (yields = true),
      onStdout: (given) => {
        listener = given
        // Not synchronously: a real child is never ready before its listener is set.
        if (launch === "ready") queueMicrotask(() => print("\x01\x02"))
        if (launch === "slow") this.slow.push(() => print("\x01\x02"))
        if (launch === "exit") {
          stderr = "You must install .NET"
          exit({ code: 150, signal: null })
        }
      },
      onExit: (given) => void (ended === undefined ? exits.push(given) : given(ended)),
      write: (text) => {
        if (ended !== undefined || launch === "mute" || typeof text !== "string") return
        if (text === "\x03") {
          if (working === "loop") goOn(() => fail("break"))
          return
        }
        const line = text.replace(/\n$/, "")
        lines.push(line)
        take(line)
      },
      kill: () => {
        killed = true
        if (!this.holdKills) exit({ code: null, signal: "SIGKILL" })
      },
    }
    this.processes.push(process)
    return process
  }

  /** Makes the first `most` slow launches ready. */
  wake(most = Number.POSITIVE_INFINITY): void {
    for (const ready of this.slow.splice(0, most)) ready()
  }

  /** Ends the processes that were killed while kills were held. */
  release(): void {
    this.holdKills = false
    for (const each of this.processes) if (each.killed()) each.exit({ code: null, signal: "SIGKILL" })
  }
}
