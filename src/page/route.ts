/** The address of a view: `#/session/view/path`, so that links, the back button and bookmarks work. Pure. */

export const views = ["transcript", "variables", "history", "snapshots"] as const
export type PageView = (typeof views)[number]

export interface Route {
  /** Undefined: the session that was used last. */
  readonly session: string | undefined
  readonly view: PageView
  /** Of a variable; empty for the whole tree. Letters, digits, `_` and dots alone, since the path becomes K code. */
  readonly path: string
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export const routeOf = (hash: string): Route => {
  const [session = "", view = "", path = ""] = hash.replace(/^#\/?/, "").split("/").map(decoded)
  return {
    session: session === "" ? undefined : session,
    view: views.find((each) => each === view) ?? "transcript",
    path: /^[\w.]*$/.test(path) ? path : "",
  }
}

export const hashOf = (session: string, view: PageView, path = ""): string =>
  `#/${encodeURIComponent(session)}/${view}${path === "" ? "" : `/${encodeURIComponent(path)}`}`
