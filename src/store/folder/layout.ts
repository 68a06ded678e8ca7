/**
 * Where things lie in the state folder, and what a path in it may look like.
 *
 * Guarantees: names that differ become files that differ on every system, none of them a device, hidden or outside; `placeOf` makes every
 * path below the folder and refuses what could lead out of it. Does not: look at the disk.
 */
import type { EngineKind } from "../Store.ts"

/** The folders that this program makes in the state folder; nothing else in there is its own but the files of `stateNames`. */
export const ownFolders: readonly string[] = ["sessions", "definitions", "crashes", "evaluations"]
export const lockFile = "lock"

const utf8 = new TextEncoder()

/** A name as that of a file. Names that differ in case alone are one file to some systems; others are devices. */
export const fileName = (name: string): string => {
  const coded = name.replaceAll(/[^a-z0-9_-]/gu, (c) =>
    Array.from(utf8.encode(c), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  )
  return /^(con|prn|aux|nul|com\d|lpt\d)$/.test(coded) ? `%${coded}` : coded
}

/** The folder of a session, for all that is kept of it. */
export const sessionFolder = (name: string): string => `sessions/${fileName(name)}`
export const engineFolder = (name: string, engine: EngineKind): string => `${sessionFolder(name)}/${engine}`

/** The name of the session whose folder that path is. */
export const sessionIn = (path: string): string =>
  decodeURIComponent(path.slice(path.lastIndexOf("/") + 1).replace(/^%(?=(?:con|prn|aux|nul|com\d|lpt\d)$)/, ""))

/** What a session is called whose name another one takes; from 2 on. */
export const renamed = (session: string, number: number): string => `${session.slice(0, 60)}-${number}`
/** Was that the name of a session before it was renamed, or is it still? */
export const wasNamed = (session: string, before: string): boolean =>
  session === before || session.replace(/-\d+$/, "") === before.slice(0, 60)

/** Each part of a path: letters, digits and `_ % . -`; neither `.` nor `..`, and no dot at its end, which Windows drops. */
const part = /^(?!.*\.$)[\w%.-]{1,255}$/

/** The parts of a path below the state folder; undefined when it could be another place. The empty path is the folder itself. */
export const partsOf = (path: string): readonly string[] | undefined => {
  if (path === "") return []
  const parts = path.split("/")
  return parts.every((each) => part.test(each)) ? parts : undefined
}

const draft = /^[\w%.-]+\.\d+\.k3-draft$/
export const draftOf = (file: string, number: number): string => `${file}.${number}.k3-draft`
export const isDraft = (name: string): boolean => draft.test(name)

const aside = /\.damaged-\d{8}T\d{6}Z(?:-\d+)?$/
/** `when` as an ISO time; `again`: how many of that name there are already. */
export const asideOf = (path: string, when: string, again: number): string =>
  `${path}.damaged-${when.replaceAll(/[-:]|\.\d+/g, "")}${again === 0 ? "" : `-${again}`}`
export const isAside = (name: string): boolean => aside.test(name)
