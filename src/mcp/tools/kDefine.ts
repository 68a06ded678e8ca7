/** `k_define`: makes, lists, runs, tests and removes tools made of K functions. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Callable } from "../../define/call.ts"
import { callDefined } from "../definedTool.ts"
import { plainName } from "../../define/definition.ts"
import { Sessions } from "../../session/Sessions.ts"
import { tryExamples } from "../examples.ts"
import { define, unnamedOf } from "../defining.ts"
import * as render from "../render/define.ts"
import { badArguments } from "../render/Reply.ts"
import { make, objectField, sessionField, textField } from "../Tool.ts"

const optional = Schema.optionalKey

export const kDefine = make({
  name: "k_define",
  title: "Tools made of K",
  description:
    "Make a K function a tool kf_<name>: JSON in, JSON (or the picture of .,(`plot;data)) out, kept over restarts. The code is checked, and tried when arguments and result are given; such examples are kept and tried at each change. test runs them; run calls a tool your host does not list, or code once.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  actions: {
    define: { takes: ["name", "description", "code", "parameters", "arguments", "result", "examples", "timeout_ms", "memory_mb"] },
    list: { takes: [], isReadOnly: true },
    source: { takes: ["name", "version"], isReadOnly: true },
    remove: { takes: ["name"] },
    run: { takes: ["name", "code", "parameters", "arguments", "version", "timeout_ms", "memory_mb"] },
    test: { takes: ["name"] },
  },
  input: Schema.Struct({
    name: textField(),
    description: textField(),
    code: textField("{[v;n] …}"),
    parameters: optional(
      Schema.Union([Schema.Record(Schema.String, Schema.Unknown), Schema.Array(Schema.Unknown)]).annotate({
        description: 'in order: {"v":"list of float: samples","n":"int"}; also string, symbol, any',
      }),
    ),
    arguments: objectField("to run with, or an example"),
    result: optional(Schema.Unknown.annotate({ description: "of the example" })),
    examples: optional(
      Schema.Array(Schema.Struct({ arguments: Schema.Record(Schema.String, Schema.Unknown), result: Schema.Unknown })).annotate({
        description: "several, instead of arguments and result",
      }),
    ),
    version: optional(Schema.Int.annotate({ description: "default the newest" })),
    timeout_ms: optional(Schema.Finite.annotate({ description: "default K3_EVAL_TIMEOUT" })),
    memory_mb: optional(Schema.Finite.annotate({ description: "default K3_CHILD_MEMORY" })),
    ...sessionField,
  }),
  run: ({ action, name: given, code, arguments: arguments_, version, session, ...rest }) =>
    Effect.gen(function* () {
      const { definitions } = yield* Sessions
      const run = (callable: Callable, timeoutMs?: number) => callDefined(callable, arguments_ ?? {}, { session, timeout_ms: timeoutMs })
      if (given === "") return badArguments("k_define", "name: give the name of a tool")
      if (action === "list") return render.listed(yield* definitions.all)
      if (action === "test") {
        const all = given === undefined ? yield* definitions.all : (yield* definitions.versions(plainName(given))).slice(-1)
        if (given !== undefined && all.length === 0) return render.unknownTool(given, yield* definitions.all)
        return render.tested(yield* tryExamples(all, { impure: given !== undefined }))
      }
      if (action === "run" && code !== undefined) {
        if (given !== undefined || version !== undefined)
          return badArguments("k_define", "run takes a name or code, not both; version goes with a name")
        const unnamed = unnamedOf({ ...rest, code })
        return "problems" in unnamed ? badArguments("k_define", unnamed.problems.join("\n")) : yield* run(unnamed)
      }
      if (given === undefined) return badArguments("k_define", `${action} takes a name${action === "run" ? ", or code" : ""}`)
      const name = plainName(given)
      if (action === "define") {
        if (code === undefined) return badArguments("k_define", "define takes the code of a function")
        return yield* define({ ...rest, name: given, code, session, arguments: arguments_ })
      }
      const versions = yield* definitions.versions(name)
      const newest = versions.at(-1)
      if (newest === undefined) return render.unknownTool(given, yield* definitions.all)
      if (action === "remove") {
        yield* definitions.remove(name)
        return render.removed(name)
      }
      const numbers = versions.map((each) => each.version)
      const found = version === undefined ? newest : versions.find((each) => each.version === version)
      if (found === undefined) return render.unknownVersion(action, name, version!, numbers)
      if (action === "source") return render.source(found, numbers)
      if (rest.memory_mb !== undefined || rest.parameters !== undefined)
        return badArguments("k_define", "run takes memory_mb and parameters with code alone: a tool has its own")
      return yield* run(found, rest.timeout_ms)
    }),
})
