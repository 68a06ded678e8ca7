/**
 * Explains why the fence does not work on this machine, and what to do about it; tells a refusal from a shortage that may pass. Understands the
 * messages of bubblewrap 0.8 to 0.11.
 */

/** The result of a failed trial of the fence. */
export interface Trial {
  /** The system's error, such as `ENOENT`, when bubblewrap could not be started, or the signal that ended it. */
  readonly error: string | undefined
  readonly stderr: string
}

interface Row {
  readonly why: string
  readonly when: (trial: Trial) => boolean
}

const says =
  (pattern: RegExp) =>
  ({ stderr }: Trial): boolean =>
    pattern.test(stderr)

/** Known messages and their explanations, in the order in which they are tried. */
const rows: readonly Row[] = [
  {
    when: ({ error }) => error === "ENOENT",
    why: "bubblewrap is not installed. Install the package bubblewrap (apt, dnf, pacman or apk).",
  },
  {
    when: (trial) => trial.error === "E2BIG" || says(/maximum number of arguments/)(trial),
    why: "K3_ROOTS holds more files that have to be read-only inside, such as sources of a .NET build, than bubblewrap takes. Name a narrower folder.",
  },
  {
    when: says(/unknown option|Unknown option/),
    why: "bubblewrap is older than 0.8. Install a newer one.",
  },
  {
    when: says(/ENOSPC|max_\w*_namespaces exceeded/),
    why: "the system allows no user namespaces. Raise user.max_user_namespaces with sysctl.",
  },
  {
    when: says(/setting up uid map: Permission denied|AppArmor/i),
    why: "AppArmor keeps bubblewrap from making a user namespace. Give bwrap an AppArmor profile with userns, or set kernel.apparmor_restrict_unprivileged_userns to 0.",
  },
  {
    when: says(/mount proc on .*: Operation not permitted/),
    why: "the container masks /proc, so that no new one can be mounted. Run the container with an unmasked /proc (systempaths=unconfined).",
  },
  {
    when: says(/No permissions to create new namespace|Creating new namespace failed|Operation not permitted/),
    why: "the system forbids new namespaces, as containers do by seccomp. Allow unprivileged user namespaces (kernel.unprivileged_userns_clone=1), or run the container with a seccomp profile that allows them.",
  },
]

const lacks: ReadonlySet<string | undefined> = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM", "SIGKILL"])

/** Whether the system lacked processes, open files, memory or time for the trial, so that it tells nothing about the fence. */
export const isPassing = ({ error, stderr }: Trial): boolean =>
  lacks.has(error) || /Resource temporarily unavailable|Cannot allocate memory|Too many open files/.test(stderr)

const firstLine = ({ error, stderr }: Trial): string => (error ?? stderr).trim().split("\n")[0]!.slice(0, 200)

export const untried = (trial: Trial): string => `the fence cannot be tried at the moment (${firstLine(trial)}).`

export const refusalOf = (trial: Trial): string => {
  const row = rows.find(({ when }) => when(trial))
  if (row !== undefined) return row.why
  const said = firstLine(trial)
  return `bubblewrap refuses: ${said === "" ? "it does not say why" : said}. Run it by hand to see more.`
}

export const noFenceOn = (system: string): string =>
  `there is no fence on ${system}. Run the server on Linux with bubblewrap, or on macOS, to have one.`
