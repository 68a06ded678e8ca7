/**
 * The state of an embedded child, by side requests that answer only what changed.
 *
 * Values come and go as base64 of `_bd` images; a function of another engine's session is given as its text. An answer that was lost on the way is noticed by its number, and everything is asked
 * for again. Does not: hold anything but what was found and not yet handed over.
 */
import * as Effect from "effect/Effect"
import { type Reply, side } from "../../repl/frame.ts"
import type { Child, ChildEnded } from "../Child.ts"
import type { Lost, Variable, Workspace } from "../Contents.ts"
import type { Tracker } from "./Tracker.ts"

interface Answer {
  readonly serial: number
  readonly anew: boolean
  readonly more: boolean
  readonly changed: readonly Variable[]
  readonly removed: readonly string[]
  readonly workspace: Workspace
}

const ascii = new TextDecoder()

const whyLost = (answer: { readonly error: string } | undefined): string =>
  answer === undefined ? "the interpreter said too much about it" : `the interpreter failed: ${answer.error}`

/** Base64 and JSON around it make an image longer by half. */
const codedLength = 1.5

const textOf = ({ head, tail }: Reply): string => (tail.length === 0 ? ascii.decode(head) : ascii.decode(head) + ascii.decode(tail))

export const embeddedTracker = (child: Child, limits: { readonly value: number; readonly reply: number }): Tracker => {
  const total = Math.min(1024 ** 2, Math.floor(limits.reply / codedLength / 2))
  const value = Math.min(limits.value, Math.floor(limits.reply / codedLength / 2))
  let serial = 0
  let anew = false
  let changed = new Map<string, Variable>()
  let removed = new Set<string>()

  /** Our own program answered: what it says has the form it has, unless the answer was cut or it failed. */
  const ask = <A>(request: object): Effect.Effect<A | undefined, ChildEnded> =>
    Effect.map(child.ask(side(request)), (reply) => (reply.omitted > 0 ? undefined : (JSON.parse(textOf(reply)) as A)))

  /** What did not come back; all of it when the answer does not say. */
  const restored = (variables: readonly { readonly path: string }[], request: object) =>
    Effect.map(ask<readonly Lost[] | { readonly error: string }>({ op: "restore", ...request }), (answer) =>
      answer !== undefined && "length" in answer ? answer : variables.map(({ path }) => ({ path, why: whyLost(answer) })),
    )

  const take = (answer: Answer): void => {
    if (answer.anew) {
      anew = true
      changed = new Map()
      removed = new Set()
    }
    for (const path of answer.removed) {
      changed.delete(path)
      removed.add(path)
    }
    for (const variable of answer.changed) {
      removed.delete(variable.path)
      changed.set(variable.path, variable)
    }
  }

  return {
    look: Effect.fnUntraced(function* ({ hurry, soon }) {
      for (;;) {
        const answer: Answer | undefined = yield* ask<Answer>({ op: "capture", since: serial, limits: { value, total, soon } })
        if (answer === undefined || !("serial" in answer)) return undefined
        serial = answer.serial
        take(answer)
        if (!answer.more) {
          const update = { anew, changed, removed, workspace: answer.workspace }
          anew = false
          changed = new Map()
          removed = new Set()
          return update
        }
        if (hurry() || answer.changed.length === 0) return undefined
      }
    }),
    restore: (variables) =>
      restored(variables, {
        variables: variables.map(({ path, image, attributes }) =>
          image?.startsWith("{") === true ? { path, function: image, attributes } : { path, image, attributes },
        ),
      }),
    remove: (removed) => Effect.asVoid(ask({ op: "restore", variables: [], removed })),
    settle: (workspace) => restored([{ path: "the settings" }], { variables: [], workspace }),
    marks: { mark: Effect.asVoid(ask({ op: "mark" })), back: Effect.asVoid(ask({ op: "back" })) },
    heard: () => {},
    forget: () => {
      // No answer has this number: the next one is about everything.
      serial = 0
      anew = false
      changed = new Map()
      removed = new Set()
    },
  }
}
