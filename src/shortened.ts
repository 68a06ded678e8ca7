/** The first characters of a text, at most `most` UTF-16 units. Cuts no surrogate pair apart. */
export const firstCharacters = (text: string, most: number): string => text.slice(0, most).replace(/[\ud800-\udbff]$/, "")

/** A text of at most `most` characters: the whole text, or its beginning and `…`. For errors and status. */
export const shortened = (text: string, most = 200): string => (text.length > most ? `${firstCharacters(text, most - 1)}…` : text)
