/** One row of the transcript. */
import { Code } from "./Code.tsx"
import { Picture } from "./Picture.tsx"
import { Printed } from "./Printed.tsx"
import type { PageStore } from "./PageStore.ts"
import { timeOf } from "./times.ts"
import { visible } from "../visible.ts"
import { type UnrecordedReply, askerOf, type HistoryReplyEntry, type Plot, type Row } from "./transcript.ts"

const effects: ReadonlyMap<string, string> = new Map([
  ["none", "nothing ran"],
  ["undone", "undone"],
])

const events: ReadonlyMap<string, string> = new Map([
  ["reset", "reset: all variables removed"],
  ["reload", "reload: all variables removed"],
  ["close", "the session was closed: all variables removed"],
  ["restore", "a snapshot was restored"],
  ["undo", "the latest change was undone"],
  ["redo", "an undo was taken back"],
  ["fork", "forked from"],
])

/** Removes the error's name from the beginning of its text when the text repeats it: the history lists errors as `name: text`. */
const errorText = (error: string): string => /^([\w-]+): (\1 error[\s\S]*)$/.exec(error)?.[2] ?? error

/** The output of an evaluation, its error, and its effect. */
export const Outcome = ({
  output,
  error,
  effect,
}: {
  readonly output?: string | undefined
  readonly error?: string | undefined
  readonly effect?: string | undefined
}) => (
  <>
    {output !== undefined && output !== "" && <Printed look="output" text={output.trimEnd()} />}
    {error !== undefined && <Printed look="error" text={errorText(error).trimEnd()} />}
    {effect !== undefined && <p class="quiet">{effects.get(effect) ?? effect}</p>}
  </>
)

const EntryRow = ({ entry, at }: { readonly entry: HistoryReplyEntry; readonly at: string }) => (
  <>
    <p class="who">
      <span class={`by by-${askerOf(entry)}`}>{askerOf(entry)}</span>
      <time dateTime={at}>{timeOf(at)}</time>
      <span class="number">{entry.n}</span>
    </p>
    {entry.event === undefined ? (
      <pre class="code">
        <Code text={entry.code.trimEnd()} />
      </pre>
    ) : (
      <p class="event">
        {events.get(entry.event) ?? entry.event} {entry.output}
      </p>
    )}
    {entry.event === undefined && <Outcome output={entry.output} error={entry.error} effect={entry.effect} />}
  </>
)

const AnswerRow = ({ answer }: { readonly answer: UnrecordedReply }) => (
  <>
    <p class="who">
      <span class="by by-page">page</span>
      <span class="quiet">not in the history</span>
    </p>
    <pre class="code">
      <Code text={answer.code} />
    </pre>
    <Outcome output={answer.output} error={answer.error} />
  </>
)

const PlotRow = ({ plot, store }: { readonly plot: Plot; readonly store: PageStore }) => (
  <>
    <p class="who">
      <span class="by">plot</span>
      <time dateTime={plot.at}>{timeOf(plot.at)}</time>
    </p>
    <Picture uri={plot.uri} alt={`${plot.title}. ${plot.summary}`} store={store} />
  </>
)

export const RowView = ({ row, store }: { readonly row: Row; readonly store: PageStore }) => {
  switch (row.kind) {
    case "entry":
      return <EntryRow entry={row.entry} at={row.at} />
    case "plot":
      return <PlotRow plot={row.plot} store={store} />
    case "answer":
      return <AnswerRow answer={row.answer} />
    case "notice":
      return <p class="notice">{visible(row.text)}</p>
  }
}
