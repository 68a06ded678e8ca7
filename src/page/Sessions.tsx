/** The list of sessions, open and on disk, each with its phase. */
import { hashOf } from "./route.ts"
import { ownSession, type SessionRow } from "./replies.ts"
import type { PageStore } from "./PageStore.ts"

const isAtWork = ({ phase }: SessionRow): boolean => phase === "evaluating" || phase === "interrupting" || phase === "launching"

/** The line below a name. */
const noteOf = ({ phase, variables, engine }: SessionRow): string =>
  `${phase}, ${variables} ${variables === 1 ? "variable" : "variables"}${engine === "embedded" ? "" : `, ${engine}`}`

export const Sessions = ({ store }: { readonly store: PageStore }) => {
  const { view } = store.route.value
  const current = store.session.value
  const rows = store.sessions.value.filter(({ name }) => !ownSession.test(name))
  return (
    <nav class="sessions" aria-label="Sessions">
      <h2>Sessions</h2>
      <ul>
        {rows.map((row) => (
          <li key={row.name}>
            <a href={hashOf(row.name, view)} aria-current={row.name === current ? "true" : undefined}>
              <span class={isAtWork(row) ? "dot at-work" : row.phase === "on disk" ? "dot" : "dot open"} aria-hidden="true" />
              <span class="name">{row.name}</span>
              <small>{noteOf(row)}</small>
            </a>
          </li>
        ))}
      </ul>
      {rows.length === 0 && <p class="quiet">No session is open. The first evaluation makes one.</p>}
    </nav>
  )
}
