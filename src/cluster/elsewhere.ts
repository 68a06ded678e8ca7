/**
 * The other sessions of a space, for a fork, a merge or a comparison on this machine. Each request goes to the machine that has the other
 * session, which may be this machine. Guarantees: a name without a session is refused, and no session is made for the name.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { PrincipalSpace } from "../mcp/http/Principal.ts"
import type { DistantSession } from "../session/Elsewhere.ts"
import { NoSession, type SessionError } from "../session/SessionError.ts"
import { Sessions } from "../session/Sessions.ts"
import { makeAsking } from "./asking.ts"
import { SessionOwners } from "./SessionOwners.ts"
import { SessionEntity } from "./protocol.ts"
import { OpenSpaces } from "./OpenSpaces.ts"
import { Settings } from "../Settings.ts"

export const makeElsewhere = Effect.gen(function* () {
  const context = yield* Effect.context<Settings | Effect.Services<typeof SessionEntity.client>>()
  const spaces = yield* OpenSpaces
  const owners = yield* SessionOwners

  return (principal: PrincipalSpace) =>
    Effect.fnUntraced(function* (name: string): Effect.fn.Return<DistantSession, SessionError> {
      const { read, change, times } = yield* Effect.provide(makeAsking(principal), context)
      const owned = yield* owners.of(principal.space)
      const isOpen = owned.some(({ session }) => session === name) && (yield* read("Open", name, { use: false })).isOpen
      const here = spaces.opened(principal.space)
      const isStored = here !== undefined && (yield* Context.get(here, Sessions).disk).stored.some((each) => each.name === name)
      if (!isOpen && !isStored) return yield* new NoSession({ name, open: owned.map(({ session }) => session) })
      const { epoch } = yield* read("Open", name, { use: true })
      return {
        evaluate: (request) => change("Evaluate", { name, epoch }, { request }, times.evaluation(request.timeoutMs)),
        contents: (snapshot) => read("State", name, { snapshot }),
      }
    })
})
