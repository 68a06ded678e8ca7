/** The results of the kept examples of defined tools, as text and fields. */
import type { Tried } from "../examples.ts"
import { indent, paragraphs, plural, some } from "./words.ts"

const mostFailing = 20

export const examplesOutput = ({ ran, failing }: Tried) => ({ ran, failing: failing.slice(0, mostFailing) })

export const ranText = ({ ran, failing }: Tried, where = ""): string =>
  paragraphs(
    ran === 0
      ? undefined
      : failing.length === 0
        ? `${plural(ran, "example")} of tools${where} ${ran === 1 ? "gives" : "give"} what ${ran === 1 ? "it" : "they"} should.`
        : `${failing.length} of ${plural(ran, "example")} of tools${where} ${failing.length === 1 ? "fails" : "fail"}:`,
    ...failing
      .slice(0, mostFailing)
      .map(({ tool, example, expected, got }) => indent(`${tool} example ${example}: expected ${expected}, got ${got}`)),
    failing.length > mostFailing ? `${failing.length - mostFailing} more are left out.` : undefined,
  )

/** A sentence on the tools whose examples were not run; undefined without one. */
export const notRunText = ({ left }: Tried): string | undefined =>
  left.length === 0 ? undefined : `Not run, since they may do more than give a value: ${some(left)}; k_define test with a name runs them.`

export const examplesText = (tried: Tried, where?: string): string => paragraphs(ranText(tried, where), notRunText(tried))
