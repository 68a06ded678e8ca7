/** Why there is no picture: what is wrong, and what to do next, a sentence each. */
export class Refused extends Error {
  constructor(
    readonly problem: string,
    readonly next: string,
  ) {
    super(problem)
  }
}
