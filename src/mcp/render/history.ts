/** The replies of `k_history`: a list with one line per entry, a whole entry, the result of a replay, crash records, scripts and transcripts. */
import { CrashRecord } from "../../session/history/CrashRecord.ts"
import { type HistoryEntry, type HistoryPage, readable } from "../../session/history/HistoryLog.ts"
import type { Replayed } from "../../session/history/replay.ts"
import { shortened } from "../../shortened.ts"
import type { SettingValues } from "../../Settings.ts"
import { type FailureFields, noticed, type Reply } from "./Reply.ts"
import { crashText } from "./crash.ts"
import { evaluation, notice } from "./evaluation.ts"
import { failure } from "./sessionFailure.ts"
import { duration, indent, paragraphs, plural, ranges, time } from "./words.ts"

const codeShown = 80
const outputShown = 40

const oneLine = (text: string, most: number): string => shortened(text.trimEnd().replaceAll(/\n\s*/g, " ⏎ "), most)

const events = {
  reset: "reset: all variables removed",
  reload: "reload: all variables removed",
  close: "the session was closed: all variables removed",
  restore: "a snapshot was restored",
  undo: "the latest change was undone",
  redo: "an undo was taken back",
  fork: "forked from",
} as const

const eventText = ({ event, output }: HistoryEntry): string => `${events[event!]}${output === "" ? "" : ` ${output}`}`

const effects = { none: "nothing ran", undone: "undone" } as const

/** The output or the error of an entry, in at most about `most` characters. The arguments count as statements, since they are shown as such. */
const outcome = ({ args = 0, ok, output, error, effect, failed = 0 }: HistoryEntry, most: number): string => {
  const statement = failed === 0 ? 0 : args + failed
  const result = ok
    ? oneLine(output, most)
    : `${error?.name ?? "error"}${statement > 1 ? ` in statement ${statement}` : ""}${effect === undefined ? "" : `, ${effects[effect]}`}`
  return result === "" ? "" : ` → ${result}`
}

/** The caller, unless it is an agent: most entries are an agent's. */
const mark = ({ by = "agent" }: HistoryEntry): string => (by === "agent" ? "" : `${by}: `)

const entryLine = (entry: HistoryEntry): string =>
  entry.event === undefined
    ? `${entry.n}  ${time(entry.at)}  ${mark(entry)}${oneLine(readable(entry, codeShown), codeShown)}${outcome(entry, outputShown)}`
    : `${entry.n}  ${time(entry.at)}  ${mark(entry)}(${eventText(entry)})`

/** The text of an error of K begins with its name; that of a cancel is empty. */
const errorText = ({ name, text }: NonNullable<HistoryEntry["error"]>): string =>
  text.startsWith(name) ? text : text === "" ? name : `${name}: ${text}`

const entryOutput = (entry: HistoryEntry, code: number, output: number) => ({
  n: entry.n,
  at: new Date(entry.at).toISOString(),
  ...(entry.by !== undefined && { by: entry.by }),
  code: code === 0 ? entry.code : entry.event !== undefined ? "" : oneLine(readable(entry, code), code),
  ok: entry.ok,
  ...(entry.output !== "" && { output: output === 0 ? entry.output : oneLine(entry.output, output) }),
  ...(entry.error !== undefined && { error: output === 0 ? errorText(entry.error) : entry.error.name }),
  ...(entry.effect !== undefined && { effect: entry.effect }),
  ...(entry.event !== undefined && { event: entry.event }),
})

const damagedLine = (damaged: number): string | undefined =>
  damaged === 0
    ? undefined
    : `${plural(damaged, "entry", "entries")} could not be read any more: cut short when the server ended, or damaged on disk.`

/** The numbers of the first and the last entry that is held; 0 when there is none. `trouble`: the problems of the store then. */
interface HeldEntries {
  readonly first: number
  readonly last: number
  readonly trouble?: readonly string[]
}

/** `text`: the searched text; undefined for a plain list. `held`: all entries, of which the call may have asked for a part. */
export const page = (
  session: string,
  { entries, cursor, damaged }: HistoryPage,
  text: string | undefined,
  held: HeldEntries = { first: 0, last: 0 },
): Reply => {
  const nothing =
    text === undefined
      ? held.last === 0
        ? `Session ${session} has no history yet.`
        : noSuchEntry(session, held)
      : `Nothing in the history of session ${session} holds ${JSON.stringify(text)}.`
  const more =
    cursor === undefined
      ? undefined
      : `Older ones: call k_history with action ${text === undefined ? "list" : "search, the same text"} and cursor ${cursor}.`
  return noticed(
    [entries.map(entryLine).join("\n") || nothing, more],
    { entries: entries.map((entry) => entryOutput(entry, codeShown, outputShown)), ...(cursor !== undefined && { cursor }) },
    [damagedLine(damaged), ...(held.trouble ?? [])],
  )
}

const about = ({ at, by, ms, generation, engine, build }: HistoryEntry): string =>
  [
    time(at),
    ...(by === undefined ? [] : [`by ${by}`]),
    duration(ms),
    `generation ${generation}`,
    ...(engine === undefined ? [] : [engine]),
    ...(build === undefined ? [] : [`build ${build.slice(0, 8)}`]),
  ].join(", ")

/** A whole entry; code and output are each cut to `outputShown` characters. */
export const entry = (of: HistoryEntry, settings: SettingValues): Reply => {
  const most = settings.outputShown
  const shown: HistoryEntry = { ...of, code: shortened(readable(of, most), most), output: shortened(of.output, most) }
  const structured = { ok: true, entries: [entryOutput(shown, 0, 0)] }
  if (of.event !== undefined)
    return {
      text: paragraphs(`Entry ${of.n} (${about(of)}) is no evaluation: ${eventText(of)}.`, shown.code && indent(shown.code)),
      structured,
    }
  return {
    text: paragraphs(
      `Entry ${of.n} (${about(of)}):`,
      indent(shown.code),
      of.ok ? "printed:" : `ended in ${of.error?.name ?? "an error"}${of.effect === undefined ? "" : ` (${effects[of.effect]})`}:`,
      indent(paragraphs(shown.output.trimEnd(), of.error?.text) || "(nothing)"),
      of.bytes === undefined ? undefined : `${of.bytes} bytes were printed in all.`,
      of.codeCut === undefined ? undefined : `Code and args were ${of.codeCut} characters long; the rest was not kept.`,
    ),
    structured,
  }
}

export const replayed = (
  into: string,
  { ran, skipped, cut, notices, stopped }: Replayed,
  older: string | undefined,
  settings: SettingValues,
): Reply => {
  const left = [...skipped, ...cut].sort((a, b) => a - b)
  const numbers = {
    ran: ranges(ran),
    ...(left.length > 0 && { skipped: ranges(left) }),
    ...(stopped !== undefined && { stopped_at: stopped.n }),
  }
  const summary = paragraphs(
    ran.length > 0
      ? `Ran in session ${into}${stopped === undefined ? "" : " and ended as they did then"}: ${ranges(ran)}.`
      : stopped === undefined
        ? `Nothing ran in session ${into}.`
        : undefined,
    skipped.length === 0
      ? undefined
      : `Skipped, since they left nothing behind or are no evaluations (undo, restore, reset, merge): ${ranges(skipped)}.`,
    cut.length === 0 ? undefined : `Skipped, since their code or args were too long to keep: ${ranges(cut)}.`,
  )
  const told = [older, ...new Set(notices.map(notice))]
  if (stopped === undefined) return noticed([summary], numbers, told)
  const note = paragraphs(...told)
  const reply: Reply = "error" in stopped ? failure(stopped.error, settings) : evaluation(stopped.evaluation)
  const { error } = reply.structured as { readonly error?: FailureFields["error"] }
  return {
    text: paragraphs(summary, note, `Entry ${stopped.n} ended otherwise than it did then:`, reply.text),
    structured: {
      ok: false,
      ...numbers,
      ...(note !== "" && { notice: note }),
      error: { name: error?.name ?? "differs", text: error?.text ?? reply.text },
    },
    ...("error" in stopped && { isError: true }),
  }
}

/** A script or transcript: in the reply, or its file's name if it was written to a file. `what`: the kind of text. */
export const exported = (what: string, text: string, file: string | undefined, left: string | undefined): Reply =>
  file === undefined
    ? noticed([text === "" ? `The ${what} is empty.` : text], { text }, [left])
    : noticed([`The ${what} is in ${file} (${text.length} characters).`], { file }, [left])

/** The text in a Markdown fence that is longer than any run of backticks in the text. */
const fenced = (language: string, text: string): string => {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`
}

/** The history as a Markdown document. */
export const transcript = (session: string, entries: readonly HistoryEntry[]): string =>
  [
    `# Session ${session}`,
    ...entries.map((each) => {
      if (each.event !== undefined) return `## ${each.n} · ${time(each.at)} · ${eventText(each)}`
      const printed = paragraphs(each.output.replace(/\n$/, ""), each.error?.text.trimEnd())
      return [
        `## ${each.n} · ${about(each)}${each.ok ? "" : ` · ${each.error?.name ?? "error"}`}${each.effect === undefined ? "" : ` · ${effects[each.effect]}`}`,
        fenced("k", each.code),
        ...(printed === "" ? [] : [fenced("", printed)]),
        ...(each.bytes === undefined ? [] : [`${each.bytes} bytes were printed in all.`]),
      ].join("\n\n")
    }),
  ].join("\n\n") + "\n"

/** A crash record. Its script is in the reply if it fits into `outputShown`, or in `file`. */
export const crash = (of: CrashRecord, file: string | undefined, settings: SettingValues): Reply => {
  const about = crashText(of)
  const room = settings.outputShown - about.length
  const script =
    of.script === ""
      ? undefined
      : file !== undefined
        ? `K that leads there from an empty workspace is in ${file}.`
        : of.script.length <= room
          ? `K that leads there from an empty workspace:\n${indent(of.script)}`
          : `K that leads there from an empty workspace has ${of.script.length} characters: call again with file.`
  return {
    text: paragraphs(about, script),
    structured: {
      ok: true,
      crash: file === undefined && of.script.length <= room ? of : { ...of, script: "" },
      ...(file !== undefined && { file }),
    },
  }
}

export const noCrash = (n: number | undefined, kept: readonly CrashRecord[]): string =>
  kept.length === 0
    ? "There is no crash record: no interpreter has ended by itself, or its record was damaged and put aside, which k_status then says. Call k_history with action list to see what was evaluated."
    : `There is no crash record ${n}; there are ${kept.map((each) => each.n).join(", ")}. Call k_history with action crash and one of these as n.`

export const olderLeft = (oldest: number): string => `Entries before ${oldest} are left out: give from and to for them.`

export const tooLong = (what: string, length: number, { outputShown }: SettingValues): string =>
  `The ${what} is ${length} characters long; at most ${outputShown} are shown. Call again with file${what === "script" ? "" : ", or with from and to closer together"}.`

const noSuchEntry = (session: string, { first, last }: HeldEntries): string =>
  `The history of session ${session} has no such entry: it has ${first} to ${last}.`

const noHistory = (session: string, { trouble = [] }: HeldEntries): string =>
  paragraphs(`Session ${session} has no history yet; k_eval makes its first entry.`, ...trouble)

export const noEntry = (session: string, n: number, held: HeldEntries): string =>
  held.last === 0
    ? noHistory(session, held)
    : `There is no entry ${n} in the history of session ${session}: it has ${held.first} to ${held.last}. Call k_history with one of these as n.`

/** For a replay or an export of numbers that no entry has. */
export const noEntries = (session: string, held: HeldEntries): string =>
  held.last === 0 ? noHistory(session, held) : `${noSuchEntry(session, held)} Call k_history with from and to among these.`

export const replayWhere =
  "Into which session? Call k_history with action replay and into; name a new session to leave this one as it is. Evaluations have effects beyond variables, such as files."

export const nothingToTest =
  "None of these entries ran to its end, so there is nothing to test. Call k_history with action list to see them."

export const searchWhat = "What is to be searched for? Call k_history with action search and text."

/** The notice beside a script; undefined when the script is complete. */
export const scriptNotice = ({ missed, left }: { readonly missed: number; readonly left: readonly unknown[] }): string | undefined =>
  paragraphs(
    missed === 0 ? undefined : `An evaluation is running: what the last ${plural(missed, "evaluation")} changed may not be in it.`,
    left.length === 0 ? undefined : `${plural(left.length, "variable")} could not be written as K: comments in the script say why.`,
  ) || undefined
