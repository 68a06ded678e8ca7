/**
 * Connections to PostgreSQL.
 *
 * Guarantees: no message of this file, and no parameter that the database shows, holds the address with its password. The database ends
 * a transaction that stands still, a wait for a lock, and a statement, each after its time in `limits`. Connects at the first use. Does not: retry.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

const seconds = (count: number): string => String(count * 1000)

/** Timeouts that the database enforces, ms as text. */
const limits = {
  idle_in_transaction_session_timeout: seconds(5),
  lock_timeout: seconds(8),
  statement_timeout: seconds(20),
}

export const layer = (url: Redacted.Redacted): Layer.Layer<PgClient.PgClient | SqlClient, SqlError> =>
  PgClient.layer({ url, applicationName: "k3-mcp", connectTimeout: "3 seconds", keepAlive: "5 seconds", startupParameters: limits })

/** The database's host and name for sentences, without user, password and options. Undefined when the URL is not one of PostgreSQL. */
export const placeOf = (url: Redacted.Redacted): string | undefined => {
  const address = URL.parse(Redacted.value(url))
  if (address === null || !/^postgres(?:ql)?:$/.test(address.protocol)) return undefined
  return `the database ${address.host}${address.pathname}`
}
