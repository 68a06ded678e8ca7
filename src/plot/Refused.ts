/** A picture that cannot be drawn: the problem and the next step, a sentence each. */
export class Refused extends Error {
  constructor(
    readonly problem: string,
    readonly next: string,
  ) {
    super(problem)
  }
}
