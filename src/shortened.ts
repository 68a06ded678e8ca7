/** A text of at most `most` characters: the whole text, or its beginning and `…`. For errors and status. Cuts no surrogate pair apart. */
export const shortened = (text: string, most = 200): string =>
  text.length > most ? `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…` : text
