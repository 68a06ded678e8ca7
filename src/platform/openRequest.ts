/** Parses the command line of `k3-mcp open`. */

/** The flags of `open` that are no settings. */
export const openFlags = {
  print: { type: "boolean" },
  "read-only": { type: "boolean" },
  session: { type: "string" },
} as const

export interface OpenRequest {
  /** An address, a working folder or a state folder; undefined for the working folder. */
  readonly target: string | undefined
  /** Print the link and open no browser. */
  readonly print: boolean
  readonly isReadOnly: boolean
  readonly session: string | undefined
}

type Values = Partial<Readonly<Record<keyof typeof openFlags | "state-dir", unknown>>>

const text = (given: unknown): string | undefined => (typeof given === "string" ? given : undefined)

export const openRequest = ([first, target, ...more]: readonly string[], values: Values): OpenRequest | undefined =>
  first === "open" && more.length === 0
    ? {
        target: target ?? text(values["state-dir"]),
        print: values.print === true,
        isReadOnly: values["read-only"] === true,
        session: text(values.session),
      }
    : undefined
