/** The errors of reads and writes of a space, and the sentences that report them. No sentence holds a text of the database or a credential. */
import * as Data from "effect/Data"
import * as Match from "effect/Match"
import type { SqlError } from "effect/sql/SqlError"
import { reasonOf } from "./outage.ts"

/** Another process raised the session's epoch. `epoch`: that of this process; undefined when this process does not own the session. */
export class NotOwner extends Data.TaggedError("NotOwner")<{ readonly session: string; readonly epoch: number | undefined }> {}
export class OverQuota extends Data.TaggedError("OverQuota")<{ readonly used: number; readonly most: number }> {}
/** The stored rows are not the version that this process read or wrote last. `isUnread`: it could not read them. */
export class Overtaken extends Data.TaggedError("Overtaken")<{ readonly isUnread?: boolean }> {}
export type WriteError = SqlError | NotOwner | OverQuota | Overtaken

export const goesOn = "Work goes on; what is not in the database is gone with this machine"
export const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

interface Problem {
  /** Its subject for `Trouble`. */
  readonly subject: string
  readonly sentence: string
}

/** `what`: the thing that was to be read or written; `place`: the name of the database. */
export const problemOf = (what: string, doing: "read" | "written", error: WriteError, place: string): Problem =>
  Match.valueTags(error, {
    SqlError: (failure) => {
      const why = reasonOf(failure)
      return {
        subject: `database ${doing} ${why}`,
        sentence: `${capital(what)} cannot be ${doing}: ${place} is the store, and ${why}. ${goesOn}.`,
      }
    },
    NotOwner: ({ session, epoch }) => ({
      subject: `owner ${session} ${epoch}`,
      sentence:
        epoch === undefined
          ? `This machine does not own session ${session}: ${what} is not written.`
          : `Another machine owns session ${session} now: ${what} is not written by this one.`,
    }),
    OverQuota: ({ used, most }) => ({
      subject: "quota",
      sentence: `${capital(what)} cannot be written: ${used} bytes of the ${most} that are kept of one principal are used up. Remove snapshots, sessions or large variables.`,
    }),
    Overtaken: ({ isUnread }) => ({
      subject: `overtaken ${what}`,
      sentence: isUnread
        ? `What is stored of ${what} could not be read, so it began without that. It stays stored, and nothing is written over it: copy what the session has now into another one with k_session fork.`
        : `${capital(what)} is not as this machine read it: nothing is written over it.`,
    }),
  })
