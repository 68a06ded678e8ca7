/** The bar at the top: session, engine and phase, connection, and the running statement with a button that stops it. */
import { useEffect, useMemo, useState } from "preact/hooks"
import type { Status } from "./replies.ts"
import type { PageStore } from "./PageStore.ts"
import { visible } from "../visible.ts"

const seconds = (ms: number): string => (ms < 1000 ? "" : ` for ${Math.floor(ms / 1000)} s`)

const Running = ({ running, store }: { readonly running: NonNullable<Status["running"]>; readonly store: PageStore }) => {
  const began = useMemo(() => Date.now() - running.for_ms, [running])
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [])
  return (
    <div class="running">
      <span>
        runs{seconds(now - began)}
        {running.waiting > 0 && `, ${running.waiting} waiting`}: <code>{visible(running.statement)}</code>
      </span>
      {store.mayChange.value && (
        <button type="button" class="stop" onClick={() => void store.stop()}>
          Stop
        </button>
      )}
    </div>
  )
}

const links = { connecting: "connecting…", here: "", gone: "the server does not answer; it is looked for", refused: "" } as const

/** By `fetch`: a form on a page that sends no referrer has no origin that the server could check. */
const logOut = async (store: PageStore): Promise<void> => {
  try {
    await fetch("/logout", { method: "POST", redirect: "manual" })
    location.reload()
  } catch {
    store.message.value = "The server does not answer, so you are still logged in."
  }
}

export const StatusBar = ({ store }: { readonly store: PageStore }) => {
  const status = store.current.value
  const link = links[store.link.value]
  return (
    <header class="bar">
      <h1>
        <span class="mark" aria-hidden="true">
          k
        </span>
        {visible(store.session.value)}
      </h1>
      {status?.engine !== undefined && (
        <span class="quiet">
          {status.engine}, {status.phase}
          {!store.mayChange.value && ", read-only"}
        </span>
      )}
      {status?.stale === true && (
        <span class="warning">{status.refused === undefined ? "a newer build is on disk" : "the build on disk was refused"}</span>
      )}
      {status?.running !== undefined && store.link.value === "here" && <Running running={status.running} store={store} />}
      {link !== "" && (
        <span class="warning" role="alert">
          {link}
        </span>
      )}
      <button type="button" class="logout" onClick={() => void logOut(store)}>
        Log out
      </button>
    </header>
  )
}
