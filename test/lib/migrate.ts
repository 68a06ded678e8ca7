/** A process that makes the store's tables, as a machine does when it starts: `DATABASE_URL=… node migrate.js`. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { layer } from "../../src/platform/postgres.ts"
import { migrate } from "../../src/store/sql/migrations.ts"

await Effect.runPromise(Effect.provide(migrate, Layer.fresh(layer(Redacted.make(process.env["DATABASE_URL"]!)))))
