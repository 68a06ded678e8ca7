/** Traces an evaluation in lines: each statement, and below it its calls, indented by depth, and the variables that they write. */
import type { Context, Trace } from "../compile/Context.ts"
import { PREVIEW, preview } from "../values/preview.ts"
import { NIL } from "../values/value.ts"

export const traceTo = (line: (text: string) => void, k: Pick<Context, "depth" | "precision">): Trace => {
  const indent = (levels: number): string => "  ".repeat(levels)
  return {
    called: ({ name, source }, args) => {
      const shown = name ?? (source.length > PREVIEW ? `${source.slice(0, PREVIEW)}…` : source).replaceAll("\n", ";")
      line(`${indent(k.depth.n)}${shown}[${args.map((x) => preview(x, k.precision)).join(";")}]`)
    },
    wrote: (cell) => line(`${indent(k.depth.n + 1)}${cell.name.text}: ${preview(cell.value ?? NIL, k.precision)}`),
  }
}
