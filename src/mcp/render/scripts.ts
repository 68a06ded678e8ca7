/** The scripts below the roots, for the replies of `k_session` and `k3://scripts`. */
import type { ListedScript, Scripts } from "../../session/scripts.ts"
import { paragraphs, some } from "./words.ts"

/** The most names of a script. */
const mostNames = 20

const line = ({ name, comment, defines, loads, isCut }: ListedScript): string =>
  [
    comment === "" ? name : `${name}: ${comment}`,
    defines.length === 0 ? undefined : `defines ${some(defines, mostNames)}`,
    loads.length === 0 ? undefined : `loads ${some(loads, mostNames)}`,
    isCut ? "too long to be read whole, or not to be read" : undefined,
  ]
    .filter((part) => part !== undefined)
    .join("; ")

export const scriptsNotice = ({ scripts, total, isCut }: Scripts): string =>
  paragraphs(
    scripts.length < total
      ? `${total - scripts.length} more are left out; call k_session scripts with names: words that the name, the comment or a definition holds.`
      : undefined,
    isCut ? "There may be more: not every folder was looked into." : undefined,
  )

/** The scripts, a line each. */
export const scriptsList = ({ scripts }: Scripts, roots: readonly string[]): string =>
  scripts.map(line).join("\n") || `No such K script (*.k) lies below K3_ROOTS (${some(roots)}); \\l loads one that is made there.`

export const scriptsOutput = ({ scripts }: Scripts) =>
  scripts.map(({ name, comment, defines, loads }) => ({
    file: name,
    ...(comment !== "" && { comment }),
    defines: defines.slice(0, mostNames),
    loads: loads.slice(0, mostNames),
  }))
