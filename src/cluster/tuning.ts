/** How Effect Cluster is set, and why: docs/cluster.md has the figures. */
import type * as ShardingConfig from "effect/cluster/ShardingConfig"

export const tuning = {
  // Locks of connections (advisory) end every session on the shortest outage of the database; rows survive it.
  shardLockDisableAdvisory: true,
  // What a killed machine held is free after this; the interpreters of a stalled one have ended by then (Lease.ts).
  shardLockExpiration: "10 seconds",
  // A third of it: one refresh may fail.
  shardLockRefreshInterval: "3 seconds",
  runnerHealthCheckInterval: "1 second",
  refreshAssignmentsInterval: "500 millis",
  entityMessagePollInterval: "1 second",
  sendRetryInterval: "100 millis",
  // Each is a row that is refreshed.
  shardsPerGroup: 64,
  simulateRemoteSerialization: false,
} satisfies Partial<ShardingConfig.ShardingConfig["Service"]>
