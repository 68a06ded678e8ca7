/**
 * Connections to PostgreSQL.
 *
 * Guarantees: the address, which holds the password, is in no message of this file and in no parameter that the database shows. A process that
 * stands still in the middle of a transaction holds its rows no longer than `standstill`; a lock and a statement are waited for so long at
 * most. Connects when first used. Does not: try again.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

const seconds = (count: number): string => String(count * 1000)

/** Of the database, ms as text. */
const limits = {
  idle_in_transaction_session_timeout: seconds(5),
  lock_timeout: seconds(8),
  statement_timeout: seconds(20),
}

export const layer = (url: Redacted.Redacted): Layer.Layer<PgClient.PgClient | SqlClient, SqlError> =>
  PgClient.layer({ url, applicationName: "k3-mcp", connectTimeout: "3 seconds", keepAlive: "5 seconds", startupParameters: limits })

/** Where the database is, for people: without user, password and options. Undefined when the address is none of PostgreSQL. */
export const placeOf = (url: Redacted.Redacted): string | undefined => {
  const address = URL.parse(Redacted.value(url))
  if (address === null || !/^postgres(?:ql)?:$/.test(address.protocol)) return undefined
  return `the database ${address.host}${address.pathname}`
}
