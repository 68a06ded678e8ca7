import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Vitest 5.1 reports a failing test with `Map.groupBy`, which Node 20 lacks: without this the details of a failure are lost. */
Map.groupBy ??= <K, V>(items: Iterable<V>, keyOf: (item: V, index: number) => K): Map<K, V[]> => {
  const groups = new Map<K, V[]>()
  let index = 0
  for (const item of items) {
    const key = keyOf(item, index++)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

/**
 * What takes longest first, so that no worker ends up alone with it: the files of a minute and more, then those that run servers, whatever
 * the size of their file.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const minutes = ["http", "principals", "persistence", "faults", "machine", "crowd", "soak"].map((name) => `/e2e/${name}.test.ts`)
    const parts = [...minutes, "/repl/memory.test.ts", "/run/stretch.test.ts", "/e2e/", "embedded.test.ts", "/session/", ""]
    const rank = ({ moduleId }: TestSpecification): number => parts.findIndex((part) => moduleId.includes(part))
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

const language = "test/{define,differential,fuzz,help,k3,lsp,repl}/**/*.test.ts"

/** Files that replace modules before anything else loads them, or whose errors tell how much memory all symbols of the process take. */
const alone = ["help/load", "k3/run/interrupt", "k3/syntax/parser", "k3/transcripts"].map((name) => `test/${name}.test.ts`)

/** Tests of what has to be installed beside Node, and those that take longest; `npm test` leaves them to `npm run test:services`. */
const installed = [
  "fence/escape",
  "e2e/dotnet",
  "embed/browser",
  "packages/claude",
  "hosts/inspector",
  "chaos/*",
  "cluster/!(owner|ownerState)",
  "nodes",
  "page/*",
  "store/sql/*",
  "view/*",
]
const long = ["e2e/{crowd,faults,machine,slowClient,soak}", "k3/run/stretch", "repl/memory"]
const services = [...installed, ...long].map((name) => `test/${name}.test.ts`)

export default defineConfig({
  test: {
    pool: "forks",
    globalSetup: "test/lib/scratchFolder.ts",
    setupFiles: ["test/lib/seed.ts"],
    projects: [
      // To load the modules takes longer than most files of the first two projects do: the files of a worker share them.
      {
        extends: true,
        test: {
          name: "language",
          include: [language],
          exclude: [...alone, ...services],
          isolate: false,
          setupFiles: ["test/lib/freshBudget.ts"],
        },
      },
      { extends: true, test: { name: "server", include: ["test/**/*.test.ts"], exclude: [language, ...services], isolate: false } },
      { extends: true, test: { name: "alone", include: alone } },
      { extends: true, test: { name: "services", include: services } },
    ],
    // Much of the suite waits for processes: four at a time even on two cores.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Only what hangs comes to this: a machine may have other things to do, and tests wait for facts.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 30_000 } },
    // No server that a test starts touches the state of whoever runs it.
    env: { K3_STATE_DIR: "none" },
    reporters: ["default", ["json", { outputFile: process.env["TEST_REPORT"] ?? "node_modules/.vitest-report.json" }]],
  },
})
