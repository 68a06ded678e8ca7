/** Takes the advice for agents out of a reply, for the console and the page. Pure. */

/** A line, or the end of a line, that names a tool to call. A line that begins with a blank is code. */
const advice = /(?:(?:^|\n)(?:Call|Define|The next)|([.;]) (?:[Cc]all|(?=k_)))\b.*\bk_[a-z]+\b.*/g

export const forPeople = (text: string): string => text.replaceAll(advice, (_, end?: string) => (end === undefined ? "" : "."))
