/** A text as errors and status show it: whole, or its beginning and `…`, no longer than `most` characters. */
export const shortened = (text: string, most = 200): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text)
