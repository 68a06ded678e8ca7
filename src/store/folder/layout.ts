/**
 * Names and paths in the state folder. Pure.
 *
 * Guarantees: different names become different files on every system, none of them a device, a hidden file, or outside the folder. `partsOf`
 * refuses a path that could lead out of the folder.
 */
import type { EngineKind } from "../../engineKinds.ts"
import { documentNames } from "../documentKinds.ts"

/** The folders that this program makes in the state folder. */
export const ownFolders: readonly string[] = ["sessions", ...documentNames]
export const lockFile = "lock"
/** The files or folders that are looked at together, where there may be thousands. */
export const atOnce = 16

const utf8 = new TextEncoder()

/** The file name of a session or snapshot. Capitals are encoded, since some systems ignore case; names of devices are, too. */
export const fileName = (name: string): string => {
  const coded = name.replaceAll(/[^a-z0-9_-]/gu, (c) =>
    Array.from(utf8.encode(c), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  )
  return /^(con|prn|aux|nul|com\d|lpt\d)$/.test(coded) ? `%${coded}` : coded
}

/** The folder for all data of a session. */
export const sessionFolder = (name: string): string => `sessions/${fileName(name)}`
export const engineFolder = (name: string, engine: EngineKind): string => `${sessionFolder(name)}/${engine}`

/** The name of the session with this folder. */
export const sessionIn = (path: string): string =>
  decodeURIComponent(path.slice(path.lastIndexOf("/") + 1).replace(/^%(?=(?:con|prn|aux|nul|com\d|lpt\d)$)/, ""))

/** The new name of a session whose name another session takes. `number` begins with 2. */
export const renamed = (session: string, number: number): string => `${session.slice(0, 60)}-${number}`
/** Whether `before` is the name of a session, or was its name before `renamed`. */
export const wasNamed = (session: string, before: string): boolean =>
  session === before || session.replace(/-\d+$/, "") === before.slice(0, 60)

/** A part of a path: letters, digits and `_ % . -`; not `.` or `..`, and no dot at its end, which Windows would drop. */
const part = /^(?!.*\.$)[\w%.-]{1,255}$/

/** The parts of a path below the state folder; undefined for an invalid path. The empty path is the folder itself. */
export const partsOf = (path: string): readonly string[] | undefined => {
  if (path === "") return []
  const parts = path.split("/")
  return parts.every((each) => part.test(each)) ? parts : undefined
}

const draft = /^[\w%.-]+\.\d+\.k3-draft$/
export const draftOf = (file: string, number: number): string => `${file}.${number}.k3-draft`
export const isDraft = (name: string): boolean => draft.test(name)

const aside = /\.damaged-\d{8}T\d{6}Z(?:-\d+)?$/
/** The name for a file that is set aside. `when`: an ISO time; `again`: number of files that have this name already. */
export const asideOf = (path: string, when: string, again: number): string =>
  `${path}.damaged-${when.replaceAll(/[-:]|\.\d+/g, "")}${again === 0 ? "" : `-${again}`}`
export const isAside = (name: string): boolean => aside.test(name)
