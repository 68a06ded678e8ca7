/** No result shows the memory's old contents: verbs give the same results in unfilled memory as in memory of zeros. */
import { expect, it } from "vitest"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

const setting = ["n:9001", "v:n#0 1 0 0 2", "z:n#0 0 1", "f:0.5*v", "s:n#`a``b", 'c:n#"ab "', "l:$v", "`t 6:9000#c", "`u 0:l"]
const statements = [
  "n#0",
  "n#0.0",
  'n#" "',
  "n#`",
  "(-n)#0 1",
  "n#!0",
  "&z",
  "&v",
  "&n#0",
  "&n#2",
  "v+1",
  "v!2",
  "v<1",
  "~z",
  "+\\v",
  "5+\\v",
  "+\\f",
  "-':v",
  "<v",
  ">f",
  "<s",
  "?v",
  "=z",
  "v?/:v",
  "s?/:s",
  "c?/:c",
  "v _lin 0 2",
  "s _lin s",
  "v[|!n]",
  "3!c",
  "1_ s",
  "|f",
  "v,0",
  "c,c",
  ",/l",
  '_ssr[l;"0";""]',
  'l _ss "0"',
  "_db _bd v",
  "_db _bd l",
  '("cc";1 1)1:`t',
  '("IFSC";1 1 1 1)0:`u',
  "0:`u",
  "+(v;v)",
  "@[v;&v=0;:;0]",
  "f[&z]",
  "_ci v",
  "_ic c",
  "5 0#0",
  "n#,0",
]

const printed = (statement: string, unfilled: boolean): string => {
  const host = memoryHost()
  const interpreter = makeInterpreter(unfilled ? host : { ...host, unfilled: undefined })
  for (const each of setting) expect(interpreter.evaluate(each)).toBeUndefined()
  expect(interpreter.evaluate(statement)?.rendered).toBeUndefined()
  return host.take()
}

it.each(statements)("%s", (statement) => expect(printed(statement, true)).toBe(printed(statement, false)))
