/** A client of the chaos run. Works one session, passes each reply to the model, and often reads all variables. */
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import type { Answer, Caller } from "../lib/caller.ts"
import { type Loss, Model, variables } from "./Model.ts"

/** A reply that takes longer counts as missing, ms. The time is many times the deadlines within a call, so that a slow machine passes. */
const patience = 300_000
const deadline = 20_000
/** The time after which an idle session should be written, ms. */
const writtenWithin = 2000

export interface Tally {
  readonly counts: Map<string, number>
  readonly times: number[]
  readonly complaints: string[]
  /** The process ids of interpreters that `k_status` named. */
  readonly pids: Set<number>
}

const count = ({ counts }: Tally, what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1)

interface Parts {
  readonly session: string
  readonly caller: Caller
  readonly random: () => number
  readonly tally: Tally
  readonly folder: string
  /** The address of a front end that should answer. */
  readonly url: () => string
  /** True if no fault happened since `fromMs`. */
  readonly isCalm: (fromMs: number) => boolean
}

export const makeClient = ({ session, caller, random, tally, folder, url, isCalm }: Parts) => {
  const model = new Model(session)
  const below = (n: number): number => Math.floor(random() * n)
  const complain = (text: string): void => void tally.complaints.push(text)
  const last: string[] = []
  const remember = (text: string): void => {
    last.push(`${new Date().toISOString().slice(14, 23)} ${text.replaceAll("\n", " / ").slice(0, 300)}`)
    if (last.length > 12) last.shift()
  }

  let waiting: string | undefined
  const call = async (name: string, given: object): Promise<Answer> => {
    const begun = performance.now()
    const place = url()
    waiting = `${session} waits since ${new Date().toISOString()} for ${name} ${JSON.stringify(given)} at ${place}\n${last.join("\n")}`
    const answer = await caller.call(place, name, { session, ...given }, patience)
    waiting = undefined
    count(tally, "calls")
    remember(`${name} ${JSON.stringify(given)} -> ${"text" in answer ? answer.text : answer.kind}`)
    if (answer.kind === "missing") complain(`no reply to ${name} of ${session}\n${last.join("\n")}`)
    if (answer.kind === "reply") {
      tally.times.push(performance.now() - begun)
      model.hear(answer.text)
      if (answer.isError) count(tally, `told: ${answer.structured?.error?.name ?? "an error without a name"}`)
    } else count(tally, answer.kind === "refused" ? `refused: ${answer.text.slice(0, 60)}` : answer.kind)
    if (answer.kind !== "reply") {
      model.missReply()
      await pause(50 + below(200))
    }
    return answer
  }

  const file = JSON.stringify(join(folder, `${session}.l`))
  const assign = async (): Promise<void> => {
    const variable = below(variables)
    const n = model.begin(variable)
    count(tally, "evaluations begun")
    const slow = random() < 0.15 ? `i:0;while[i<${below(400_000)};i+:1]\n` : ""
    const code = `${file} 5:,"<${session}.${n}>";\n${slow}v${variable}:${n}\nv${variable}`
    const answer = await call("k_eval", { code, timeout_ms: deadline })
    if (answer.kind !== "reply" || answer.structured?.ok !== true) return
    if (answer.structured.output.trim() === String(n)) model.acknowledge(variable, n)
    else complain(`${session}: ${code} answered ${answer.text}`)
  }

  const names = Array.from({ length: variables }, (_, i) => `v${i}`)
  /** The values of all variables, inner undefined when they do not exist. Outer undefined when no reply says. */
  const read = async (): Promise<{ readonly values: readonly number[] | undefined } | undefined> => {
    const answer = await call("k_eval", { code: names.join(","), timeout_ms: deadline })
    if (answer.kind !== "reply") return undefined
    const { ok, output, error } = answer.structured
    if (ok === true) return { values: output.trim().split(" ").map(Number) }
    return error.name === "value" ? { values: undefined } : undefined
  }
  const judge = (losses: readonly Loss[]): void => {
    for (const { kind, text } of losses) {
      count(tally, `values ${kind}`)
      complain(`${kind}: ${text}\n${last.join("\n")}`)
    }
  }
  const begin = async (): Promise<boolean> => {
    model.mayBegin()
    const answer = await call("k_eval", { code: `${names.join(":")}:0;`, timeout_ms: deadline })
    const isDone = answer.kind === "reply" && answer.structured?.ok === true
    if (isDone) model.begun()
    return isDone
  }
  const check = async (): Promise<boolean> => {
    const wasBegun = model.isBegun
    const seen = await read()
    if (seen === undefined) return false
    judge(model.see(seen.values))
    if (seen.values !== undefined) return true
    if (wasBegun) count(tally, "sessions lost before they were written")
    return begin()
  }

  const status = async () => {
    const answer = await call("k_status", {})
    if (answer.kind !== "reply" || typeof answer.structured?.epoch !== "number") return undefined
    if (typeof answer.structured.pid === "number") tally.pids.add(answer.structured.pid)
    return answer.structured as { readonly epoch: number; readonly disk: { readonly behind?: number }; readonly pid: number | null }
  }

  /** If the epoch before the read is the epoch after the pause, and nothing is left to write, then the values of the read are written. */
  const rest = async (): Promise<void> => {
    const before = await status()
    if (before === undefined || !(await check())) return
    const begun = performance.now()
    await pause(writtenWithin)
    const after = await status()
    if (after === undefined || after.epoch !== before.epoch || after.pid === null) return
    if (after.disk.behind === 0) {
      count(tally, "states known to be written")
      model.keep()
    } else if (isCalm(begun)) count(tally, `states not written ${writtenWithin / 1000} s later`)
  }

  const save = async (): Promise<void> => {
    if (!(await check())) return
    const answer = await call("k_snapshot", { action: "save", name: "chaos" })
    if (answer.kind !== "reply" || answer.isError) return
    const now = await read()
    // If a machine was lost between the first read and the snapshot, the snapshot has the values of this second read.
    if (now === undefined) return
    count(tally, "snapshots saved")
    judge(model.see(now.values))
    if (now.values !== undefined && !/is lost|is not written/.test(answer.text)) model.keep()
  }

  const step = async (): Promise<unknown> => {
    if (!model.isBegun) return begin()
    const dice = random()
    if (dice < 0.6) await assign()
    else if (dice < 0.75) await check()
    else if (dice < 0.92) await rest()
    else await save()
  }

  return {
    model,
    /** The call that has no answer yet, and the earlier ones. */
    waits: () => waiting,
    /** Works until `isOver` returns true. */
    work: async (isOver: () => boolean): Promise<void> => {
      while (!isOver()) {
        await step()
        await pause(below(1500))
      }
    },
    /** Checks the session when all machines run; complains when it does not answer within `patience`. */
    finish: async (): Promise<void> => {
      for (const until = performance.now() + patience; performance.now() < until;) if (await check()) return void (await status())
      complain(`${session} was not answered at the end\n${last.join("\n")}`)
    },
  }
}
