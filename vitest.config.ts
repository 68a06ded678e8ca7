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

/** Tests that run servers take longest, whatever the size of their file: the soak first, then the rest of those, so that no worker ends up alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const parts = ["soak.test.ts", "/e2e/", "/session/", ""]
    const rank = ({ moduleId }: TestSpecification): number => parts.findIndex((part) => moduleId.includes(part))
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

/** The language keeps its budget in a module, of which each of these files has one to itself. */
const language = "test/{define,differential,fuzz,help,k3,lsp,repl}/**/*.test.ts"

/** Tests of what has to be installed beside Node; `npm test` leaves them to `npm run test:services`. */
const services = ["fence/escape", "e2e/dotnet", "embed/browser", "packages/claude", "hosts/inspector", "nodes", "page/*"].map(
  (name) => `test/${name}.test.ts`,
)

export default defineConfig({
  test: {
    pool: "forks",
    globalSetup: "test/lib/scratchFolder.ts",
    setupFiles: "test/lib/seed.ts",
    projects: [
      { extends: true, test: { name: "language", include: [language] } },
      // To load Effect takes longer than most of these files do.
      { extends: true, test: { name: "server", include: ["test/**/*.test.ts"], exclude: [language, ...services], isolate: false } },
      { extends: true, test: { name: "services", include: services } },
    ],
    // Much of the suite waits for processes: three at a time even on two cores.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Only what hangs comes to this: a machine may have other things to do, and tests wait for facts.
    testTimeout: 90_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // No server that a test starts touches the state of whoever runs it.
    env: { K3_STATE_DIR: "none" },
    reporters: ["default", ["json", { outputFile: "node_modules/.vitest-report.json" }]],
  },
})
