/** An entry of the help: its form, the keys that open it, and its text. Examples are K with its output; tests run every one. */

/** K statements, one per line, and the console's output for them in a fresh session. */
export type Example = readonly [code: string, prints: string]

type EntryKind = "verb" | "name" | "adverb" | "control" | "command" | "error" | "topic" | "idiom"

export interface HelpEntry {
  readonly kind: EntryKind
  /** The entry as it is written in K: `x+y`, `_ss`, `f/x`, `\l`, `type`, `sum`. Unique within a kind. */
  readonly form: string
  /** Queries that open the entry when they match exactly. Entries may share a key: `+` opens both of its valences. */
  readonly keys: readonly string[]
  /** One line. */
  readonly title: string
  /** The class of a verb, or the group of an idiom. */
  readonly group: string
  /** Sentences; in a topic, examples stand between them. */
  readonly body: readonly (string | Example)[]
  /** Words that people search by and that are not in the entry's text. */
  readonly words: string
  /** Keys of other entries. */
  readonly related: readonly string[]
}

const example = ([code, prints]: Example): string =>
  `  ${code.replaceAll("\n", "\n  ")}\n${prints === "" ? "" : prints.replaceAll(/^/gm, "    ")}`.trimEnd()

/** An entry as plain text. */
export const entryText = ({ form, title, group, kind, body, related }: HelpEntry): string =>
  [
    kind === "topic" || kind === "error" ? title : `${form}  ${title}${kind === "idiom" || group === "" ? "" : `  (${group})`}`,
    ...body.map((part) => (typeof part === "string" ? part : example(part))),
    ...(related.length === 0 ? [] : [`See also: ${related.join("  ")}`]),
  ].join("\n")

/** An entry as Markdown: a topic as a page, any other entry below a heading of level 3. */
export const entryMarkdown = ({ form, title, kind, body, related }: HelpEntry): string =>
  [
    kind === "topic" ? `# ${title}` : `### \`\` ${form} \`\` ${title}`,
    ...body.map((part) => (typeof part === "string" ? part : `\`\`\`k\n${example(part)}\n\`\`\``)),
    ...(related.length === 0 ? [] : [`See also: ${related.map((key) => `\`\` ${key} \`\``).join(", ")}`]),
  ].join("\n\n")
