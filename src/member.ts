/**
 * The layers of a member of a cluster, on PostgreSQL. Loaded only if K3_CLUSTER is set.
 *
 * Guarantees: the tables are migrated before anything else; a front end opens no port for other machines; a machine that leaves writes its
 * sessions and hands them over before its database and its spaces close. Does not: start without the database; it dies with a sentence.
 */
import { PersistenceError } from "effect/cluster/ClusterError"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as Runners from "effect/cluster/Runners"
import { RunnerStorage } from "effect/cluster/RunnerStorage"
import type { Sharding } from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SocketRunner from "effect/cluster/SocketRunner"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { SocketServerError } from "effect/socket/SocketServer"
import { SqlClient } from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"

import { abandonable } from "./abandonable.ts"
import { Cluster } from "./cluster/Cluster.ts"
import { keeping, Lease, leased, leaseMs } from "./cluster/Lease.ts"
import { layer as ownerLayer } from "./cluster/owner.ts"
import { layer as remoteLayer } from "./cluster/remoteSessions.ts"
import { type MakeSpace, OpenSpaces } from "./cluster/OpenSpaces.ts"
import { SessionOwners } from "./cluster/SessionOwners.ts"
import { join, migrateCluster } from "./cluster/sqlCluster.ts"
import * as sqlSessionOwners from "./cluster/sqlSessionOwners.ts"
import * as sqlStoredOutputs from "./cluster/sqlStoredOutputs.ts"
import { StoredOutputs } from "./cluster/StoredOutputs.ts"
import { tuning } from "./cluster/tuning.ts"
import type { PrincipalSpace } from "./mcp/http/Principal.ts"
import * as unsetClock from "./cluster/unsetClock.ts"
import { loggingDefects } from "./loggingDefects.ts"
import { Settings, type SettingValues } from "./Settings.ts"
import { Ownership } from "./store/Ownership.ts"
import { migrate } from "./store/sql/migrations.ts"
import { reasonOf } from "./store/sql/outage.ts"
import * as SqlStore from "./store/sql/SqlStore.ts"
import type { Store } from "./store/Store.ts"
import { calling, listening, type SharedSecret } from "./platform/clusterTransport.ts"
import * as postgres from "./platform/postgres.ts"
import * as watchdog from "./platform/watchdog.ts"

interface Parts<R> {
  readonly settings: SettingValues
  readonly open: MakeSpace<R>
}

/** The most characters of a message between machines. Code, output and scripts have lower limits of their own. */
const longestMessage = 256 * 1024 ** 2
/** The most time for the count of the runners; for closing the spaces, and the connections, after the last session was handed over; ms. */
const countWithin = 1000
const closeWithin = 3000

/** The layer, whose closing waits for `closeWithin` at most for a database that stands still. */
const closedSoon = <A, E, R>(layer: Layer.Layer<A, E, R>) =>
  Layer.effectContext(
    Effect.flatMap(
      Effect.acquireRelease(Scope.make(), (scope, exit) =>
        Effect.timeoutOption(abandonable(Effect.uninterruptible(Scope.close(scope, exit))), closeWithin),
      ),
      (scope) => Layer.buildWithScope(layer, scope),
    ),
  )

const urlOf = ({ cluster }: SettingValues) => Redacted.make(cluster!.reveal(), { label: "K3_CLUSTER" })

/** The time during which a refresh is tried again, ms: shorter than the time that Effect Cluster waits for it, whose error names no reason. */
const refreshWithin = 2500
/** The time after which a refresh is sent again, over a new connection: one that ended without a word never answers. */
const silence = "1500 millis"

/** How often one `acquire` asks for shards that another machine still has, and the time between two requests. */
const tries = 10
const tryAgainAfter = "40 millis"

/**
 * Retries a failed refresh for `refreshWithin`, so that a shorter outage ends no session; after it, the log has the reason of the last failure.
 * Sends one without an answer again: all sessions would end, and the next machine could take none before each was released.
 * Asks again for shards that another machine still has, since a leaving machine is about to release them; Effect Cluster alone would ask a second
 * later. A caller that no longer waits for the list of runners is not held up by a database that stands still.
 */
const patientStorage = Layer.effect(
  RunnerStorage,
  Effect.map(RunnerStorage, (storage) =>
    RunnerStorage.of({
      ...storage,
      getRunners: abandonable(storage.getRunners),
      acquire: Effect.fnUntraced(function* (address, shards) {
        const wanted = [...shards]
        for (let left = tries; ; left--) {
          const acquired = yield* storage.acquire(address, wanted)
          if (acquired.length === wanted.length || left === 1) return acquired
          yield* Effect.sleep(tryAgainAfter)
        }
      }),
      refresh: (address, shards) =>
        Effect.timeoutOrElse(storage.refresh(address, shards), { duration: silence, orElse: () => storage.refresh(address, shards) }).pipe(
          Effect.retry(Schedule.spaced("200 millis").pipe(Schedule.upTo({ duration: refreshWithin }))),
          Effect.mapError(({ cause }) => new PersistenceError({ cause: isSqlError(cause) ? reasonOf(cause) : cause })),
        ),
    }),
  ),
)

/** Each runner checks the health of the others. Effect Cluster lets one runner check; the loss of that runner took 45 s to notice. */
const watching = (own: RunnerAddress.RunnerAddress) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { getRunners, setRunnerHealth } = yield* RunnerStorage
      const { isAlive } = yield* RunnerHealth.RunnerHealth
      const look = Effect.gen(function* () {
        const others = (yield* getRunners).filter(
          ([{ address }, healthy]) => healthy && !(address.host === own.host && address.port === own.port),
        )
        yield* Effect.forEach(
          others,
          ([{ address }]) => Effect.flatMap(isAlive(address), (is) => (is ? Effect.void : setRunnerHealth(address, false))),
          { discard: true, concurrency: 10 },
        )
      })
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.andThen(
            loggingDefects("A look at the other runners failed", Effect.ignore(look), Effect.void),
            Effect.sleep(tuning.runnerHealthCheckInterval),
          ),
        ),
      )
    }),
  )

const sharding = ({ role, runnerAddress: { host, port } }: SettingValues, drainMs: number, secret: SharedSecret) => {
  const isRunner = role !== "front"
  const config = ShardingConfig.layer({
    ...tuning,
    runnerAddress: isRunner ? Option.some(RunnerAddress.make(host, port)) : Option.none(),
    entityTerminationTimeout: drainMs,
  })
  const protocol = calling(secret)
  const runner = Layer.merge(SocketRunner.layer, watching(RunnerAddress.make(host, port))).pipe(
    Layer.provide(RunnerHealth.layerPing),
    Layer.provide(Layer.provide(Runners.layerRpc, MessageStorage.layerNoop)),
    Layer.provide([listening({ host, port }, secret), protocol]),
  )
  return (isRunner ? runner : Layer.provide(SocketRunner.layerClientOnly, protocol)).pipe(
    Layer.provide([MessageStorage.layerNoop, RpcSerialization.layerNdjsonWith({ maxBufferSize: longestMessage })]),
    Layer.provideMerge(patientStorage.pipe(Layer.provide(Layer.orDie(SqlRunnerStorage.layer)))),
    Layer.provideMerge(config),
  )
}

const storeOf =
  (sql: Context.Context<SqlClient>, place: string, quota: number) =>
  ({ space }: PrincipalSpace, epochs: ReadonlyMap<string, number>): Layer.Layer<Store> =>
    SqlStore.layer({ space, place, quota }).pipe(
      Layer.provide([Layer.succeedContext(sql), Layer.succeed(Ownership, Ownership.of({ epochOf: (session) => epochs.get(session) }))]),
    )

const member = <R>({ settings, open }: Parts<R>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { role, runnerAddress } = settings
      yield* migrate
      yield* migrateCluster
      const { secret, number } = yield* join(randomBytes)
      const store = storeOf(yield* Effect.context<SqlClient>(), postgres.placeOf(urlOf(settings))!, settings.clusterQuota)
      const name = role === "front" ? `${hostname()}#${number}` : `${runnerAddress.host}:${runnerAddress.port}#${number}`
      const front = Layer.effect(
        Cluster,
        Effect.gen(function* () {
          const around = yield* Effect.context<Sharding | SessionOwners | StoredOutputs>()
          const { getRunners } = yield* RunnerStorage
          return Cluster.of({
            machine: name,
            runners: Effect.map(getRunners, (all) => all.filter(([, isHealthy]) => isHealthy).length).pipe(
              Effect.timeout(countWithin),
              Effect.orElseSucceed(() => undefined),
            ),
            store: (principal) => store(principal, new Map()),
            sessions: (principal) => Layer.provide(remoteLayer(principal), Layer.succeedContext(around)),
          })
        }),
      )
      const runner = Layer.merge(Layer.unwrap(ownerLayer), keeping)
      const spaces = closedSoon(OpenSpaces.layer({ open, store, number })).pipe(
        Layer.provide(leased),
        Layer.provideMerge(Lease.layer),
        Layer.provide(watchdog.layer(leaseMs)),
      )
      // Effect Cluster measures the idle time of a session by the wall clock: set forward, it would end all that have no request.
      const machine = Layer.provide(sharding(settings, settings.drain, secret), unsetClock.layer)
      const answering = Layer.provideMerge(front, machine)
      const all = role === "front" ? answering : Layer.merge(front, runner).pipe(Layer.provideMerge(machine), Layer.provide(spaces))
      return Layer.provide(all, [sqlSessionOwners.layer(name), sqlStoredOutputs.layer])
    }),
  )

/** The reason why the member cannot start, in a sentence without credentials. */
const whyNot = (settings: SettingValues, error: unknown): string => {
  const { host, port } = settings.runnerAddress
  const place = postgres.placeOf(urlOf(settings))!
  return isSqlError(error)
    ? `${place} (K3_CLUSTER) cannot be used: ${reasonOf(error)}. Start the server again when that is put right.`
    : error instanceof SocketServerError
      ? `${host}:${port} (K3_RUNNER_ADDRESS) cannot be listened at: another program may have it. Name another one, or end that program.`
      : `The tables of the cluster could not be made in ${place}: ${String(error)}`
}

/** Dies with a sentence when the database or the runner's address cannot be used. */
export const layer = <R>(parts: Parts<R>) => {
  const database = closedSoon(postgres.layer(urlOf(parts.settings)))
  return member(parts).pipe(
    Layer.provide([database, Layer.succeed(Settings, parts.settings)]),
    Layer.catch((error) => Layer.effect(Cluster, Effect.die(new Error(whyNot(parts.settings, error))))),
  )
}
