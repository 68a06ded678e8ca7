/** The schema of every error with which a request between machines can fail. */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { BuildFailed } from "../session/builds/Build.ts"
import { BadCaseFile } from "../session/builds/caseFile.ts"
import { NotComparable } from "../session/builds/sides.ts"
import { CheckFailed } from "../session/Session.ts"
import { SessionError } from "../session/SessionError.ts"
import { ComparisonOf, list, maybe, nullOr, number, oneOf, struct, text } from "./requests/shapes.ts"

/** The schema of an error class that is not a schema itself. `fields`: the argument of its constructor. */
const made = <Fields extends Schema.Struct.Fields, E extends Schema.Struct<Fields>["Type"] & Error>(
  tag: string,
  Class: new (given: Schema.Struct<Fields>["Type"]) => E,
  fields: Fields,
) =>
  struct({ _tag: Schema.Literal(tag), given: struct(fields) }).pipe(
    Schema.decodeTo(
      Schema.instanceOf(Class),
      SchemaTransformation.transform({
        decode: ({ given }) => new Class(given),
        encode: (error) => ({ _tag: tag, given: error }) as never,
      }),
    ),
  )

const builds = [
  made("BuildFailed", BuildFailed, {
    reason: oneOf(["exit", "missing", "spawn", "timeout", "useless", "operator"]),
    command: text,
    exit: struct({ code: nullOr(number), signal: nullOr(text) }),
    errors: list(
      struct({ severity: oneOf(["error", "warning"]), file: text, line: maybe(number), column: maybe(number), code: maybe(text), text }),
    ),
    errorCount: number,
    warningCount: number,
    tail: list(text),
    ms: number,
  }),
  made("BadCaseFile", BadCaseFile, { file: text, reason: text }),
  made("CheckFailed", CheckFailed, { check: ComparisonOf }),
  made("NotComparable", NotComparable, { problem: oneOf(["what", "side", "idle", "file", "changes"]), side: text }),
] as const

/** A request whose failure is not among these does not compile. */
export const RequestFailure = Schema.Union([SessionError, ...builds])
export type RequestFailure = typeof RequestFailure.Type
