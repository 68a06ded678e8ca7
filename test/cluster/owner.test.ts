/** The order of an owner's requests to the database, over a scripted one. The tests of `taken.test.ts` and `across.test.ts` run machines. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import { OpenSpaces } from "../../src/cluster/OpenSpaces.ts"
import { makeSend } from "../../src/cluster/owner.ts"
import { newOwner } from "../../src/cluster/ownerState.ts"
import { SessionOwners } from "../../src/cluster/SessionOwners.ts"

it.effect("X10 a change of the mark of an ephemeral session waits for the change before it", () =>
  Effect.gen(function* () {
    const applied: boolean[] = []
    const answers = yield* Latch.make()
    const owners = {
      // The first change is tried again until the database answers.
      setEphemeral: (_: string, __: string, ___: number, is: boolean) =>
        Effect.as(
          Effect.andThen(
            is ? answers.await : Effect.void,
            Effect.sync(() => applied.push(is)),
          ),
          true,
        ),
    } as unknown as SessionOwners["Service"]
    const owner = { state: newOwner({ epoch: 5, lost: undefined, contained: undefined, isMarked: false }) }
    const send = yield* makeSend(owner, "local", "main").pipe(
      Effect.provideService(SessionOwners, owners),
      Effect.provideService(OpenSpaces, {} as OpenSpaces["Service"]),
    )
    const made = yield* Effect.forkChild(send({ _tag: "Renewed", isEphemeral: true }), { startImmediately: true })
    const closed = yield* Effect.forkChild(send({ _tag: "Renewed", isEphemeral: false }), { startImmediately: true })
    yield* answers.open
    yield* Fiber.join(made)
    yield* Fiber.join(closed)
    assert.deepStrictEqual(applied, [true, false])
    assert.isFalse(owner.state.isMarked)
  }),
)
