/** The history of a session: a search, a button that runs an entry again in a fork, and downloads as script, transcript or test. */
import { useEffect, useState } from "preact/hooks"
import { Code } from "./Code.tsx"
import { Printed } from "./Printed.tsx"
import { hashOf } from "./route.ts"
import type { Store } from "./Store.ts"
import { askerOf, type Entry } from "./transcript.ts"

interface Found {
  readonly entries: readonly Entry[]
  readonly cursor?: number
}

const mostAtOnce = 50

const useSearch = (store: Store) => {
  const [text, setText] = useState("")
  const [found, setFound] = useState<Found | undefined>(undefined)
  const session = store.session.value
  const page = async (cursor?: number): Promise<void> => {
    const action = text === "" ? { action: "list" } : { action: "search", text }
    const asked = { ...action, session, limit: mostAtOnce, ...(cursor !== undefined && { cursor }) }
    const reply = await store.call("k_history", asked).catch(() => undefined)
    if (reply?.structured?.ok !== true) return
    const next: Found = reply.structured
    setFound((before) => (cursor === undefined ? next : { ...next, entries: [...next.entries, ...(before?.entries ?? [])] }))
  }
  useEffect(() => {
    const timer = setTimeout(() => void page(), 150)
    return () => clearTimeout(timer)
  }, [text, session])
  return { text, setText, found, page, session }
}

/** Forks the session and runs the entry in the fork, with the variables of now; the session itself stays as it is. */
const replayInFork = async (store: Store, session: string, { n }: Entry): Promise<string | undefined> => {
  const fork = await store.tell("k_session", { action: "fork", session })
  const name: string | undefined = fork?.structured?.name
  if (name === undefined) return undefined
  await store.tell("k_history", { action: "replay", session, from: n, to: n, into: name })
  return name
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

const Downloads = ({ store }: { readonly store: Store }) => {
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

const Hit = ({ entry, store, onFork }: { readonly entry: Entry; readonly store: Store; readonly onFork: () => void }) => (
  <li>
    <p class="who">
      <span class={`by by-${askerOf(entry)}`}>{askerOf(entry)}</span>
      <time dateTime={entry.at}>{new Date(entry.at).toLocaleString()}</time>
      <span class="number">{entry.n}</span>
    </p>
    <pre class="code">{entry.event === undefined ? <Code text={entry.code} /> : `(${entry.event})`}</pre>
    {entry.output !== undefined && <Printed look="output" text={entry.output} />}
    {entry.error !== undefined && <p class="failed">{entry.error}</p>}
    {store.mayChange.value && entry.event === undefined && (
      <button type="button" aria-label={`Run in a fork: entry ${entry.n}`} onClick={onFork}>
        Run in a fork
      </button>
    )}
  </li>
)

export const History = ({ store }: { readonly store: Store }) => {
  const { text, setText, found, page, session } = useSearch(store)
  const [forked, setForked] = useState<string | undefined>(undefined)
  const entries = (found?.entries ?? []).toReversed()
  return (
    <section class="side" aria-label="History">
      <h2>History</h2>
      <label>
        <span class="quiet">Search code, output, errors, who asked</span>
        <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <Downloads store={store} />
      {forked !== undefined && (
        <p class="notice" role="status">
          It ran in <a href={hashOf(forked, "transcript")}>{forked}</a>, a fork of {session}.
        </p>
      )}
      {found !== undefined && entries.length === 0 && <p class="quiet">Nothing found.</p>}
      <ol class="hits">
        {entries.map((entry) => (
          <Hit
            key={`${entry.n} ${entry.at}`}
            entry={entry}
            store={store}
            onFork={() => void replayInFork(store, session, entry).then(setForked)}
          />
        ))}
      </ol>
      {found?.cursor !== undefined && (
        <button type="button" onClick={() => void page(found.cursor)}>
          Older ones
        </button>
      )}
    </section>
  )
}
