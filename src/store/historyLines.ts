/** The lines in the bytes of a history, without empty ones. */
export const linesIn = (bytes: Uint8Array): readonly string[] =>
  new TextDecoder()
    .decode(bytes)
    .split("\n")
    .filter((line) => line !== "")
