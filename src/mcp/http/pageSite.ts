/**
 * The answers to a browser's requests other than MCP: the page, its files, login and logout, and a notice for browsers that are not logged in.
 *
 * Guarantees: every answer has a strict content security policy, cannot be framed, and sends no referrer; the page itself is shown only to
 * logged-in browsers, though it holds no secret; no code or token stays in an address for longer than a redirect.
 * Does not: check heads (`guards.ts`).
 */
import * as Result from "effect/Result"
import { limits } from "../../limits.ts"
import { exceedsLimits } from "../../nesting.ts"
import { cookieIn, isVisit, setCookie } from "./cookie.ts"
import type { Asset, Authority, Head, HttpAnswer, HttpRequest, PageFiles, Refusal } from "./Listener.ts"
import { assets, loginPlace, logoutPlace } from "./places.ts"

interface Parts {
  readonly files: PageFiles
  readonly authority: Pick<Authority, "invite" | "logIn" | "logOut">
  readonly publicUrl: string | null
  readonly isLoggedIn: (head: Head) => Promise<boolean>
}

const policy = (style: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${style}`,
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ")

const headers = (style = "") => ({
  "content-security-policy": policy(style),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
})

const html = "text/html; charset=utf-8"
const json = "application/json"
const unkept = { "cache-control": "no-store" }

/** A page of words; `paragraphs` are trusted HTML. */
const words = (status: number, title: string, ...paragraphs: readonly string[]): HttpAnswer => ({
  status,
  type: html,
  headers: Object.entries({ ...headers(), ...unkept }),
  body: [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>`,
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">',
    `</head><body><main><h1>${title}</h1>${paragraphs.map((each) => `<p>${each}</p>`).join("")}</main></body></html>`,
  ].join(""),
})

const loggedOut = (): HttpAnswer =>
  words(
    401,
    "k3-mcp: not logged in",
    "Run <code>k3-mcp open</code> in the folder where the agent works: it opens this page and logs this browser in.",
    "For a server elsewhere, set <code>K3_TOKEN</code> to your token and run <code>k3-mcp open URL</code>.",
    '<a href="/">Look again</a>',
  )

const notBuilt = (): HttpAnswer =>
  words(404, "k3-mcp: no page", "This copy of k3-mcp has no page. In its sources <code>npm run build</code> makes it.")

const codeIsSpent = (): HttpAnswer =>
  words(401, "k3-mcp: this link no longer counts", "A link counts once, for a minute. Run <code>k3-mcp open</code> again for another one.")

const notVisited = (): HttpAnswer =>
  words(403, "k3-mcp: open this link yourself", "Another page sent this browser here. Copy the link into the address bar: it counts still.")

const shown = (index: string): HttpAnswer => {
  const nonce = crypto.randomUUID()
  return {
    status: 200,
    type: html,
    headers: Object.entries({ ...headers(` 'nonce-${nonce}'`), ...unkept }),
    body: index.replaceAll("__NONCE__", nonce),
  }
}

const fileOf = ({ type, encoding, body }: Asset): HttpAnswer => ({
  status: 200,
  type,
  headers: Object.entries({
    ...headers(),
    // A file's name contains a hash of its content.
    "cache-control": "public, max-age=31536000, immutable",
    vary: "accept-encoding",
    ...(encoding !== undefined && { "content-encoding": encoding }),
  }),
  body,
})

const redirect = (location: string, cookie: string): HttpAnswer => ({
  status: 303,
  type: html,
  headers: Object.entries({ ...headers(), ...unkept, location, "set-cookie": cookie }),
})

/** The fields of a request for a code. Throws when the body is no JSON. */
const askedIn = (body: string): { readonly isReadOnly: boolean; readonly place: string } => {
  if (exceedsLimits(body, limits.nesting)) throw new Error("The body has too many levels or values.")
  const { read_only: isReadOnly, session } = (JSON.parse(body) ?? {}) as { readonly read_only?: unknown; readonly session?: unknown }
  return { isReadOnly: isReadOnly === true, place: typeof session === "string" ? `/#/${encodeURIComponent(session.slice(0, 200))}` : "/" }
}

const refuse = ({ status, message, headers: more = [] }: Refusal): HttpAnswer => ({
  status,
  type: json,
  headers: more,
  body: JSON.stringify({ error: message }),
})

export const makePageSite = ({ files, authority, publicUrl, isLoggedIn }: Parts) => {
  const logIn = async (head: Head, code: string): Promise<HttpAnswer> => {
    if (!isVisit(head)) return notVisited()
    const login = await authority.logIn(code)
    if (login === undefined) return codeIsSpent()
    const { value, seconds, place } = login
    return redirect(place, setCookie(head, publicUrl, value, seconds))
  }

  const logOut = (head: Head): HttpAnswer => {
    authority.logOut(cookieIn(head, publicUrl) ?? "")
    return redirect("/", setCookie(head, publicUrl, "", 0))
  }

  /** Answers a request for one of the page's paths, whose head was checked. */
  const answer = async (head: HttpRequest): Promise<HttpAnswer> => {
    if (head.path === loginPlace) return logIn(head, new URLSearchParams(head.target.split("?")[1]).get("code") ?? "")
    if (head.path === logoutPlace) return logOut(head)
    if (head.path === "/") {
      const index = files.index()
      if (index === undefined) return notBuilt()
      return (await isLoggedIn(head)) ? shown(index) : loggedOut()
    }
    const asset = await files.asset(head.path.slice(assets.length), head.header("accept-encoding") ?? "")
    return asset === undefined ? words(404, "k3-mcp: not found", "There is no such file.") : fileOf(asset)
  }

  return {
    answer,
    /** Makes a login code for the token of the request. */
    invite: async ({ header, body }: HttpRequest): Promise<HttpAnswer> => {
      const asked = Result.getOrUndefined(Result.try(() => askedIn(body)))
      if (asked === undefined)
        return refuse({ status: 400, message: 'Send JSON: {"read_only": false, "session": "main"}, each if you like.' })
      const invited = await authority.invite((header("authorization") ?? "").replace(/^Bearer /i, ""), asked.isReadOnly, asked.place)
      return "status" in invited
        ? refuse(invited)
        : { status: 200, type: json, headers: Object.entries(unkept), body: JSON.stringify(invited) }
    },
  }
}
