/** Generated sections of a document: the text between `<!-- name -->` and `<!-- /name -->`. */

/** The document with these sections replaced; a section without marks in the document is an error. */
export const withSections = (page: string, sections: Readonly<Record<string, string>>): string =>
  Object.entries(sections).reduce((text, [name, content]) => {
    const part = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`)
    if (!part.test(text)) throw new Error(`there is no <!-- ${name} --> … <!-- /${name} -->`)
    return text.replace(part, (_, open: string, close: string) => `${open}\n${content}\n\n${close}`)
  }, page)

/** The text as a cell of a Markdown table. */
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", "⏎")

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n")
