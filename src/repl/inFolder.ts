/**
 * Works in a folder that another process may move meanwhile.
 *
 * Guarantees: on Linux the folder is opened first, its real path is read from /proc, and the work gets a path through the open folder, which no link
 * can redirect. Throws `Outside` if the folder has another real path. Does not: check it on other systems.
 */
import { closeSync, constants, existsSync, openSync, readlinkSync } from "node:fs"
import { Outside } from "./fence.ts"

/** From Linux's fcntl.h; Node does not export it. Such a descriptor needs no permission to read the folder. */
const O_PATH = 0x200000

/** The folder in which Linux shows a process its descriptors. A path through a descriptor leads to the open file, also after a move. */
export const ownDescriptors = process.platform === "linux" && existsSync("/proc/self/fd") ? "/proc/self/fd" : null

/** Uses an open file, then closes it. */
export const using = <A>(file: number, use: (file: number) => A): A => {
  try {
    return use(file)
  } finally {
    closeSync(file)
  }
}

/** Opens a folder. Throws when a link is in its place. */
export const openFolder = (folder: string): number => openSync(folder, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)

/** `folder`: a real path; `descriptors`: the folder of this process's descriptors, null on a system without one. */
export const inFolder = <A>(folder: string, use: (way: string) => A, descriptors: string | null = ownDescriptors): A => {
  if (descriptors === null) return use(folder)
  return using(openFolder(folder), (file) => {
    const way = `${descriptors}/${file}`
    if (readlinkSync(way) !== folder)
      throw new Outside(`${folder} was moved or removed; an interpreter behind the fence reaches a new one after k_reload`)
    return use(way)
  })
}
