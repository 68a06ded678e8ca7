/** Strings that lie in one array print, join and are written as the same strings one by one. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { makeInterpreter } from "../../../src/k3/k3.ts"
import { memoryHost } from "../../lib/memoryHost.ts"

const programs = [
  "$n",
  "$f",
  "$s",
  '"t"0:$n\n0:"t"',
  "l",
  "#l",
  "l,'l",
  "($s),'\",\",'($f),'\",\",'$n",
  'l,\\:"; "',
  '"<",/:l,\\:">"',
  "l,'n",
  "l,'s",
  "l,\\:l 0",
  "l,\\:()",
  "(),/:l",
  '"ab",/:l',
  '"abc",\'3#l',
  "l,/:2#l",
  'a:l;a[3]:"new";(a;l)',
  'a:l;a,:,"new";(#a;#l)',
  'a:l;a[2],:"more";(a;l)',
  "l[2 1]",
  "l~0$$l",
  "l@<l",
  "?l",
  "=l",
  "`$l",
  "0$l",
  '_ssr[l;"1";"one"]',
  'l _ss "1"',
  'l _ss "[0-4]?"',
  'l _ss ("1";"2")',
  'l _ss ""',
  '_ssr[l;"[0-4]";""]',
  "_ssr[l;1;`abc]",
  '_ssr[l;"1";{x,x}]',
  '_ssr[l;"";"x"]',
  "(4:l;^l)",
  'a:500#,"same";^$1000+!2000',
  "|l",
  "+/#:'l",
  ",/l",
  '("ab",/l;1,/l;n,/l)',
  "(,/=n;,/r)",
  "q:n,/:\\:!3;(#,/q;(,/q)~,/{x[0]:x 0;x}q)",
  "_db _bd l",
  "(#_bd l;_bd 40#l)",
  "_bd s@=n",
  "p",
  "(r;^r;4:r)",
  "(#_bd p;_bd 40#p)",
  "(_db _bd r)~r",
  "(^p;^-1_ p;^{2#p 0}'p;^(p;p);^(1 2;p;p))",
  "(*p;*:'p;#:''p;+/#:'p)",
  ",/p",
  "p@<#:'p",
  "(?p;=#:'p)",
  'p[0]:,"new";(p 0;#p)',
  'p,:,,"new";(*|p;#p)',
  "p,'l",
  "(p~{x}'p;p~l)",
  "(|p;2#|p)",
  "(r[;0];+/r[;1])",
  '"v"1:p\n(1:"v")~p',
  '.[p;(0;0);,;"x"] 0',
  "(_bd f@=n;_db _bd f@=n)",
  '"u"0:l\n6:"u"',
  '"u"6:l\n6:"u"',
  '"u"0:0:"w"\n(6:"u";6:"w")',
  "(#:'=n;+/'n@=n;+/'f@=n)",
  "g:=n;(g 0;s@g;g~{x}'g;#:'g)",
  'n@l _ss "1"',
  "@[{(-1_ f)@x};=n;:]",
  '"v"1:=n\n(1:"v")~=n',
  "g:=n;g[0],:9;(#g 0;g 1)",
  '"v"1:l\n(1:"v")~l',
  '"u"0:l\n("C";",")0:"u"',
  '"u"0:($n),\'",",\'l\n("IC";",")0:"u"',
]

/** The output of a program after this setting; with `one`, its strings are made one by one. */
const printed = (setting: readonly string[], program: string, one: boolean): string => {
  const host = memoryHost()
  const interpreter = makeInterpreter(host)
  // An amended list has items.
  const lists = setting.flatMap(([name, colon]) => (colon === ":" && "lpr".includes(name!) ? [`${name}:one ${name}`] : []))
  const made = one ? ["one:{x[0]:x 0;x}", ...setting, ...lists] : setting
  for (const statement of [...made, ...program.split("\n")]) {
    const failure = interpreter.evaluate(one ? statement.replaceAll(/\$(?=[nfs])/g, "one@$") : statement)
    if (failure !== undefined) return host.take() + failure.rendered.split("\n")[0]!
  }
  return host.take()
}

// Tests have one seed: a random length would be the same ones for each program.
it.each(programs.flatMap((program) => [1, 1023, 1024, 8193].map((n) => [program, n] as const)))("%s, n = %i", (program, n) => {
  fc.assert(
    fc.property(fc.integer({ min: -9, max: 2_000_000 }), fc.nat(3), (start, empty) => {
      const all = [
        `n:${start}-17*!${n}`,
        "n[0]:0N",
        "f:0.25*n",
        `f[0]:0n`,
        `s:${n}#\`a\`bc\`def\``,
        `l:$(n!7)*n!${1 + empty}`,
        'p:{(0,1+&x="1")_ x,"1"}\'l',
        "r:{(x;x+0 1)}'n",
        '"w"6:"ab\\n\\nc\\r\\nlonger",/$n',
      ]
      const isUsed = (text: string): boolean => {
        const [name] = /^\w|^"w"/.exec(text)!
        return !["p", "r", '"w"'].includes(name) || new RegExp(`(?<![\\w"])${name}(?!\\w)`).test(program)
      }
      const setting = all.filter(isUsed)
      expect(printed(setting, program, false)).toBe(printed(setting, program, true))
    }),
    { numRuns: 1 },
  )
})

it.each([
  "g~h",
  "(+/'v@g)~{+/v x}'h",
  "(|/'k@g)~|/'k@h",
  "(v@g)~v@h",
  "(#:'g)~#:'h",
  "(,/g)~,/h",
  "(_db _bd g)~h",
  "(_bd g)~_bd h",
  "a:g;a[0],:9;b:h;b[0],:9;a~b",
  "g[2;3]=h[2;3]",
  "(g@<#:'g)~h@<#:'h",
  "(^g)~^h",
  "(2#|g)~2#|h",
  "(g,'1)~h,'1",
  "({x}'g)~h",
  "(-1_ g)~-1_ h",
])("few classes of many items: %s", (program) => {
  const host = memoryHost()
  const interpreter = makeInterpreter(host)
  for (const statement of ["k:40000#!7", "k[5]:9", "v:0.5*!40000", "g:=k", "h:=k", "h[0]:h 0", program])
    expect(interpreter.evaluate(statement)).toBeUndefined()
  expect(host.take()).toBe("1\n")
})
