/**
 * The local person's token for HTTP: random, in a file of the state folder that only its owner can read. Guarantees: two servers that make it at
 * the same time get the same token; a comparison takes the same time for every given text.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { chmodSync, linkSync, readFileSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeFolder } from "../repl/makeFolder.ts"

const form = /^[\w-]{43}$/

const read = (file: string): string | undefined => {
  let text: string
  try {
    text = readFileSync(file, "utf8").trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
  if (!form.test(text)) throw new Error(`${file} does not hold a token: delete it, and a new one is made`)
  chmodSync(file, 0o600)
  return text
}

const make = (folder: string, file: string): void => {
  makeFolder(folder)
  const draft = `${file}.${process.pid}.k3-draft`
  writeFileSync(draft, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flag: "wx" })
  try {
    linkSync(draft, file)
  } catch (error) {
    // Another server made the file first: its token is used.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  } finally {
    unlinkSync(draft)
  }
}

/** The token of that state folder; made if it does not exist. Throws an error with a sentence if it cannot be read or made. */
export const tokenText = (folder: string | null): string => {
  if (folder === null) throw new Error("the token is kept in the state folder, and there is none (K3_STATE_DIR is none)")
  const file = join(folder, "token")
  const there = read(file)
  if (there !== undefined) return there
  make(folder, file)
  return read(file)!
}

interface Token {
  readonly is: (given: string) => boolean
  readonly sign: (text: string) => string
}

export const tokenIn = (folder: string | null): Token => {
  const secret = tokenText(folder)
  const hash = (text: string): Buffer => createHash("sha256").update(text).digest()
  const wanted = hash(secret)
  return {
    is: (given) => timingSafeEqual(hash(given), wanted),
    sign: (text) => createHmac("sha256", secret).update(text).digest("base64url").slice(0, 32),
  }
}
