/** Takes the advice for agents out of a reply, for the console and the page. Pure. */

/** A line that tells which tool to call. */
const isAdvice = (line: string): boolean => /^(?:Call|Define|The next)\b.*\bk_[a-z]+\b/.test(line)

/** The end of a line that names a tool. A tool's name at the beginning of a sentence has a word behind it, which a name in code has not. */
const advice = /[.;] (?:[Cc]all\b.*\bk_[a-z]+\b|k_[a-z]+ [a-z]).*/

/** A line that begins with a blank is code, and stays. */
const shown = (line: string): string => (/^\s/.test(line) ? line : line.replace(advice, "."))

export const forPeople = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !isAdvice(line))
    .map(shown)
    .join("\n")
