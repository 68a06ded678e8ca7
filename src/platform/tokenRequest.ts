/** Parses the command line of `k3-mcp token`. */

/** The flags of `token add`. */
export const tokenFlags = {
  as: { type: "string" },
  "read-only": { type: "boolean" },
  expires: { type: "string" },
  sessions: { type: "string" },
  memory: { type: "string" },
  evaluations: { type: "string" },
  calls: { type: "string" },
} as const

export type TokenFlags = Partial<Readonly<Record<keyof typeof tokenFlags, unknown>>>

export interface TokenRequest {
  readonly action: "show" | "add" | "list" | "remove"
  readonly name: string | undefined
  readonly flags: TokenFlags
}

export const tokenRequest = ([first, action, name, ...more]: readonly string[], flags: TokenFlags): TokenRequest | undefined =>
  first === "token" &&
  ((action === "show" && name === undefined) || action === "add" || action === "list" || action === "remove") &&
  more.length === 0
    ? { action, name, flags }
    : undefined
