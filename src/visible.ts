/**
 * Makes control characters in a text for a terminal or a model visible. Guarantees: no character of the result moves a cursor, changes a colour,
 * or turns the direction of text: such characters become escapes as in K or JSON. Line ends and tabs stay. Does not: apply to data; only texts for
 * reading pass here.
 */

/** C0 but tab and line end, DEL, C1, and the marks that override the direction of text. */
// oxlint-disable-next-line no-control-regex
export const active = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

const shown = (c: string): string => {
  const code = c.charCodeAt(0)
  return code < 32 ? `\\${code.toString(8).padStart(3, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`
}

export const visible = (text: string): string => text.replaceAll(active, shown)
