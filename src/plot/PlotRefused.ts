/** A picture that cannot be drawn. The message is the problem; `next` is the next step. A sentence each. */
import { longestSentence } from "./Picture.ts"
import { shortened } from "../shortened.ts"

export class PlotRefused extends Error {
  constructor(
    problem: string,
    readonly next: string,
  ) {
    super(shortened(problem, longestSentence))
  }
}
