/** The lines in the bytes of a history, without empty ones. None if the bytes are more than a text can have: no server wrote so many. */
import * as Result from "effect/Result"

export const linesIn = (bytes: Uint8Array): readonly string[] =>
  Result.getOrElse(
    Result.try(() =>
      new TextDecoder()
        .decode(bytes)
        .split("\n")
        .filter((line) => line !== ""),
    ),
    () => [],
  )
