/** The frame of the page: the status bar, the sessions, the transcript with its input, and beside it the view that the address names. */
import type { ComponentType } from "preact"
import { useEffect } from "preact/hooks"
import { History } from "./History.tsx"
import { Input } from "./Input.tsx"
import { hashOf, type PageView, views } from "./route.ts"
import { Sessions } from "./Sessions.tsx"
import { Snapshots } from "./Snapshots.tsx"
import { StatusBar } from "./StatusBar.tsx"
import type { PageStore } from "./PageStore.ts"
import { TranscriptView } from "./TranscriptView.tsx"
import { Variables } from "./Variables.tsx"
import { visible } from "../visible.ts"

interface Shown {
  readonly store: PageStore
}

/** The views of `route.ts`: the title of each, and its panel beside the transcript. */
const panels: { readonly [V in PageView]: { readonly title: string; readonly Panel?: ComponentType<Shown> } } = {
  transcript: { title: "Transcript" },
  variables: { title: "Variables", Panel: Variables },
  history: { title: "History", Panel: History },
  snapshots: { title: "Snapshots", Panel: Snapshots },
}

const Views = ({ store }: Shown) => (
  <nav class="views" aria-label="Views">
    {views.map((view) => (
      <a key={view} href={hashOf(store.session.value, view)} aria-current={store.route.value.view === view ? "page" : undefined}>
        {panels[view].title}
      </a>
    ))}
  </nav>
)

/** The view beside the transcript; on a narrow screen it replaces the transcript. */
const Side = ({ store }: Shown) => {
  const { Panel } = panels[store.route.value.view]
  return Panel === undefined ? null : <Panel store={store} />
}

const Refused = () => (
  <main class="refused">
    <h1>Not logged in</h1>
    <p>
      The server does not take this browser's login. Run <code>k3-mcp open</code> where the server runs: it opens the page with a fresh
      link.
    </p>
  </main>
)

export const App = ({ store }: Shown) => {
  const session = store.session.value
  const name = visible(session)
  const { text, nth } = store.announcement.value
  useEffect(() => void (document.title = `${name} · K session`), [name])
  if (store.link.value === "refused") return <Refused />
  return (
    <div class="frame" data-view={store.route.value.view}>
      <StatusBar store={store} />
      <Sessions store={store} />
      <Views store={store} />
      <main aria-label={`Session ${name}`}>
        <div class="work">
          <TranscriptView store={store} />
          <Input store={store} />
        </div>
        <Side key={session} store={store} />
      </main>
      <div class="heard" role="status" aria-live="polite">
        <p key={nth}>{visible(text)}</p>
      </div>
    </div>
  )
}
