/** An entry of the help: what it is called, what opens it, and its text. Examples are K and what it prints; tests run every one. */

/** K, statements on lines of their own, and what the console prints for it in a fresh session. */
export type Example = readonly [code: string, prints: string]

export type EntryKind = "verb" | "name" | "adverb" | "control" | "command" | "error" | "topic" | "idiom"

export interface Entry {
  readonly kind: EntryKind
  /** As it is written: `x+y`, `_ss`, `f/x`, `\l`, `type`, `sum`. No two entries of a kind share it. */
  readonly form: string
  /** What opens it, exactly. Several entries may share one: `+` opens both of its valences. */
  readonly keys: readonly string[]
  /** One line. */
  readonly title: string
  /** Class of a verb, group of an idiom. */
  readonly group: string
  /** Sentences; in a topic with examples between them. */
  readonly body: readonly (string | Example)[]
  /** Words people use for it that stand nowhere else in it. */
  readonly words: string
  /** Keys of other entries. */
  readonly related: readonly string[]
}

const example = ([code, prints]: Example): string =>
  `  ${code.replaceAll("\n", "\n  ")}\n${prints === "" ? "" : prints.replaceAll(/^/gm, "    ")}`.trimEnd()

/** All of an entry, as plain text. */
export const entryText = ({ form, title, group, kind, body, related }: Entry): string =>
  [
    kind === "topic" || kind === "error" ? title : `${form}  ${title}${kind === "idiom" || group === "" ? "" : `  (${group})`}`,
    ...body.map((part) => (typeof part === "string" ? part : example(part))),
    ...(related.length === 0 ? [] : [`See also: ${related.join("  ")}`]),
  ].join("\n")

/** The same as Markdown, below a heading of level 3; a topic is a page of its own. */
export const entryMarkdown = ({ form, title, kind, body, related }: Entry): string =>
  [
    kind === "topic" ? `# ${title}` : `### \`\` ${form} \`\` ${title}`,
    ...body.map((part) => (typeof part === "string" ? part : `\`\`\`k\n${example(part)}\n\`\`\``)),
    ...(related.length === 0 ? [] : [`See also: ${related.map((key) => `\`\` ${key} \`\``).join(", ")}`]),
  ].join("\n\n")
