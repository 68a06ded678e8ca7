/**
 * Reads some rows of an array as text, for a table that scrolls.
 *
 * Guarantees: the cost depends on the number of rows, not on the length of the array. A read never waits for an evaluation, changes nothing, and
 * runs no K of the caller. Does not: keep the array; it may have changed at the next read.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { EngineKind } from "../../engineKinds.ts"
import type { ChildEnded } from "../../child/Child.ts"
import { cellTexts } from "../../child/engines/cellText.ts"
import { type Item, itemOf } from "../../child/engines/image.ts"
import { EvaluationQueue } from "../EvaluationQueue.ts"
import { statementOf } from "../runStatements.ts"
import type { Rows, RowsWanted, Session } from "../Session.ts"
import type { Live } from "../state.ts"
import { Supervisor } from "../Supervisor.ts"
import { Usage } from "../Usage.ts"
import { readTimeout } from "./inspections.ts"

/** A matrix with more columns than this is shown as one column. */
const mostColumns = 100

/** The K of a read. K3CSharp evaluates the K of the embedded engine wrongly. */
const codes: { readonly [Kind in EngineKind]: { readonly shape: (path: string) => string; readonly rows: (rows: string) => string } } = {
  embedded: {
    // A list of texts as long as each other is one column, not a matrix of characters.
    shape: (path) => `{:[-3=4:*x;1#^x;^x]}[${path}]`,
    // Without the items that no cell has room for: each item has a character or more.
    rows: (rows) => `{:[1>4:x;(${mostColumns}&#x)#x;x]}'(${rows})`,
  },
  k3csharp: { shape: (path) => `^${path}`, rows: (rows) => rows },
}
/** Bytes of the values of one read. */
const mostBytes = 4 * 1024 ** 2
const deepest = 200

const valueOf = ({ engine, child }: Live, code: string): Effect.Effect<Item | undefined, ChildEnded> =>
  Effect.map(
    engine.value(child, statementOf(code), { image: mostBytes, quiet: true }, undefined),
    ({ image }) => image && itemOf(image, deepest),
  )

const cellsIn = (window: Item, columns: number, isTable: boolean, engine: EngineKind): Rows["cells"] => {
  const most = columns === 1 ? 60 : 24
  if (columns === 1) return [cellTexts(window, engine, most)]
  const lists = window.type === 0 ? window.items.map((each) => cellTexts(each, engine, most)) : []
  return isTable ? lists : Array.from({ length: columns }, (_, n) => lists.map((row) => row[n] ?? ""))
}

/** Undefined when the path holds no array. */
const read = Effect.fnUntraced(function* (
  live: Live,
  { path, names, from, count }: RowsWanted,
): Effect.fn.Return<Rows | undefined, ChildEnded> {
  const code = codes[live.engine.kind]
  const columns = names?.map((name) => `${path}.${name}`) ?? [path]
  const shape = yield* valueOf(live, code.shape(columns[0]!))
  if (shape?.type !== -1 || shape.values.length === 0) return undefined
  const [total = 0, width = 1] = shape.values
  const isMatrix = names === undefined && shape.values.length > 1 && width <= mostColumns
  const titles = names ?? (isMatrix && width > 1 ? Array.from({ length: width }, (_, n) => `c${n}`) : ["value"])
  const n = Math.max(0, Math.min(count, total - from))
  const rows = columns.map((column) => code.rows(`${column}[${from}+!${n}]`))
  const window = yield* valueOf(live, rows.length === 1 ? rows[0]! : `(${rows.join(";")})`)
  return window === undefined
    ? { total, columns: titles, cells: titles.map(() => []), isUnreadable: true }
    : { total, columns: titles, cells: cellsIn(window, titles.length, names !== undefined, live.engine.kind), isUnreadable: false }
})

export const makeRows: Effect.Effect<Session["rows"], never, EvaluationQueue | Supervisor | Usage> = Effect.gen(function* () {
  const queue = yield* EvaluationQueue
  const { connect } = yield* Supervisor
  const usage = yield* Usage
  return (wanted) =>
    usage.during(
      Effect.map(
        queue.tryRun(Effect.flatMap(connect, (live) => Effect.option(Effect.timeout(read(live, wanted), readTimeout)))),
        Option.flatten,
      ),
    )
})
