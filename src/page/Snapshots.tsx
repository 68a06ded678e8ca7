/** Named snapshots of a session's variables: save, compare with the variables of now, restore. */
import { useState } from "preact/hooks"
import type { PageStore } from "./PageStore.ts"
import { useReply } from "./useReply.ts"
import { visible } from "../visible.ts"

interface Snapshot {
  readonly name: string
  readonly age_ms: number
  readonly variables: number
}

interface Change {
  readonly name: string
  readonly what: string
  readonly before?: { readonly preview: string }
  readonly after?: { readonly preview: string }
}

/** Of `k_snapshot diff`. */
interface Difference {
  readonly changes?: readonly Change[]
  readonly notice?: string
  readonly error?: { readonly text: string }
}

/** Were the variables compared as they were before the running evaluation? */
const isPassing = ({ notice }: Difference): boolean => notice?.includes("the session is busy") === true

const ago = (ms: number): string => {
  const [s, m, h] = [ms / 1000, ms / 60_000, ms / 3_600_000].map(Math.floor) as [number, number, number]
  return s < 60 ? `${s} s ago` : m < 60 ? `${m} min ago` : h < 48 ? `${h} h ago` : `${Math.floor(h / 24)} days ago`
}

const Changes = ({ changes }: { readonly changes: readonly Change[] }) =>
  changes.length === 0 ? (
    <p>No difference.</p>
  ) : (
    <table>
      <thead>
        <tr>
          <th scope="col">name</th>
          <th scope="col">change</th>
          <th scope="col">before</th>
          <th scope="col">now</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ name, what, before, after }) => (
          <tr key={name}>
            <th scope="row">{visible(name)}</th>
            <td>{what}</td>
            <td>{visible(before?.preview ?? "")}</td>
            <td>{visible(after?.preview ?? "")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )

interface Comparison {
  readonly store: PageStore
  readonly session: string
  /** The snapshot's name. */
  readonly name: string
}

/** Compares when it is shown, and again while an evaluation runs. */
const Compared = ({ store, session, name }: Comparison) => {
  const args = { action: "diff", name, session }
  const { reply: difference, problem } = useReply<Difference>({ store, tool: "k_snapshot", args, isPassing })
  const error = difference?.error?.text ?? problem
  return (
    <section class="changes" aria-label={`Since ${name}`}>
      <h3>Since {name}</h3>
      {error !== "" && <p role="alert">{error}</p>}
      {error === "" && difference === undefined && <p class="quiet">Comparing…</p>}
      {difference?.changes !== undefined && <Changes changes={difference.changes} />}
      {difference?.notice !== undefined && <p class="quiet">{difference.notice}</p>}
    </section>
  )
}

const SaveForm = ({ onSave }: { readonly onSave: (name: string) => void }) => {
  const [name, setName] = useState("")
  const submit = (event: Event): void => {
    event.preventDefault()
    onSave(name.trim())
    setName("")
  }
  return (
    <form class="filter" onSubmit={submit}>
      <label>
        Name of a new snapshot
        <input
          type="text"
          value={name}
          required
          pattern="[A-Za-z0-9][A-Za-z0-9_.\-]*"
          spellcheck={false}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Save</button>
    </form>
  )
}

export const Snapshots = ({ store }: { readonly store: PageStore }) => {
  const session = store.session.value
  const { reply: listed, ask: list } = useReply<{ readonly snapshots?: readonly Snapshot[] }>({
    store,
    tool: "k_snapshot",
    args: { action: "list", session },
    version: store.changed.value,
  })
  const [compared, setCompared] = useState<{ readonly name: string; readonly nth: number } | undefined>(undefined)
  const all = listed?.snapshots ?? []
  const tell = async (action: string, name: string): Promise<void> => {
    await store.tell("k_snapshot", { action, name, session })
    list()
  }
  const compare = (name: string): void => setCompared((before) => ({ name, nth: (before?.nth ?? 0) + 1 }))
  const restore = (name: string): void => {
    setCompared(undefined)
    void tell("restore", name)
  }
  return (
    <section class="side" aria-label="Snapshots">
      <h2>Snapshots</h2>
      {store.mayChange.value && <SaveForm onSave={(name) => void tell("save", name)} />}
      {listed !== undefined && all.length === 0 && <p class="quiet">There is no snapshot of this session.</p>}
      <ul class="snapshots">
        {all.map(({ name, variables, age_ms }) => (
          <li key={name}>
            <span>
              <strong>{name}</strong>{" "}
              <small>
                {variables} {variables === 1 ? "variable" : "variables"}, {ago(age_ms)}
              </small>
            </span>
            <span class="buttons">
              <button type="button" aria-label={`Compare with ${name}`} onClick={() => compare(name)}>
                Compare
              </button>
              {store.mayChange.value && (
                <button type="button" aria-label={`Restore ${name}`} onClick={() => restore(name)}>
                  Restore
                </button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {compared !== undefined && <Compared key={compared.nth} store={store} session={session} name={compared.name} />}
    </section>
  )
}
