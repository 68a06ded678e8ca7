/** Takes the advice for agents out of a reply, for the console and the page. Pure. */

/**
 * A line, or the end of a line, that names a tool to call. A line that begins with a blank is code. A tool's name at the beginning of a sentence has a
 * word behind it, which a name in code has not.
 */
const advice = /(?:(?:^|\n)(?:Call|Define|The next)|([.;]) (?:[Cc]all|(?=k_[a-z]+ [a-z]))\b(?<=^\S.*))\b.*\bk_[a-z]+\b.*/gm

export const forPeople = (text: string): string => text.replaceAll(advice, (_, end?: string) => (end === undefined ? "" : "."))
