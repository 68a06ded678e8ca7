/** A prompt: explore a file of data. */
import { call, type Prompt } from "./Prompt.ts"

export const exploreData: Prompt = {
  name: "explore-data",
  title: "Explore this data file",
  description: "Types, counts, gaps and extremes of a file's columns, and the first questions to ask it.",
  arguments: [{ name: "file", description: "path of the file, below the roots", required: true }],
  text: ({ file = "" }) => `Explore the data in ${file}. Say what each column holds before you conclude anything from it.

1. See its size and first lines: the separator, names, quotes.
${call("k_eval", { code: `f:${JSON.stringify(file)}\n_size f\n0:(f;0;400&_size f)` })}
2. Read it as symbols first, then again with a letter a column: I int, F float, S symbol, C string, a blank leaves it out. With quotes in it, take k_help "csv-quoted".
${call("k_eval", { code: 'read:{c:(x;,",")0:f;.+c}\nt:read(1+#(*0:(f;0;4000&_size f))_ss ",")#"S"\n!t' })}
3. Counts, types, gaps, extremes:
${call("k_eval", { code: "gaps:{:[-1=4:x;x=0N;-2=4:x;x=0n;-4=4:x;x=`;0=#:'x]}\n#:'t[]\n4:'t[]\n+/'gaps't[]\n{v:x@&~gaps x;:[#v;(*v@<v;*v@>v);()]}'t[]" })}
4. Few different values make groups, as many as rows a key:
${call("k_eval", { code: "#:'?:'t[]\nmost:{g:=x;o:>#:'g;((#o)&5)#+((?x)o;(#:'g)o)}\nmost't[]" })}
5. Ask: do rows repeat, do numbers stand for gaps (-1, 999), what depends on which group? k_help "data" shows how to clean, group and join. Answer with numbers, and say how many rows each rests on.`,
}
