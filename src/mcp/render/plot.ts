/** The reply of `k_plot`: the summary as text and fields, then the picture. */
import * as Base64 from "effect/encoding/Base64"
import * as Match from "effect/Match"
import type { Evaluation } from "../../session/Evaluation.ts"
import type { NotDrawn } from "../../session/plots/Painter.ts"
import type { Picture } from "../../plot/Picture.ts"
import { noticed, type Reply } from "./Reply.ts"
import { kErrorText, notice } from "./evaluation.ts"
import { paragraphs } from "./words.ts"

/** The fields of a reply that `definedTool.ts` reads; a reply has more. */
export type PlotReply = Reply<{ readonly ok: boolean; readonly error?: object; readonly notice?: string }>

/** A reply with the printed output, then the lines, then the notices of the evaluation. */
const plotReply = ({ output, notices, generation }: Evaluation, lines: readonly (string | undefined)[], fields: object): PlotReply =>
  noticed([output.trimEnd(), ...lines], { ...fields, generation, ...(output !== "" && { output }) }, notices.map(notice))

/** `address`: the address of the resource with the picture's SVG. */
export const plotted = (evaluation: Evaluation, picture: Picture, address: string): PlotReply => {
  const { mark, rows, drawn, summary, width, height, png, svg } = picture
  return {
    ...plotReply(evaluation, [...summary, `SVG: ${address}`], { mark, rows, drawn, summary, width, height, svg: address }),
    beside: [
      { type: "image", data: Base64.encode(png), mimeType: "image/png" },
      { type: "resource_link", uri: address, name: "plot.svg", mimeType: "image/svg+xml", size: svg.length },
    ],
  }
}

/** The reply for an error of K. `entry`: the help's entry on the verb that failed. */
export const inError = (evaluation: Evaluation, error: NonNullable<Evaluation["error"]>, entry: string | undefined): PlotReply => {
  const text = kErrorText(error)
  const next = "Fix the code and call k_plot again."
  return plotReply(evaluation, [text, entry, next], {
    ok: false,
    error: { name: error.name, text, ...(entry !== undefined && { entry }), next },
  })
}

/** A refusal after the evaluation has run: output and notices come first, since a notice is told once. */
const refusedAfter = ({ output, notices, generation }: Evaluation, name: string, text: string) => {
  const notes = paragraphs(...notices.map(notice))
  return {
    text: paragraphs(output.trimEnd(), notes, text),
    structured: {
      ok: false,
      error: { name, text },
      ...(output !== "" && { output }),
      generation,
      ...(notes !== "" && { notice: notes }),
    },
    isError: true,
  }
}

export const nothingToDraw = (evaluation: Evaluation, most: number): PlotReply =>
  refusedAfter(
    evaluation,
    "nothing",
    `There is no value to draw: the last statement gives none, or its image takes more than ${Math.floor(most / 1e6)} MB, or it has letters beyond Latin-1 from K3CSharp. Let the last statement be an expression; of more than 10,000,000 numbers take every tenth, or aggregate first. Call k_plot again.`,
  )

const less = "fewer rows or a simpler spec: aggregate in K first, or leave spec out and give mark histogram or heatmap."
const simpler = `Give ${less}`
const longer = `Give a larger timeout_ms, ${less}`

export const notDrawn = (evaluation: Evaluation, { reason }: NotDrawn): PlotReply => {
  const noPicture = (kind: string, problem: string, next: string): PlotReply =>
    refusedAfter(evaluation, kind, `There is no picture: ${problem}. ${next}\nCall k_plot again; the session goes on as it is.`)
  return Match.valueTags(reason, {
    refused: ({ problem, next }) => noPicture("plot", problem, next),
    deadline: ({ ms, waitsFor }) =>
      waitsFor === undefined
        ? noPicture("plot-deadline", `drawing took more than ${ms} ms, and was ended`, longer)
        : noPicture(
            "plot-deadline",
            `the ${ms} ms for it passed while it waited for ${waitsFor}`,
            "Give a larger timeout_ms to wait longer.",
          ),
    memory: ({ most }) => noPicture("plot-memory", `drawing took more than ${most} MB`, simpler),
    gone: () =>
      noPicture(
        "plot-ended",
        "a file of the program that draws was replaced or removed while the server ran",
        "Ask the user to restart the server (reconnect it in the host).",
      ),
    ended: ({ exit: { code, signal }, said }) => {
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`
      return noPicture("plot-ended", `the program that draws ended with ${how}${said === "" ? "" : `: ${said}`}`, simpler)
    },
    spawn: ({ detail }) => noPicture("plot-ended", `the program that draws cannot be started: ${detail}`, "k_status shows the fence."),
  })
}
