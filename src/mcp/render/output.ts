/** The reply of `k_output`. */
import type { FoundLines, Page } from "../../session/output/pages.ts"
import { noticed, type Reply } from "./Reply.ts"
import { paragraphs, plural } from "./words.ts"

export const page = (handle: string, { bytes, gap, span, line, text, next }: Page) => {
  const isGapNext = next?.unit === "byte" && gap[0] < gap[1] && next.from === gap[1]
  return noticed(
    [text.replace(/\n$/, "")],
    { bytes, ...(line !== undefined && { line }), span, output: text, ...(next !== undefined && { next }) },
    [
      text === ""
        ? `${handle} has nothing there; it has ${plural(bytes, "byte")}.`
        : `That was ${line === undefined ? "" : `line ${line} and on, `}bytes ${span[0]} to ${span[1] - 1} of ${bytes}.`,
      isGapNext ? `Bytes ${gap[0]} to ${gap[1] - 1} were not kept.` : undefined,
      next && `More: k_output ${handle} with from ${next.from}${next.unit === "byte" ? " and unit byte" : ""}.`,
    ],
  )
}

export const found = (handle: string, find: string, { bytes, gap, lines, next }: FoundLines): Reply => {
  const missing =
    gap[0] < gap[1] ? `Bytes ${gap[0]} to ${gap[1] - 1} of ${handle} were not kept: their lines were not searched.` : undefined
  return {
    text: paragraphs(
      lines.length === 0
        ? `No line of ${handle}${missing === undefined ? "" : " that was kept"} holds ${JSON.stringify(find)}.`
        : undefined,
      ...lines.map(({ line, text }) => `${line}: ${text}`),
      missing,
      next === undefined ? undefined : `More: k_output ${handle} with the same find and from ${next}.`,
    ),
    structured: {
      ok: true,
      bytes,
      lines,
      ...(next !== undefined && { next: { from: next } }),
      ...(missing !== undefined && { notice: missing }),
    },
  }
}
