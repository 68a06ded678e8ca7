/**
 * Calls of the tools: arguments by their own schemas, the same with a part at any depth replaced by something else, and
 * arbitrary objects.
 */
import * as fc from "fast-check"
import { tools } from "../../src/mcp/tools/index.ts"

type JsonSchema = { readonly [key: string]: any }

const code = fc.constantFrom(
  "1+1",
  "a:!9",
  "a",
  "f:{x+y}",
  "f[1;2]",
  "'`oops",
  "(1 2",
  "while[1;b:1]",
  "\\d .k.sub",
  "\\d .k",
  "d:.((`a;1);(`b;2 3))",
  "1+`a",
  '`0:20000#"ab"',
  "x:!100000",
  "{[v] +/v}",
  "_exit 3",
  "",
)
const text = fc.oneof(
  { weight: 3, arbitrary: code },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
  fc.constantFrom(
    "main",
    "other",
    ".",
    ".k",
    "a",
    "list",
    "save",
    "mean",
    "__proto__",
    "../..",
    "n".repeat(100),
    "\0",
    "0",
    "o1",
    "cases.k",
  ),
)
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 0, 1e308, 2 ** 53, 0.5, "", "\ud800", "x".repeat(100_000), [], [[]], {}, [null, {}]),
  fc.integer({ min: 1, max: 2000 }).map((depth): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth))),
  fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }),
)

/** Texts that random generation would hardly ever make. */
const named = new Map<string, fc.Arbitrary<string>>([
  ["session", fc.constantFrom("main", "main", "other", "third")],
  ["path", fc.constantFrom(".", ".k", "a", ".k.a", "d", "d.b", "f", "x", "nothing", "a b")],
  ["name", fc.constantFrom("s", "t", "mean", "a b", "__proto__")],
])

/** Values that a schema allows, as far as it is looked into. */
const allowed = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]))
  const options: unknown = schema["anyOf"] ?? schema["oneOf"]
  if (Array.isArray(options)) return fc.oneof(...(options as JsonSchema[]).map(allowed))
  switch (schema["type"]) {
    case "string":
      return text
    case "number":
      return fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 1, max: 20 }) }, fc.double({ noNaN: true, noDefaultInfinity: true }))
    case "integer": {
      const min = (schema["minimum"] as number | undefined) ?? 0
      return fc.integer({ min, max: min + 20 })
    }
    case "boolean":
      return fc.boolean()
    case "array":
      return fc.array(allowed((schema["items"] ?? {}) as JsonSchema), { maxLength: 4 })
    case "object":
      return fc.record(
        Object.fromEntries(
          Object.entries((schema["properties"] ?? {}) as object).map(([name, each]) => [
            name,
            named.get(name) ?? allowed(each as JsonSchema),
          ]),
        ),
        { requiredKeys: (schema["required"] ?? []) as string[] },
      )
    default:
      return fc.oneof(text, fc.jsonValue({ maxDepth: 2 }))
  }
}

/** The value with the place that the turns lead to replaced. */
const replacedAt = (value: unknown, [turn, ...turns]: readonly number[], by: unknown): unknown => {
  if (turn === undefined || typeof value !== "object" || value === null) return by
  if (Array.isArray(value)) {
    if (value.length === 0) return [by]
    return value.map((item: unknown, i) => (i === turn % value.length ? replacedAt(item, turns, by) : item))
  }
  const keys = Object.keys(value)
  if (keys.length === 0) return { x: by }
  const at = keys[turn % keys.length]
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, key === at ? replacedAt(item, turns, by) : item]))
}

/** Once and again: one wrong argument hides the next. */
const mutated = (own: fc.Arbitrary<Record<string, unknown>>, properties: readonly string[]) =>
  fc
    .tuple(
      own,
      fc.oneof(fc.constantFrom(...properties, "nothing", "__proto__"), fc.string()),
      fc.array(fc.tuple(fc.array(fc.nat(50), { minLength: 1, maxLength: 4 }), odd), { minLength: 1, maxLength: 2 }),
      fc.option(odd),
    )
    .map(([given, key, edits, more]) => {
      const edited = edits.reduce((value, [turns, by]) => replacedAt(value, turns, by) as Record<string, unknown>, given)
      return more === null ? edited : Object.fromEntries([...Object.entries(edited), [key, more]])
    })

export const toolCall = fc.constantFrom(...tools).chain((tool) => {
  const { inputSchema } = tool.describe()
  const own = allowed(inputSchema) as fc.Arbitrary<Record<string, unknown>>
  return fc.record({
    tool: fc.constant(tool),
    given: fc.oneof(
      { weight: 3, arbitrary: own },
      { weight: 3, arbitrary: mutated(own, Object.keys(inputSchema["properties"] as object)) },
      { weight: 1, arbitrary: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true }) },
    ),
  })
})
