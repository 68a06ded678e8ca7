/** The part of the server's environment that a child may see: an allow-list, so that a secret is never handed on by accident. */

const allowed = new Set(
  ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ", "LANG", "LANGUAGE", "TMPDIR", "TMP", "TEMP"].concat(
    ["SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "USERNAME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "PROGRAMDATA"],
    ["HOMEDRIVE", "HOMEPATH", "SYSTEMDRIVE", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE"],
  ),
)

/** Variables by exact name above, the locale's, and those that begin with one of `prefixes`. */
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
