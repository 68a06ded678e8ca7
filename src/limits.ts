/**
 * What a client can make long or many, and how far: one table. Guarantees: where a limit is reached, the answer is an error that names
 * what there is too much of (a test walks the table). Does not: list what a setting bounds (`Settings.ts`), or what is cut short when it is
 * shown.
 */

const MiB = 1024 ** 2

export const limits = {
  /** Bytes of one message. */
  message: 64 * MiB,
  /** Characters of a request's id, and of a progress token. */
  id: 256,
  /** Characters of the name of a method. */
  method: 128,
  /** Characters of an address: of a resource, of a subscription. */
  address: 2048,
  /** Characters of the name of a tool or prompt that is called. */
  calledName: 128,
  /** Characters of what is to be completed. */
  completed: 4096,
  /** Requests of one connection that were not answered yet. */
  requests: 20_000,
  /** Bytes of the messages they came in. */
  requestBytes: 256 * MiB,
  /** Resources that one connection watches. */
  watched: 1000,
  /** Calls that wait for one session. */
  waiting: 10_000,
  /** Evaluations in the background that run or wait. */
  background: 64,
  /** Characters of an argument of a tool that is no code. */
  argument: 16 * 1024,
  /** Characters of code in one call. */
  code: 16 * MiB,
  /** Characters of code that is checked without running it. */
  validated: 100_000,
  /** K that a reload compares on both builds. */
  checks: 200,
  /** Snapshots of a session. */
  snapshots: 20,
  /** Tools made of K. */
  definitions: 32,
  /** Characters of the code of such a tool, of its description, and of a parameter's; its parameters. */
  definedCode: 16 * 1024,
  definedDescription: 1000,
  parameterDescription: 200,
  parameters: 16,
  /** Examples that such a tool keeps, and characters of their JSON. */
  examples: 20,
  exampleText: 64 * 1024,
} as const

/** Names of sessions and snapshots. */
export const namePattern = /^[\w.-]{1,64}$/
