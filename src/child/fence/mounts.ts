/**
 * Compares the mounts of a fenced child with the plan, using the texts of `/proc/PID/mountinfo` of the child and the server. Pure.
 *
 * Guarantees: finds a path that led to another folder at the mount than in the plan, as when another session replaces a folder by a link. Does
 * not: judge a path for which the server's own mounts have no entry.
 */
import { SYSTEM_FILES } from "./bubblewrap.ts"
import { type FencePlan, type FenceTools, isWithin } from "./FencePlan.ts"

interface Mount {
  readonly device: string
  /** The mounted folder or file, as a path in the device's file system. */
  readonly shown: string
  readonly place: string
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)))

const mountsOf = (text: string): readonly Mount[] =>
  text.split("\n").flatMap((line) => {
    const [, , device, shown, place] = line.split(" ")
    return device === undefined || shown === undefined || place === undefined
      ? []
      : [{ device, shown: unescaped(shown), place: unescaped(place) }]
  })

const joined = (folder: string, way: string): string => (way === "" ? folder : `${folder === "/" ? "" : folder}${way}`)

/** The device and folder that a bind mount of this path shows. The last mount at the longest place around the path decides. */
const bindOf = (mounts: readonly Mount[], path: string): Omit<Mount, "place"> | undefined => {
  const around = mounts.filter(({ place }) => isWithin(path, place))
  const length = Math.max(...around.map(({ place }) => place.length))
  const mount = around.findLast(({ place }) => place.length === length)
  if (mount === undefined) return undefined
  return { device: mount.device, shown: joined(mount.shown, path.slice(mount.place === "/" ? 0 : mount.place.length).replace(/^\/$/, "")) }
}

/**
 * A place inside the fence that differs from the plan; undefined when there is none. `inside`, `outside`: the mountinfo of the child and the server.
 */
export const misplaced = (inside: string, outside: string, plan: FencePlan, tools: FenceTools): string | undefined => {
  const seen = mountsOf(outside)
  const isRoot = (place: string): boolean => plan.roots.some((root) => isWithin(place, root))
  const own = ["/proc", "/dev", ...tools.folders.map(({ path }) => path), ...SYSTEM_FILES, ...plan.program]
  const hidden = new Set([...plan.hiddenFolders, ...plan.hiddenFiles])
  const isRight = ({ device, shown, place }: Mount): boolean => {
    if (hidden.has(place)) return true
    if (!isRoot(place)) return place === "/" || place === "/tmp" || own.some((folder) => isWithin(place, folder))
    const bind = bindOf(seen, place)
    return bind === undefined || (bind.device === device && bind.shown === shown)
  }
  // The last mount of a place covers those before it: the private /tmp lies below a root that is /tmp.
  const uppermost = new Map(mountsOf(inside).map((mount) => [mount.place, mount]))
  return [...uppermost.values()].find((mount) => !isRight(mount))?.place
}
