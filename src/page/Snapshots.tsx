/** Named snapshots of a session's variables: save, compare with the variables of now, restore. */
import { useEffect, useState } from "preact/hooks"
import type { Store } from "./Store.ts"

interface Snapshot {
  readonly name: string
  readonly age_ms: number
  readonly variables: number
}

interface Look {
  readonly shape: string
  readonly preview: string
}

interface Change {
  readonly name: string
  readonly what: string
  readonly before?: Look
  readonly after?: Look
}

interface Difference {
  readonly of: string
  readonly changes: readonly Change[]
  readonly notice?: string
}

const ago = (ms: number): string => {
  const [s, m, h] = [ms / 1000, ms / 60_000, ms / 3_600_000].map(Math.floor) as [number, number, number]
  return s < 60 ? `${s} s ago` : m < 60 ? `${m} min ago` : h < 48 ? `${h} h ago` : `${Math.floor(h / 24)} days ago`
}

const Changes = ({ difference }: { readonly difference: Difference }) => (
  <section class="changes" aria-label={`Since ${difference.of}`}>
    <h3>Since {difference.of}</h3>
    {difference.changes.length === 0 ? (
      <p>No difference.</p>
    ) : (
      <table>
        <thead>
          <tr>
            <th scope="col">name</th>
            <th scope="col">what</th>
            <th scope="col">before</th>
            <th scope="col">now</th>
          </tr>
        </thead>
        <tbody>
          {difference.changes.map(({ name, what, before, after }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{what}</td>
              <td>{before?.preview}</td>
              <td>{after?.preview}</td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
    {difference.notice !== undefined && <p class="quiet">{difference.notice}</p>}
  </section>
)

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

const useSnapshots = (store: Store) => {
  const [all, setAll] = useState<readonly Snapshot[]>([])
  const session = store.session.value
  const changed = store.changed.value
  const list = async (): Promise<void> => {
    const reply = await store.call("k_snapshot", { action: "list", session }).catch(() => undefined)
    setAll(reply?.structured?.snapshots ?? [])
  }
  useEffect(() => void list(), [session, changed])
  return { all, list, session }
}

export const Snapshots = ({ store }: { readonly store: Store }) => {
  const { all, list, session } = useSnapshots(store)
  const [difference, setDifference] = useState<Difference | undefined>(undefined)
  const tell = async (action: string, name: string) => {
    const reply = await store.tell("k_snapshot", { action, name, session })
    await list()
    return reply
  }
  const compare = async (name: string): Promise<void> => {
    const reply = await tell("diff", name)
    if (reply?.structured?.ok === true) setDifference({ of: name, ...reply.structured })
  }
  return (
    <section class="side" aria-label="Snapshots">
      <h2>Snapshots</h2>
      {store.mayChange.value && <SaveForm onSave={(name) => void tell("save", name)} />}
      {all.length === 0 && <p class="quiet">There is no snapshot of this session.</p>}
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
              <button type="button" aria-label={`Compare with ${name}`} onClick={() => void compare(name)}>
                Compare
              </button>
              {store.mayChange.value && (
                <button type="button" aria-label={`Take back ${name}`} onClick={() => void tell("restore", name)}>
                  Take back
                </button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {difference !== undefined && <Changes difference={difference} />}
    </section>
  )
}
