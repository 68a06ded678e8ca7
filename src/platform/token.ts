/**
 * The local person's token for HTTP: random, in a file of the state folder that only its owner can read. Guarantees: two servers that make it at
 * the same time get the same token; a comparison takes the same time for every given text; a folder where other users could have written tokens is
 * refused.
 */
import { createHmac, randomBytes } from "node:crypto"
import { chmodSync, existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { flawOf } from "../child/Machine.ts"
import { makeFile } from "./makeFile.ts"
import { thisUser } from "./NodeMachine.ts"
import { hasHash, sha256 } from "./secrets.ts"

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

/** Throws if another user may have put files into the folder: tokens of principals, too, are read from it. */
const checkFolder = (folder: string): void => {
  const flaw = existsSync(folder) ? flawOf(thisUser, statSync(folder)) : undefined
  if (flaw !== undefined)
    throw new Error(`the state folder ${folder} ${flaw}, who could put tokens into it: set K3_STATE_DIR to a folder of your own`)
}

/** The token of that state folder; made if it does not exist. Throws an error with a sentence if it cannot be read or made. */
export const tokenText = (folder: string | null): string => {
  if (folder === null) throw new Error("the token is kept in the state folder, and there is none (K3_STATE_DIR is none)")
  checkFolder(folder)
  const file = join(folder, "token")
  const there = read(file)
  if (there !== undefined) return there
  // If another server makes the file first, its token is used.
  makeFile(file, randomBytes(32).toString("base64url"))
  return read(file)!
}

interface Token {
  readonly is: (given: string) => boolean
  readonly sign: (text: string) => string
}

export const tokenIn = (folder: string | null): Token => {
  const secret = tokenText(folder)
  const hash = sha256(secret)
  return {
    is: (given) => hasHash(given, hash),
    sign: (text) => createHmac("sha256", secret).update(text).digest("base64url").slice(0, 32),
  }
}
