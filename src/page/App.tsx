/** The frame of the page: the status bar, the sessions, the transcript with its input, and beside it the view that the address names. */
import { useEffect } from "preact/hooks"
import { History } from "./History.tsx"
import { Input } from "./Input.tsx"
import { hashOf, type View, views } from "./route.ts"
import { Sessions } from "./Sessions.tsx"
import { Snapshots } from "./Snapshots.tsx"
import { StatusBar } from "./StatusBar.tsx"
import type { Store } from "./Store.ts"
import { TranscriptView } from "./TranscriptView.tsx"
import { Variables } from "./Variables.tsx"
import { visible } from "../visible.ts"

const titles: { readonly [V in View]: string } = {
  transcript: "Transcript",
  variables: "Variables",
  history: "History",
  snapshots: "Snapshots",
}

const Views = ({ store }: { readonly store: Store }) => (
  <nav class="views" aria-label="Views">
    {views.map((view) => (
      <a key={view} href={hashOf(store.session.value, view)} aria-current={store.route.value.view === view ? "page" : undefined}>
        {titles[view]}
      </a>
    ))}
  </nav>
)

/** The view beside the transcript; on a narrow screen it replaces the transcript. */
const Side = ({ store }: { readonly store: Store }) => {
  switch (store.route.value.view) {
    case "variables":
      return <Variables store={store} />
    case "history":
      return <History store={store} />
    case "snapshots":
      return <Snapshots store={store} />
    case "transcript":
      return null
  }
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

export const App = ({ store }: { readonly store: Store }) => {
  const session = store.session.value
  const { text, nth } = store.announcement.value
  useEffect(() => void (document.title = `${session} · K session`), [session])
  if (store.link.value === "refused") return <Refused />
  return (
    <div class="frame" data-view={store.route.value.view}>
      <StatusBar store={store} />
      <Sessions store={store} />
      <Views store={store} />
      <main aria-label={`Session ${session}`}>
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
