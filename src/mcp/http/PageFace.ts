/**
 * What a browser is answered beside MCP: the page, its files, and words for those who are not logged in.
 *
 * Guarantees: every answer has the strict policy, and none is framed, guessed at or told to another site; the page itself is shown to those
 * who are logged in alone, though nothing in it is a secret. Does not: judge heads (`guards.ts`).
 */
import type { Asset, PageFiles } from "./Listener.ts"

const assets = "/assets/"

export const isPagePlace = (path: string): boolean => path === "/" || path.startsWith(assets)

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

const headers = (type: string, style = "") => ({
  "content-type": type,
  "content-security-policy": policy(style),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
})

const html = "text/html; charset=utf-8"

/** `paragraphs`: HTML of ours. */
const words = (status: number, title: string, ...paragraphs: readonly string[]): Response =>
  new Response(
    [
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>`,
      '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">',
      `</head><body><main><h1>${title}</h1>${paragraphs.map((each) => `<p>${each}</p>`).join("")}</main></body></html>`,
    ].join(""),
    { status, headers: { ...headers(html), "cache-control": "no-store" } },
  )

const loggedOut = (): Response =>
  words(
    401,
    "k3-mcp: not logged in",
    "Run <code>k3-mcp open</code> in the folder where the agent works: it opens this page and logs this browser in.",
    "For a server elsewhere, set <code>K3_TOKEN</code> to your token and run <code>k3-mcp open URL</code>.",
    '<a href="/">Look again</a>',
  )

const notBuilt = (): Response =>
  words(404, "k3-mcp: no page", "This copy of k3-mcp has no page. In its sources <code>npm run build</code> makes it.")

const shown = (index: string): Response => {
  const nonce = crypto.randomUUID()
  return new Response(index.replaceAll("__NONCE__", nonce), {
    headers: { ...headers(html, ` 'nonce-${nonce}'`), "cache-control": "no-store" },
  })
}

const fileOf = ({ type, encoding, body }: Asset): Response =>
  new Response(body.slice(), {
    headers: {
      ...headers(type),
      // Its name changes with what it says.
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(encoding !== undefined && { "content-encoding": encoding }),
    },
  })

const withoutBody = ({ status, headers: given }: Response): Response => new Response(null, { status, headers: given })

const get = async (files: PageFiles, path: string, accepted: string, isLoggedIn: () => Promise<boolean>): Promise<Response> => {
  if (path === "/") {
    const index = files.index()
    if (index === undefined) return notBuilt()
    return (await isLoggedIn()) ? shown(index) : loggedOut()
  }
  const asset = await files.asset(path.slice(assets.length), accepted)
  return asset === undefined ? words(404, "k3-mcp: not found", "There is no such file.") : fileOf(asset)
}

/** A request whose head was judged, for one of the page's places. */
export const answerPage = async (files: PageFiles, { url, method, headers: given }: Request, isLoggedIn: () => Promise<boolean>) => {
  const answer = await get(files, new URL(url).pathname, given.get("accept-encoding") ?? "", isLoggedIn)
  return method === "HEAD" ? withoutBody(answer) : answer
}
