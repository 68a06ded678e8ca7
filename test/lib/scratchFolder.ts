/**
 * Scratch folders for tests, in the system's temporary folder.
 *
 * Guarantees: a folder's name holds the pid of the process that made it, and the next run of tests removes the folders of processes that are
 * gone. Does not: remove a folder at the end of a test (the caller does); recognise folders of another machine that shares the temporary folder.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const NAME = /^k3-mcp-test-(\d+)-/

export const makeScratch = (): string => mkdtempSync(join(tmpdir(), `k3-mcp-test-${process.pid}-`))

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH"
  }
}

/** Removes this user's folders of processes that are gone. Vitest calls it before the first test of a run. */
export default function removeLeft(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = NAME.exec(name)?.[1]
    const folder = join(tmpdir(), name)
    const uid = process.getuid?.() ?? 0
    if (pid !== undefined && !isAlive(Number(pid)) && statSync(folder, { throwIfNoEntry: false })?.uid === uid)
      rmSync(folder, { recursive: true, force: true })
  }
}
