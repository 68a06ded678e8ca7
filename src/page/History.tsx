/** The history of a session: a search, a button that runs an entry again in a fork, and downloads as script, transcript or test. */
import { useEffect, useState } from "preact/hooks"
import { Code } from "./Code.tsx"
import { hashOf } from "./route.ts"
import { Outcome } from "./RowView.tsx"
import type { PageStore } from "./PageStore.ts"
import { dayAndTimeOf } from "./times.ts"
import { askerOf, type HistoryReplyEntry, toldWhole } from "./transcript.ts"
import { useReply } from "./useReply.ts"

/** Of `k_history list` and `search`. */
interface Found {
  /** Oldest first. */
  readonly entries?: readonly HistoryReplyEntry[]
  readonly cursor?: number
  readonly error?: { readonly text: string }
}

const mostAtOnce = 50

/** Milliseconds after the last key until the search. */
const typingPause = 150

/** The newest entries found, and the pages before them that a person asked for. */
const useSearch = (store: PageStore) => {
  const [typed, setTyped] = useState("")
  const [text, setText] = useState("")
  const [pages, setPages] = useState<ReadonlyMap<string, Found>>(new Map())
  useEffect(() => {
    const timer = setTimeout(() => setText(typed), typingPause)
    return () => clearTimeout(timer)
  }, [typed])
  const session = store.session.value
  const args = { ...(text === "" ? { action: "list" } : { action: "search", text }), session, limit: mostAtOnce }
  const { reply, problem } = useReply<Found>({ store, tool: "k_history", args })
  const keyOf = (cursor: number): string => JSON.stringify([text, session, cursor])
  const found = [reply ?? {}]
  for (let { cursor } = found[0]!; cursor !== undefined; cursor = found.at(-1)!.cursor) {
    const page = pages.get(keyOf(cursor))
    if (page === undefined) break
    found.push(page)
  }
  const { cursor } = found.at(-1)!
  const older = async (): Promise<void> => {
    const page = await store.tell("k_history", { ...args, cursor })
    if (page?.structured?.ok === true) setPages((all) => new Map(all).set(keyOf(cursor!), page.structured))
  }
  const entries = found.flatMap((page) => (page.entries ?? []).toReversed())
  const error = reply?.error?.text ?? problem
  return {
    typed,
    setTyped,
    entries,
    isEmpty: reply !== undefined && entries.length === 0,
    error,
    ...(cursor !== undefined && { older }),
    session,
  }
}

interface Fork {
  readonly name: string
  /** Did the entry end there as it did in the session? */
  readonly isSame: boolean
}

/** Forks the session and runs the entry in the fork, with the variables of now; the session itself stays as it is. */
const replayInFork = async (store: PageStore, session: string, { n }: HistoryReplyEntry): Promise<Fork | undefined> => {
  const fork = await store.tell("k_session", { action: "fork", session })
  const name: string | undefined = fork?.structured?.name
  if (name === undefined) return undefined
  const replay = await store.tell("k_history", { action: "replay", session, from: n, to: n, into: name })
  return { name, isSame: replay?.structured?.ok === true }
}

const downloads = [
  ["script", "Script", "k"],
  ["transcript", "Transcript", "md"],
  ["test", "Test", "k"],
] as const

/** Hands a text to the browser as a file. */
const save = (name: string, text: string): void => {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }))
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}

const Downloads = ({ store }: { readonly store: PageStore }) => {
  const session = store.session.value
  const download = async (action: string, extension: string): Promise<void> => {
    const reply = await store.tell("k_history", { action, session })
    if (reply?.structured?.ok === true) save(`${session}-${action}.${extension}`, reply.structured.text ?? "")
  }
  return (
    <p class="buttons">
      <span class="quiet">Download</span>
      {downloads.map(([action, title, extension]) => (
        <button key={action} type="button" onClick={() => void download(action, extension)}>
          {title}
        </button>
      ))}
    </p>
  )
}

interface HitParts {
  /** As the history lists it: cut to a line. */
  readonly listed: HistoryReplyEntry
  readonly session: string
  readonly store: PageStore
  readonly onFork: () => void
}

const Hit = ({ listed, session, store, onFork }: HitParts) => {
  const [whole, setWhole] = useState<HistoryReplyEntry | undefined>(undefined)
  const entry = whole ?? listed
  const show = async (): Promise<void> => {
    const reply = await store.tell("k_history", { action: "show", session, n: listed.n })
    setWhole(reply?.structured?.entries?.[0])
  }
  return (
    <li>
      <p class="who">
        <span class={`by by-${askerOf(entry)}`}>{askerOf(entry)}</span>
        <time dateTime={entry.at}>{dayAndTimeOf(entry.at)}</time>
        <span class="number">{entry.n}</span>
      </p>
      <pre class="code">{entry.event === undefined ? <Code text={entry.code} /> : `(${entry.event})`}</pre>
      <Outcome output={entry.output} error={entry.error} />
      <p class="buttons">
        {whole === undefined && !toldWhole(listed) && (
          <button type="button" aria-label={`Show all of entry ${entry.n}`} onClick={() => void show()}>
            Show all
          </button>
        )}
        {store.mayChange.value && entry.event === undefined && (
          <button type="button" aria-label={`Run in a fork: entry ${entry.n}`} onClick={onFork}>
            Run in a fork
          </button>
        )}
      </p>
    </li>
  )
}

const Forked = ({ fork: { name, isSame }, session }: { readonly fork: Fork; readonly session: string }) => {
  const link = <a href={hashOf(name, "transcript")}>{name}</a>
  return (
    <p class="notice" role="status">
      {isSame ? (
        <>
          It ran in {link}, a fork of {session}.
        </>
      ) : (
        <>
          {link} is a fork of {session}; the entry did not end there as it did here.
        </>
      )}
    </p>
  )
}

export const History = ({ store }: { readonly store: PageStore }) => {
  const { typed, setTyped, entries, isEmpty, error, older, session } = useSearch(store)
  const [fork, setFork] = useState<Fork | undefined>(undefined)
  return (
    <section class="side" aria-label="History">
      <h2>History</h2>
      <label>
        <span class="quiet">Search code, output, errors, who asked</span>
        <input type="search" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
      </label>
      <Downloads store={store} />
      {fork !== undefined && <Forked fork={fork} session={session} />}
      {error !== "" && <p role="alert">{error}</p>}
      {isEmpty && error === "" && <p class="quiet">Nothing found.</p>}
      <ol class="hits">
        {entries.map((entry) => (
          <Hit
            key={`${entry.n} ${entry.at}`}
            listed={entry}
            session={session}
            store={store}
            onFork={() => void replayInFork(store, session, entry).then(setFork)}
          />
        ))}
      </ol>
      {older !== undefined && (
        <button type="button" onClick={() => void older()}>
          Older ones
        </button>
      )}
    </section>
  )
}
