/** Slips that the print of an evaluation shows; the language is loaded only for code that may hold one. */
import * as Effect from "effect/Effect"
import type { Evaluation } from "../session/Evaluation.ts"

const LONGEST = 4000
/** Code without any of these has no slip. */
const POSSIBLE = /[-+*%&|<>=!~,^#_?@$.]:?[ \t]+\/|[*=&|]{2}|[!<>+*-]=|<>|\$\[|\d{10}|\w[ \t]+=[ \t]|\bfrom\b|"\)\s*0:/i

export const slipsOf = (code: string, { ok, output }: Evaluation): Effect.Effect<readonly string[]> =>
  code.length > LONGEST || !POSSIBLE.test(code)
    ? Effect.succeed([])
    : Effect.map(
        Effect.promise(async () => (await import("../help/load.ts")).slips()),
        ({ slipsIn }) => slipsIn({ code, output, failed: !ok }),
      )
