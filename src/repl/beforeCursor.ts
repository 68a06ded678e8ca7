/** Finds the unfinished word at the end of a line, for completion. Pure. */

/** The topic of a `\help TOPIC`. */
export const helpTopic = (source: string): string | undefined => /^\s*\\help\s+(\S.*?)\s*$/.exec(source)?.[1]

/** The beginning of a script's name behind `\l`. */
export const scriptBefore = (line: string): string | undefined => /^\s*\\l\s+(.*)$/.exec(line)?.[1]

/** The beginning of a system name: `_s`, and not the verb in `a_s`. */
export const systemNameBefore = (line: string): string | undefined => /(?<![A-Za-z0-9.)\]}"`])_[a-zA-Z]*$/.exec(line)?.[0]

/** An unfinished name of a variable, cut into the directory it is in and the last part. */
export interface UnfinishedName {
  readonly word: string
  readonly path: string
  readonly last: string
}

/** The beginning of a variable's name. */
export const nameBefore = (line: string): UnfinishedName => {
  const word = /[A-Za-z.][A-Za-z0-9_.]*$/.exec(line)?.[0] ?? ""
  const dot = word.lastIndexOf(".")
  return { word, path: dot === 0 ? "." : word.slice(0, Math.max(0, dot)), last: word.slice(dot + 1) }
}
