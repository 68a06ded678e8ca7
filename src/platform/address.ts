/**
 * The file `address` of a state folder, which holds the address of the folder's server for consoles that attach. Only its owner can read it.
 *
 * Guarantees: the file is whole, names the last server that began to listen, and is removed when that server shuts down. Does not: remove
 * the file of a killed server.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Listener } from "../mcp/http/Listener.ts"
import { makeFolder } from "../repl/makeFolder.ts"
import { withFallback } from "../repl/withFallback.ts"

export interface Address {
  readonly url: string
  readonly pid: number
}

const fileIn = (folder: string): string => join(folder, "address")

/** The address in the file; undefined when the file is absent or unreadable. */
export const addressIn = (folder: string): Address | undefined =>
  withFallback(() => {
    const { url, pid } = JSON.parse(readFileSync(fileIn(folder), "utf8")) as Partial<Address>
    return typeof url === "string" && typeof pid === "number" && URL.canParse(url) ? { url, pid } : undefined
  }, undefined)

const write = (folder: string, address: Address): void => {
  makeFolder(folder)
  const file = fileIn(folder)
  const draft = `${file}.${process.pid}.k3-draft`
  writeFileSync(draft, `${JSON.stringify(address)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}

/** The listener, with the file `address` written while it listens; unchanged without a state folder. */
export const announcing = (folder: string | null, listen: Listener): Listener => {
  if (folder === null) return listen
  return async (place, site, bounds) => {
    const listening = await listen(place, site, bounds)
    const { url } = listening
    try {
      write(folder, { url, pid: process.pid })
    } catch (error) {
      await listening.close(0)
      throw error
    }
    return {
      url,
      close: (ms) => {
        const present = addressIn(folder)
        if (present?.pid === process.pid && present.url === url) rmSync(fileIn(folder), { force: true })
        return listening.close(ms)
      },
    }
  }
}
