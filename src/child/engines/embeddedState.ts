/**
 * The tracker of an embedded child. It uses side requests, whose answers contain only the changes.
 *
 * Values are sent as `_bd` images in base64, long ones in pieces. A capture that stops between two pieces continues with the next piece. A
 * function from another engine is sent as its text. The serial number of an answer shows a lost one, and all variables are requested again then.
 * Does not: keep variables that it has reported.
 */
import * as Effect from "effect/Effect"
import type { Child, ChildEnded } from "../Child.ts"
import type { Lost, Variable, WorkspaceSettings } from "../Contents.ts"
import { sideRequest } from "./ownRequests.ts"
import type { Tracker } from "./Tracker.ts"

interface Answer {
  readonly serial: number
  readonly anew: boolean
  readonly more: boolean
  readonly changed: readonly (Variable & { readonly inPieces?: true })[]
  readonly removed: readonly string[]
  readonly workspace: WorkspaceSettings
}

/** The changes found since the last complete read. With `anew`, they are all variables. */
const nothing = (anew: boolean) => ({ anew, changed: new Map<string, Variable>(), removed: new Set<string>() })

/** A variable whose image arrives in pieces of base64. */
interface Arriving {
  readonly variable: Variable
  readonly pieces: string[]
}

const tooLarge = (bytes: number, most: number): string => `it takes at least ${bytes} bytes, and ${most} are held of one (K3_CAPTURE_VALUE)`

const whyLost = (answer: { readonly error: string } | undefined): string =>
  answer === undefined ? "the interpreter said too much about it" : `the interpreter failed: ${answer.error}`

/** Base64 and JSON make an image longer by half. */
const codedLength = 1.5
/** Bytes of an image in one message; a multiple of 3, so that the pieces of base64 can be joined. */
const longestPiece = 1_572_864
/** Characters of base64 for a number of bytes divisible by 3. */
const charsOf = (bytes: number): number => (bytes / 3) * 4

export const embeddedTracker = (child: Child, limits: { readonly value: number; readonly reply: number }): Tracker => {
  /** Bytes of an image that fit into the kept beginning of a reply, which is half of `limits.reply`. */
  const room = Math.floor(limits.reply / codedLength / 2)
  const total = Math.min(1024 ** 2, room)
  const piece = Math.min(longestPiece, Math.max(3, room - (room % 3)))
  const { value } = limits
  let arriving: Arriving | undefined
  let serial = 0
  let found = nothing(false)

  /** Sends a side request. The server's own program answers, so its JSON is not checked. Undefined when the answer was cut. */
  const ask = <A>(request: object): Effect.Effect<A | undefined, ChildEnded> =>
    Effect.map(sideRequest(child, request), (answer) => (answer === undefined ? undefined : (JSON.parse(answer) as A)))

  /** Restores variables, and gives the lost ones. Without a proper answer, all count as lost. */
  const restored = (variables: readonly { readonly path: string }[], request: object) =>
    Effect.map(ask<readonly Lost[] | { readonly error: string }>({ op: "restore", ...request }), (answer) =>
      answer !== undefined && "length" in answer ? answer : variables.map(({ path }) => ({ path, why: whyLost(answer) })),
    )

  const take = (answer: Answer): void => {
    if (answer.anew) found = nothing(true)
    for (const path of answer.removed) {
      found.changed.delete(path)
      found.removed.add(path)
    }
    for (const { inPieces, ...variable } of answer.changed) {
      found.changed.set(variable.path, variable.bytes > value ? { ...variable, why: tooLarge(variable.bytes, value) } : variable)
      if (inPieces === true) arriving = { variable, pieces: [] }
    }
  }

  const forget = (): void => {
    // No child is at this number, so the next answer contains all variables. A child that has not answered yet is at 0.
    serial = -1
    arriving = undefined
    found = nothing(false)
  }

  /** Reads the remaining pieces of a long image. False when it stopped; a later read continues. */
  const arrive = Effect.fnUntraced(function* (hurry: () => boolean): Effect.fn.Return<boolean, ChildEnded> {
    while (arriving !== undefined) {
      const { variable, pieces } = arriving
      const from = pieces.length * piece
      const answer: { readonly image?: string } | undefined = yield* ask<{ readonly image?: string }>({
        op: "take",
        from,
        to: from + piece,
      })
      if (answer?.image === undefined || answer.image === "") {
        forget()
        return false
      }
      pieces.push(answer.image)
      if (from + piece >= variable.bytes) {
        found.changed.set(variable.path, { ...variable, image: pieces.join("") })
        arriving = undefined
      } else if (hurry()) return false
    }
    return true
  })

  const restoreLong = Effect.fnUntraced(function* ({ path, bytes, attributes }: Variable, image: string) {
    for (let from = 0; from < bytes; from += piece)
      yield* ask({ op: "give", image: image.slice(charsOf(from), charsOf(from + piece)), from, size: bytes })
    return yield* restored([{ path }], { variables: [{ path, inPieces: true, attributes }] })
  })

  return {
    read: Effect.fnUntraced(function* ({ hurry, mostBytes }) {
      for (;;) {
        if (!(yield* arrive(hurry))) return undefined
        const answer: Answer | undefined = yield* ask<Answer>({ op: "capture", since: serial, limits: { value, total, soon: mostBytes } })
        if (answer === undefined || !("serial" in answer)) return undefined
        serial = answer.serial
        take(answer)
        if (!answer.more && (yield* arrive(hurry))) {
          const update = { ...found, settings: answer.workspace }
          found = nothing(false)
          return update
        }
        if (hurry() || answer.changed.length === 0) return undefined
      }
    }),
    restore: Effect.fnUntraced(function* (variables) {
      const lost: Lost[] = []
      const short: (Pick<Variable, "path" | "image" | "attributes"> & { readonly function?: string })[] = []
      const restoreShort = Effect.suspend(() => {
        const variables = short.splice(0)
        return variables.length === 0 ? Effect.succeed([]) : restored(variables, { variables })
      })
      // In their order, which is the order of the names in the tree.
      for (const variable of variables) {
        const { path, image, attributes } = variable
        if (image?.startsWith("{") === true) short.push({ path, function: image, attributes })
        else if (image === undefined || image.length <= charsOf(piece)) short.push({ path, image, attributes })
        else lost.push(...(yield* restoreShort), ...(yield* restoreLong(variable, image)))
      }
      return [...lost, ...(yield* restoreShort)]
    }),
    remove: (removed) => Effect.asVoid(ask({ op: "restore", variables: [], removed })),
    settle: (settings) => restored([{ path: "the settings" }], { variables: [], workspace: settings }),
    marks: { mark: Effect.asVoid(ask({ op: "mark" })), back: Effect.asVoid(ask({ op: "back" })) },
    large: () =>
      Effect.map(ask<readonly { readonly path: string; readonly bytes: number }[]>({ op: "large", most: value }), (answer) =>
        answer === undefined || !("length" in answer) ? [] : answer.map(({ path, bytes }) => ({ path, why: tooLarge(bytes, value) })),
      ),
    cutQuotes: (statements) => Effect.map(ask<{ readonly cut?: boolean }>({ op: "quotes", statements }), (answer) => answer?.cut === true),
    onStatement: () => {},
    forget,
  }
}
