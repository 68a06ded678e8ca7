/** The exit of a fenced program, from the exit of bubblewrap. */
import { describe, expect, it } from "vitest"
import { endOf } from "../../../src/child/fence/bubblewrap.ts"

const ended = (code: number | null, signal: string | null = null) => ({ code, signal })

describe("G13 how a fenced program ended", () => {
  it.each([
    [ended(3), "", ended(3)],
    [ended(137), "", ended(null, "SIGKILL")],
    [ended(134), "Aborted\n", ended(null, "SIGABRT")],
    [ended(null, "SIGKILL"), "", ended(null, "SIGKILL")],
    [ended(137), "a warning\nk3: exit code 137\n", ended(137)],
    [ended(137), "k3: exit code 139\n", ended(null, "SIGKILL")],
    [ended(200), "", ended(200)],
  ])("%j with %j on standard error is %j", (told, stderr, is) => expect(endOf(told, stderr)).toEqual(is))
})
