/** The part of the server's environment that a child may see: an allow-list, so that a secret is never handed on by accident. */

const allowed = new Set(
  ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ", "LANG", "LANGUAGE", "TMPDIR", "TMP", "TEMP"].concat(
    ["SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "USERNAME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "PROGRAMDATA"],
    ["HOMEDRIVE", "HOMEPATH", "SYSTEMDRIVE", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE"],
  ),
)

/** The allowed variables of the environment: the names above, `LC_…`, and names that begin with one of `prefixes`. */
export const childEnvironment = (
  environment: Readonly<Record<string, string | undefined>>,
  prefixes: readonly string[],
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined &&
        (allowed.has(entry[0].toUpperCase()) || [...prefixes, "LC_"].some((prefix) => entry[0].startsWith(prefix))),
    ),
  )

/**
 * Makes the C library of Linux (glibc) keep freed memory for the next vector, since returning pages and requesting new ones costs more than a
 * loop over them. The process never shrinks then, but still keeps its memory limit.
 */
export const keptMemory = {
  MALLOC_MMAP_THRESHOLD_: "1073741824",
  MALLOC_TRIM_THRESHOLD_: "2147483648",
  MALLOC_TOP_PAD_: "67108864",
} as const
