/**
 * The limits on the length and number of the things that a client sends or makes, as one table. Guarantees: above a limit the answer is an error
 * that names the limited thing (a test walks the table). Does not: list limits that a setting sets (`Settings.ts`), or lengths at which shown text
 * is cut.
 */

const MiB = 1024 ** 2

export const limits = {
  /** Bytes of one message. */
  message: 64 * MiB,
  /** Levels of objects and lists in one message. */
  nesting: 100_000,
  /** Objects, lists and commas in one message. Written as K, more values are longer than code may be. */
  values: 8 * MiB,
  /** Characters of a request's id, and of a progress token. */
  id: 256,
  /** Characters of the name of a method. */
  method: 128,
  /** Characters of the address of a resource or subscription. */
  address: 2048,
  /** Characters of the name of a tool or prompt that is called. */
  calledName: 128,
  /** Characters of a text to complete. */
  completed: 4096,
  /** Unanswered requests of one connection. */
  requests: 20_000,
  /** Bytes of the messages of unanswered requests: of one connection, over HTTP of one principal. */
  requestBytes: 256 * MiB,
  /** Resources that one connection watches. */
  watched: 1000,
  /** Calls that wait for one session. */
  waiting: 10_000,
  /** Background evaluations that run or wait. */
  background: 64,
  /** Characters of a tool's argument other than code. */
  argument: 16 * 1024,
  /** Items of a list that is a tool's argument. */
  argumentItems: 10_000,
  /** Levels of objects and lists in a tool's argument, also in one that is given as text. */
  argumentNesting: 1000,
  /** Characters of code in one call. */
  code: 16 * MiB,
  /** Statements of code in one call. */
  statements: 100_000,
  /** Characters of code that is checked without running it. */
  validated: 100_000,
  /** Checks that a reload runs on both builds. */
  checks: 200,
  /** Snapshots of a session. */
  snapshots: 20,
  /** Tools made of K. */
  definitions: 32,
  /** Characters of the code of a defined tool, of its description, and of a parameter's description; the number of its parameters. */
  definedCode: 16 * 1024,
  definedDescription: 1000,
  parameterDescription: 200,
  parameters: 16,
  /** Examples of a defined tool, and characters of their JSON. */
  examples: 20,
  exampleText: 64 * 1024,
} as const

/** The names of sessions and snapshots. */
export const namePattern = /^[\w.-]{1,64}$/
