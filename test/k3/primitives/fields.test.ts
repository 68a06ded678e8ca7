/** Columns read from bytes are those read from lines and fields as texts, for any bytes. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { Cut, linesIn } from "../../../src/k3/primitives/cutting.ts"
import { table } from "../../../src/k3/primitives/fields.ts"
import { readFloat, readFloatIn, readInt, readIntIn } from "../../../src/k3/primitives/reading.ts"
import { match } from "../../../src/k3/values/match.ts"
import { bytes, char, chars, Floats, Ints, List, NULL_INT, sym, Symbols, type Value } from "../../../src/k3/values/value.ts"

const linesOf = (text: string): string[] => {
  const lines = text.split("\n")
  const last = lines.pop()!
  return [...lines.map((line) => line.replace(/\r$/, "")), ...(last === "" ? [] : [last])]
}

const column = (type: string, fields: readonly string[]): Value => {
  if (type === "I") return new Ints(Int32Array.from(fields, readInt))
  if (type === "F") return new Floats(Float64Array.from(fields, readFloat))
  return type === "S"
    ? new Symbols(Int32Array.from(fields, (field) => sym(field.trim()).id))
    : new List(fields.map((field) => chars(field)))
}

const wanted = (types: string, rows: readonly (readonly string[])[]): Value =>
  new List(
    [...types].flatMap((type, i) =>
      type === " "
        ? []
        : [
            column(
              type,
              rows.map((row) => row[i] ?? ""),
            ),
          ],
    ),
  )

/** Matching takes floats for the same that are not. */
const expectSame = (given: Value, wanted: Value): void => {
  expect(match(given, wanted)).toBe(true)
  const floats = (x: Value): unknown => (x instanceof List ? x.v.map(floats) : x instanceof Floats ? [...x.v] : 0)
  expect(floats(given)).toEqual(floats(wanted))
}

const number = fc.oneof(
  fc.integer().map(String),
  fc.double().map(String),
  fc.tuple(fc.integer({ min: -99999, max: 99999 }), fc.nat(999999)).map(([a, b]) => `${a}.${b}`),
  fc.constantFrom(
    "0N",
    "0I",
    "-0I",
    "0n",
    "0i",
    "-0i",
    "-0",
    "-0.0",
    "+5",
    "+.5",
    ".",
    "-",
    "-.",
    "1.",
    ".5",
    "1e5",
    "1.2.3",
    "--1",
    "0x1",
  ),
  fc.constantFrom("9007199254740993", "9007199254740991", "900719925474099.3", "0.1234567890123456", "12345678901234567", "2147483648"),
  fc.bigInt({ min: 0n, max: 10n ** 17n }).map((n) => `${n}`.replace(/(.{3})$/, ".$1")),
)
const field = fc.oneof(
  number,
  number.map((text) => ` ${text}\t`),
  fc.constantFrom("", " ", "a", " ab ", "\u00a0x\u00a0", "\r", "a\rb", "same", "z".repeat(300)),
  fc.integer({ min: 0, max: 400 }).map((n) => `s${n}`),
)
const text = fc
  .array(fc.array(field, { maxLength: 4 }), { maxLength: 30 })
  .chain((rows) =>
    fc.tuple(
      fc.constantFrom(",", "\t", "\r", "a", " "),
      fc.constantFrom("\n", "\r\n"),
      fc.boolean(),
      fc.constantFrom(1, 1, 1, 35, 70),
      fc.constant(rows),
    ),
  )
  .map(([separator, newline, ended, times, rows]) => {
    const lines = Array.from({ length: times }, () => rows.map((row) => row.join(separator))).flat()
    return { separator, text: lines.join(newline) + (ended && lines.length > 0 ? newline : "") }
  })
const types = fc.string({ unit: fc.constantFrom("I", "F", "S", "C", " "), maxLength: 5 })

it("by a separator", () => {
  fc.assert(
    fc.property(types, text, (letters, { separator, text }) => {
      const rows = linesOf(text).map((line) => line.split(separator))
      expectSame(table(chars(letters), char(separator.charCodeAt(0)), bytes(text)), wanted(letters, rows))
      const names = [...letters].flatMap((type, i) => (type === " " ? [] : [rows[0]?.[i] ?? ""]))
      const named = new List([column("S", names), wanted(letters, rows.slice(1))])
      expectSame(table(chars(letters), chars(separator), bytes(text)), named)
    }),
    { numRuns: 300 },
  )
})

it("by widths", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom("I", "F", "S", "C", " "), fc.nat(6)), { maxLength: 5 }), text, (columns, { text }) => {
      const letters = columns.map(([type]) => type).join("")
      const widths = columns.map(([, width]) => width)
      const starts = widths.map((_, i) => widths.slice(0, i).reduce((sum, width) => sum + width, 0))
      const rows = linesOf(text).map((line) => widths.map((width, i) => line.slice(starts[i], starts[i]! + width)))
      expectSame(table(chars(letters), new Ints(Int32Array.from(widths)), bytes(text)), wanted(letters, rows))
    }),
    { numRuns: 300 },
  )
})

it("lines that end around the ends of blocks", () => {
  const around = [0, 1, 2, 255, 256, 257, 8447, 8448, 8449, 16_640].flatMap((n) => [n - 1, n, n + 1])
  const place = fc.constantFrom(...around)
  fc.assert(
    fc.property(place, fc.array(place), fc.array(place), fc.constantFrom("x", "\n", "\r"), (n, newlines, returns, other) => {
      const all = new Array<string>(Math.max(0, n)).fill(other)
      for (const at of newlines) if (at < n && at >= 0) all[at] = "\n"
      for (const at of returns) if (at < n && at >= 0) all[at] = "\r"
      const { of, starts, ends } = linesIn(bytes(all.join("")))
      expect(Array.from(ends, (end, i) => String.fromCharCode(...of.v.subarray(starts[i], end)))).toEqual(linesOf(all.join("")))
    }),
    { numRuns: 200 },
  )
})

it("lines longer than what is paid for at once", () => {
  const long = `1,${"x".repeat(100_000)},2.5\n3,y,\n`
  expectSame(
    table(chars("ICF"), char(44), bytes(long)),
    wanted("ICF", [
      ["1", "x".repeat(100_000), "2.5"],
      ["3", "y"],
    ]),
  )
})

it("numbers are those that their texts read as", () => {
  fc.assert(
    fc.property(number, (text) => {
      const v = bytes(`7${text}7`)
      expect(readIntIn(v, 1, v.length - 1)).toBe(readInt(text))
      expect(readFloatIn(v, 1, v.length - 1)).toBe(readFloat(text))
    }),
    { numRuns: 3000 },
  )
})

it("many columns take the memory of one row of fields at a time", () => {
  const columns = 200_000
  const cut = new Cut(bytes("1,2\n3\n"), columns, 44)
  const { starts, ends } = cut.places(0)
  expect([starts.length, ends.length]).toEqual([columns, columns])
  const read = table(chars("I".repeat(columns)), char(44), bytes("1,2\n3\n")) as List
  expect(read.v.length).toBe(columns)
  expect(read.v.slice(0, 3)).toEqual(
    [
      [1, 3],
      [2, NULL_INT],
      [NULL_INT, NULL_INT],
    ].map((v) => new Ints(Int32Array.from(v))),
  )
})

it.each([1, 63, 64, 65, 100, 1000, 65_536, 65_537])("%i columns of more rows than are cut at a time", (columns) => {
  const rows = columns > 1000 ? 3 : 1030
  const lines = Array.from({ length: rows }, (_, i) => `${i},${i + 1}\n`).join("")
  const types = "I".repeat(columns)
  for (const how of [char(44), new Ints(new Int32Array(columns).fill(1))]) {
    const { v } = table(chars(types), how, bytes(lines)) as List
    expect((v[0] as Ints).v.length).toBe(rows)
    expect((v[0] as Ints).v[rows - 1]).toBe(how instanceof Ints ? Number(String(rows - 1)[0]) : rows - 1)
    expect((v[columns - 1] as Ints).v[0]).toBe(columns === 1 ? 0 : NULL_INT)
  }
})

it.each([
  ['name,qty\n"Smith, John",3\n', true],
  ['"two\nlines",3\n', true],
  ['3,"two\r\nlines"\r\n', true],
  ['"a,b"\n', true],
  ['"Smith",3\n"",4\n', false],
  ['3,"x"\r\n', false],
  ["it's,5\n", false],
])("that %j has a field in quotes which was cut is told: %s", (text, isCut) => {
  for (const separator of [char(44), chars(",")]) {
    let told = false
    table(chars("CC"), separator, bytes(text), () => (told = true))
    expect(told).toBe(isCut)
  }
})
