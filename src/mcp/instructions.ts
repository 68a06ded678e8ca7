/** The server's instructions for every client, below 900 characters: its purpose, the most important tools, the worst traps of K. */
export const instructions = `A persistent K3 session (K, the array language of Kx): variables stay between calls; a runaway or crashing evaluation is ended and reported, and the session goes on.

k_eval runs code. k_inspect shows variables. k_help explains a verb, name or error, and finds tested K for a task in words ("moving average"): ask it before you guess; K is not J, APL, q or Kona. Another session name is another workspace. A changed generation in a reply means a fresh interpreter.

K's worst traps: evaluation goes right to left without precedence (2*3+4 is 14). % divides and gives a float, and a blank before / starts a comment: +/x sums, + /x does not. A function whose } stands on a line of its own returns nothing: put } behind the last expression.`
