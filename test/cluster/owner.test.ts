/** The order of an owner's requests to the database, over a scripted one. The tests of `taken.test.ts` and `across.test.ts` run machines. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import { OpenSpaces } from "../../src/cluster/OpenSpaces.ts"
import { makeSend } from "../../src/cluster/owner.ts"
import { newOwner, type OwnerState } from "../../src/cluster/ownerState.ts"
import { SessionOwners } from "../../src/cluster/SessionOwners.ts"

const newOwnerAt = (epoch: number) => newOwner({ epoch, lost: undefined, contained: undefined, isMarked: false })

/** An owner of epoch 5 whose first change of the mark waits until `answers` opens, and whose second waits for the first. */
const withTwoChanges = Effect.fnUntraced(function* (between: (owner: { state: OwnerState }) => void) {
  const applied: (readonly [epoch: number, isEphemeral: boolean])[] = []
  const answers = yield* Latch.make()
  const owners = {
    // The first change is tried again until the database answers.
    setEphemeral: (_: string, __: string, epoch: number, is: boolean) =>
      Effect.as(
        Effect.andThen(
          is ? answers.await : Effect.void,
          Effect.sync(() => applied.push([epoch, is])),
        ),
        true,
      ),
  } as unknown as SessionOwners["Service"]
  const owner: { state: OwnerState } = { state: newOwnerAt(5) }
  const send = yield* makeSend(owner, "local", "main").pipe(
    Effect.provideService(SessionOwners, owners),
    Effect.provideService(OpenSpaces, {} as OpenSpaces["Service"]),
  )
  const made = yield* Effect.forkChild(send({ _tag: "Renewed", isEphemeral: true }), { startImmediately: true })
  const closed = yield* Effect.forkChild(send({ _tag: "Renewed", isEphemeral: false }), { startImmediately: true })
  between(owner)
  yield* answers.open
  yield* Fiber.join(made)
  yield* Fiber.join(closed)
  assert.deepStrictEqual(applied, [
    [5, true],
    [5, false],
  ])
  return owner.state
})

it.effect("X10 a change of the mark of an ephemeral session waits for the change before it", () =>
  Effect.gen(function* () {
    const { isMarked } = yield* withTwoChanges(() => {})
    assert.isFalse(isMarked)
  }),
)

it.effect("X10 a change of the mark that waited is not made under a later epoch", () =>
  Effect.gen(function* () {
    const next = newOwnerAt(6)
    assert.strictEqual(yield* withTwoChanges((owner) => (owner.state = next)), next)
  }),
)
