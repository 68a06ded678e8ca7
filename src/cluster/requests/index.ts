/** Every request to the machine that has a session. A new request is a row in one of these tables. */
import type * as Schema from "effect/Schema"
import type { RequestFailure } from "../errors.ts"
import { comparisons } from "./comparisons.ts"
import { evaluations } from "./evaluations.ts"
import { records } from "./records.ts"
import type { RequestRow } from "./request.ts"
import { sessions } from "./sessions.ts"
import { snapshots } from "./snapshots.ts"
import { transfers } from "./transfers.ts"
import { variables } from "./variables.ts"

export const requests = { ...sessions, ...evaluations, ...variables, ...snapshots, ...records, ...comparisons, ...transfers }

/** The same rows as a list, without their own types, for code that treats all rows alike. */
export const rows: readonly (readonly [tag: string, row: RequestRow<any, Schema.Codec<unknown>, RequestFailure>])[] =
  Object.entries(requests)

type Requests = typeof requests
export type Tag = keyof Requests
export type GivenOf<T extends Tag> = Schema.Struct<Requests[T]["given"]>["Type"]
export type AnswerOf<T extends Tag> = Requests[T]["answer"]["Type"]
export type ErrorOf<T extends Tag> = Requests[T] extends RequestRow<any, any, infer E> ? E : never
