/**
 * Sharing is invisible: random programs print the same without ownership, and with every variable replaced by a copy after each statement.
 * `SHARING_PROGRAMS` and `SHARING_SEED` choose how many, and the first seed.
 */
import { expect, it } from "vitest"
import { disagreement, shrunk } from "../../lib/sharing.ts"
import { sharingProgram, statementForms } from "../../lib/sharingPrograms.ts"

const programs = Number(process.env["SHARING_PROGRAMS"] ?? 150)
const first = Number(process.env["SHARING_SEED"] ?? 1)

it("the programs have more than sixty forms of statements", () => expect(statementForms).toBeGreaterThan(60))

it(
  `${programs} random programs from seed ${first} on show no sharing`,
  () => {
    for (let seed = first; seed < first + programs; seed++) {
      const program = sharingProgram(seed)
      if (disagreement(program) === undefined) continue
      const small = shrunk(program)
      expect.fail(`seed ${seed}:\n${small.join("\n")}\n\n${disagreement(small)}`)
    }
  },
  programs * 1000,
)
