/** Handles of background evaluations without a document, over two scripted machines. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import type { Asking } from "../../src/cluster/asking.ts"
import { remoteBackgrounds } from "../../src/cluster/remoteBackgrounds.ts"
import type { SessionStatus } from "../../src/session/SessionStatus.ts"
import { MemoryStore } from "../lib/memoryStore.ts"

const sessionOn = (name: string, machine: string) => ({ name, generation: 1, owner: { machine, epoch: 1 } }) as SessionStatus

it.effect("S35 a call that waits for an evaluation of an ephemeral session waits on its machine, beside sessions on others", () =>
  Effect.gen(function* () {
    const asked: string[] = []
    const end = yield* Latch.make()
    // As on a real machine: to wait for an unknown handle ends at once.
    const read = (tag: string, name: string) => {
      asked.push(`${tag} ${name}`)
      return name === "brief" ? end.await : Effect.void
    }
    const sessions = [sessionOn("aside", "one#1"), sessionOn("brief", "two#2"), sessionOn("last", "twelve#12")]
    const { ended, find } = yield* remoteBackgrounds({ read } as unknown as Asking, Effect.succeed(sessions))
    const waiting = yield* Effect.forkChild(ended("e200001"), { startImmediately: true })
    for (let i = 0; i < 100; i++) yield* Effect.yieldNow
    assert.deepStrictEqual(asked, ["BackgroundWait brief"])
    assert.isUndefined(waiting.pollUnsafe())
    yield* end.open
    yield* Fiber.join(waiting)
    assert.deepInclude(yield* Effect.flip(find("e300001")), { _tag: "NoEvaluation", handle: "e300001" })
  }).pipe(Effect.provide(new MemoryStore().layer)),
)
