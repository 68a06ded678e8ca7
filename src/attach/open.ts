/**
 * `k3-mcp open`: opens the page of a running server in a browser.
 *
 * Guarantees: the server gets the token in a header, and the browser a link with a code that is valid once and for a minute; if no browser can be
 * opened, the link is printed. Does not: wait for the browser; hide the link from the process list, where another user of this
 * machine may see it before it is used.
 */
import { spawn } from "node:child_process"
import type { OpenRequest } from "../platform/openRequest.ts"
import { badToken, findServer, notAnswering } from "./find.ts"

/** An opener that still runs after this time, ms, counts as successful. */
const openedAfter = 3000

/** The system's command to open an address; undefined when there is no screen. */
const openerOf = (link: string, platform: NodeJS.Platform, environment: NodeJS.ProcessEnv): readonly [string, ...string[]] | undefined => {
  if (platform === "darwin") return ["open", link]
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", link]
  const hasScreen = ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME"].some((name) => (environment[name] ?? "") !== "")
  return hasScreen ? ["xdg-open", link] : undefined
}

const opens = ([command, ...args]: readonly [string, ...string[]]): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(command, args, { stdio: "ignore", detached: true })
    const opened = setTimeout(() => resolve(true), openedAfter)
    const end = (is: boolean): void => {
      clearTimeout(opened)
      resolve(is)
    }
    child.once("error", () => end(false)).once("exit", (code) => end(code === 0))
    child.unref()
  })

interface Invited {
  readonly link: string
  readonly seconds: number
}

/** The server's reply. Requests that are refused by their head get the error of JSON-RPC. */
interface Invitation {
  readonly code: string
  readonly seconds: number
  readonly error: string | { readonly message: string }
}

const invite = async (
  { target, isReadOnly, session }: OpenRequest,
  environment: NodeJS.ProcessEnv,
): Promise<Invited | { readonly problem: string }> => {
  const found = findServer(target, process.cwd(), environment, "k3-mcp open")
  if ("problem" in found) return found
  const { origin, pathname } = new URL(found.url)
  const login = new URL(origin + pathname.replace(/\/mcp\/?$/, "/login"))
  let reply: Response
  try {
    reply = await fetch(login, {
      method: "POST",
      headers: { authorization: `Bearer ${found.token}`, "content-type": "application/json" },
      body: JSON.stringify({ read_only: isReadOnly, session }),
      redirect: "error",
    })
  } catch {
    return { problem: notAnswering(found) }
  }
  if (reply.status === 401) return { problem: badToken(found) }
  const { code, seconds, error } = (await reply.json().catch(() => ({}))) as Partial<Invitation>
  if (code !== undefined && seconds !== undefined) return { link: `${login.href}?code=${encodeURIComponent(code)}`, seconds }
  if (error !== undefined) return { problem: typeof error === "string" ? error : error.message }
  return { problem: `The server at ${found.url} has no page (${reply.status}): it may be of an earlier version.` }
}

/** Returns the text to print, or a problem as a sentence. */
export const open = async (
  request: OpenRequest,
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly text: string } | { readonly problem: string }> => {
  const invited = await invite(request, environment)
  if ("problem" in invited) return invited
  const { link, seconds } = invited
  if (request.print) return { text: `${link}\n` }
  const opener = openerOf(link, process.platform, environment)
  if (opener !== undefined && (await opens(opener))) return { text: `The page is open in the browser: ${new URL("/", link).href}\n` }
  return { text: `No browser could be opened here. This link counts once, for ${seconds} seconds:\n${link}\n` }
}
