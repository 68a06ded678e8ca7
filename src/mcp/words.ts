/** Lines and numbers as a person reads them. */

export const indent = (text: string): string => text.trimEnd().replaceAll(/^/gm, "  ")
export const paragraphs = (...parts: readonly (string | undefined)[]): string => parts.filter((part) => part).join("\n")
export const plural = (n: number, word: string, many = `${word}s`): string => `${n} ${n === 1 ? word : many}`
