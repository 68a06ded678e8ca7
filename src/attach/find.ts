/**
 * Finds the address and token of the server that a console attaches to.
 *
 * Guarantees: a token comes from the environment or the state folder, never from the command line; a problem says what to do. Does not: connect
 * to the server.
 */
import { existsSync, readFileSync, realpathSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { type Address, addressIn } from "../platform/address.ts"
import { stateFolder } from "../platform/stateFolder.ts"
import { isLoopback } from "../settingKinds.ts"

export interface ServerFound {
  readonly url: string
  readonly token: string
  /** The state folder and process of the address, for the error when no server answers; undefined for a given address. */
  readonly by: { readonly folder: string; readonly pid: number } | undefined
}

export interface NoServer {
  readonly problem: string
}

const startOne = "Start one there with k3-mcp --listen 127.0.0.1:0, or set K3_LISTEN=127.0.0.1:0 where the agent's host registers it"

/** Is it the state folder of a server that was given none? K code makes no file in such a folder. */
const isStateFolder = (folder: string): boolean => dirname(folder) === dirname(stateFolder(folder))

/** The state folders of a working folder and of each folder above it. */
const stateFolders = (folder: string): readonly string[] => {
  const above = dirname(folder)
  return [stateFolder(folder), ...(above === folder ? [] : stateFolders(above))]
}

const tokenIn = (folder: string): string | undefined => {
  try {
    return readFileSync(join(folder, "token"), "utf8").trim()
  } catch {
    return undefined
  }
}

const atAddress = (url: string, token: string | undefined): ServerFound | NoServer =>
  token === undefined || token === ""
    ? { problem: `K3_TOKEN is not set. Set it to the token of the server at ${url}: k3-mcp token show prints it where that server runs.` }
    : { url: /\/mcp\/?$/.test(new URL(url).pathname) ? url : new URL("/mcp", url).href, token, by: undefined }

/** Beyond loopback, a server takes the tokens of principals alone, not the one in its folder. */
const isLocal = (url: string): boolean => {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, "$1")
  return host === "localhost" || isLoopback({ host })
}

const inFolder = (folder: string, { url, pid }: Address, token: string | undefined): ServerFound | NoServer => {
  const found = isLocal(url) ? (tokenIn(folder) ?? token) : token
  if (found !== undefined && found !== "") return { url, token: found, by: { folder, pid } }
  const next = isLocal(url)
    ? `and ${join(folder, "token")} cannot be read. Set K3_TOKEN to its token.`
    : "beyond loopback. Set K3_TOKEN to a principal's token: k3-mcp token add makes one."
  return { problem: `The server of this folder listens at ${url}, ${next}` }
}

/** `target`: an address, a working folder or a state folder; `command`: the command that the person typed, for errors. */
export const findServer = (
  target: string | undefined,
  cwd: string,
  environment: NodeJS.ProcessEnv,
  command = "k3 --attach",
): ServerFound | NoServer => {
  const token = environment["K3_TOKEN"]
  if (target !== undefined && /^https?:\/\//i.test(target))
    return URL.canParse(target)
      ? atAddress(target, token)
      : { problem: `${target} is no address: give one such as http://127.0.0.1:7333/mcp.` }
  const place = resolve(cwd, target ?? ".")
  if (!existsSync(place))
    return { problem: `There is no folder ${place}. Give a working folder, or an address such as http://127.0.0.1:7333/mcp.` }
  const given = target === undefined ? environment["K3_STATE_DIR"] : isStateFolder(place) ? place : undefined
  // A file `address` in a working folder may be K's: any other folder is taken for a state folder only if it was named, and last.
  const folders =
    given === undefined || given === "" || given === "none"
      ? [...stateFolders(realpathSync(place)), ...(target === undefined ? [] : [place])]
      : [resolve(cwd, given)]
  for (const folder of folders) {
    const address = addressIn(folder)
    if (address !== undefined) return inFolder(folder, address, token)
  }
  return { problem: `No server listens for ${place}. ${startOne}; or give the address of another: ${command} http://127.0.0.1:7333/mcp.` }
}

/** The error when no server answers. */
export const notAnswering = ({ url, by }: ServerFound): string =>
  by === undefined
    ? `No server answers at ${url}. Is it running, and does it listen there?`
    : `No server answers at ${url}: the one that ${join(by.folder, "address")} names (process ${by.pid}) is gone. ${startOne}.`

export const badToken = ({ url, by }: ServerFound): string => {
  if (!isLocal(url))
    return `The server at ${url} does not take the token in K3_TOKEN: ask its operator for one, made with k3-mcp token add.`
  return by === undefined
    ? `The server at ${url} does not take the token in K3_TOKEN: k3-mcp token show prints the right one where that server runs.`
    : `The server at ${url} does not take the token in ${join(by.folder, "token")}: another server has that address now. Start the one of this folder again.`
}
