/** What tests of a cluster need beside this Node: PostgreSQL, and a Node that members run on. They are skipped by name without either. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { otherNodes } from "../lib/nodes.ts"
import { isInstalled, orSkipped } from "../lib/postgres.ts"

const fetched = mkdtempSync(join(tmpdir(), "k3-nodes-"))
afterAll(() => rmSync(fetched, { recursive: true, force: true }))
const isRecent = (version: string): boolean => Number(version.replace(/^v/, "").split(".")[0]) >= 22

export const node = isRecent(process.version)
  ? process.execPath
  : isInstalled
    ? (await otherNodes(fetched)).find(([name, program]) => isRecent(name) && program !== undefined)?.[1]
    : undefined
export const skipped = !isInstalled || node === undefined
/** Completes a title. */
export const why = !isInstalled ? orSkipped : node === undefined ? ": skipped, no Node 22 can be fetched" : ""
