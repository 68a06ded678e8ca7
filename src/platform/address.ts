/**
 * Where the server of a state folder listens, in its file `address`, which only its owner can read: consoles that attach find it there.
 *
 * Guarantees: the file is whole, names the server that began to listen last, and is removed when that one ends in order. Does not: remove
 * what a killed server left, which names a process that is gone or answers nothing.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Listener } from "../mcp/http/Listener.ts"
import { makeFolder } from "./makeFolder.ts"

export interface Address {
  readonly url: string
  readonly pid: number
}

const fileIn = (folder: string): string => join(folder, "address")

/** Undefined when there is none, or none that can be read. */
export const addressIn = (folder: string): Address | undefined => {
  try {
    const { url, pid } = JSON.parse(readFileSync(fileIn(folder), "utf8")) as Partial<Address>
    return typeof url === "string" && typeof pid === "number" && URL.canParse(url) ? { url, pid } : undefined
  } catch {
    return undefined
  }
}

const write = (folder: string, address: Address): void => {
  makeFolder(folder)
  const file = fileIn(folder)
  const draft = `${file}.${process.pid}.k3-draft`
  writeFileSync(draft, `${JSON.stringify(address)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}

/** One that is told in the state folder while it listens. */
export const announcing = (folder: string | null, { authority, page, listen }: Listener): Listener => ({
  authority,
  page,
  listen: async (place, site, bounds) => {
    const listening = await listen(place, site, bounds)
    const { url } = listening
    if (folder === null) return listening
    try {
      write(folder, { url, pid: process.pid })
    } catch (error) {
      await listening.close(0)
      throw error
    }
    const forget = (): void => {
      const told = addressIn(folder)
      if (told?.pid === process.pid && told.url === url) rmSync(fileIn(folder), { force: true })
    }
    return {
      url,
      close: (ms) => {
        forget()
        return listening.close(ms)
      },
    }
  },
})
