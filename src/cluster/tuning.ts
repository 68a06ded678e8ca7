/** The settings of Effect Cluster. docs/cluster.md has a reason for each. */
import type * as ShardingConfig from "effect/cluster/ShardingConfig"

export const tuning = {
  // Locks of connections (advisory) end every session on the shortest outage of the database; rows survive it.
  shardLockDisableAdvisory: true,
  // The shards of a killed machine are free after this time; the interpreters of a stalled machine have ended by then (Lease.ts).
  shardLockExpiration: "10 seconds",
  // Less than a third of the expiration: one refresh may fail.
  shardLockRefreshInterval: "3 seconds",
  runnerHealthCheckInterval: "1 second",
  refreshAssignmentsInterval: "500 millis",
  entityMessagePollInterval: "1 second",
  sendRetryInterval: "100 millis",
  // Each shard is a row that is refreshed.
  shardsPerGroup: 64,
  simulateRemoteSerialization: false,
} satisfies Partial<ShardingConfig.ShardingConfig["Service"]>
