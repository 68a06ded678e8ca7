/** A program that makes the store's tables, as a machine does at its start: `DATABASE_URL=… node migrate.js`. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { migrate } from "../../src/store/sql/migrations.ts"

await Effect.runPromise(Effect.provide(migrate, PgClient.layer({ url: Redacted.make(process.env["DATABASE_URL"]!) })))
