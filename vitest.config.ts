import { defineConfig } from "vitest/config"

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

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    // Much of the suite waits for processes: two at a time even on two cores.
    maxWorkers: 2,
    // Only a test that hangs comes to this: a machine may have other things to do, and tests wait for facts.
    testTimeout: 90_000,
    expect: { poll: { timeout: 10_000 } },
    // No server that a test starts touches the state of whoever runs it.
    env: { K3_STATE_DIR: "none" },
    reporters: ["default", ["json", { outputFile: "node_modules/.vitest-report.json" }]],
  },
})
