/** Launches without a fence, and the sentence for each reason. No process is started. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { beforeEach, describe, expect, it } from "vitest"
import type { Trial } from "../../../src/child/fence/refusals.ts"
import { Fence } from "../../../src/child/Fence.ts"
import type { SettingValues } from "../../../src/Settings.ts"
import { fenceLayer, type Given, launched, program, rootFolder } from "./launches.ts"

let root: string
beforeEach(() => {
  root = rootFolder()
})

describe("G13 without a fence", () => {
  const denied = { error: undefined, stderr: "bwrap: No permissions to create new namespace, likely because the kernel does not allow it" }

  it("auto launches without a fence, and gives the reason", async () => {
    const { state, spec } = await launched(root, {}, { trial: denied })
    expect(state).toMatchObject({ _tag: "None", why: expect.stringContaining("forbids new namespaces") })
    expect(Result.getOrThrow(spec)).toEqual({ ...program, cwd: root })
  })

  it("required launches nothing", async () => {
    const { spec } = await launched(root, { fence: "required" }, { trial: denied })
    expect(Result.isFailure(spec) && spec.failure).toMatchObject({
      _tag: "FenceMissing",
      why: expect.stringContaining("K3_FENCE is required, and "),
    })
  })

  it("required says that a refusal stays, and a trial that tells nothing is made again", async () => {
    const trials: readonly (readonly [Trial, trials: number, words: string])[] = [
      [denied, 1, "The server does not try again: start it anew when that is put right."],
      [{ error: "EAGAIN", stderr: "" }, 2, "Call again."],
    ]
    for (const [trial, made, words] of trials) {
      let tried = 0
      const twice = Fence.use(({ around }) => {
        const launch = Effect.flip(around({ ...program, cwd: root }))
        return Effect.andThen(launch, launch)
      })
      const given: Given = { trial, tried: () => void tried++ }
      const { why } = await Effect.runPromise(Effect.provide(twice, fenceLayer(root, { fence: "required" }, given)))
      expect([tried, why]).toEqual([made, expect.stringContaining(words)])
    }
  })

  it.each([
    { error: "EAGAIN", stderr: "" },
    { error: "EMFILE", stderr: "" },
    // The trial took too long.
    { error: "SIGKILL", stderr: "" },
    { error: undefined, stderr: "bwrap: Creating new namespace failed: Resource temporarily unavailable" },
  ])("a lack at the moment of the trial (%j) is no missing fence: nothing is launched, and the next launch is fenced", async (lack) => {
    for (const fence of ["auto", "required"] as const) {
      let trial: Trial | undefined = lack
      const again = Effect.gen(function* () {
        const own = yield* Fence
        const launch = Effect.result(own.around({ ...program, cwd: root }))
        const before = [yield* launch, yield* own.state] as const
        trial = undefined
        return { before, spec: yield* launch, state: yield* own.state, said: own.take("k3csharp", true) }
      })
      const given: Given = { trial: () => trial }
      const { before, spec, state, said } = await Effect.runPromise(Effect.provide(again, fenceLayer(root, { fence }, given)))
      const [refused, present] = before
      expect(Result.isFailure(refused) && refused.failure.why).toMatch(/cannot be tried at the moment[^]*Call again/)
      expect(present).toMatchObject({ _tag: "None", why: expect.stringContaining("tries again") })
      expect(Result.getOrThrow(spec).spec).toHaveProperty("fence")
      expect(state).toEqual({ _tag: "Fenced", by: "bubblewrap" })
      expect(said).toEqual([])
    }
  })

  it("launches at the same time share a trial, so that a trial that hangs holds each up once", async () => {
    let trials = 0
    const lack: Trial = { error: "SIGKILL", stderr: "" }
    const together = Effect.gen(function* () {
      const own = yield* Fence
      const launch = Effect.result(own.around({ ...program, cwd: root }))
      return yield* Effect.all([launch, launch, launch, own.state], { concurrency: "unbounded" })
    })
    const given: Given = { trial: lack, tried: () => void trials++ }
    const [one, two, three, state] = await Effect.runPromise(Effect.provide(together, fenceLayer(root, {}, given)))
    for (const each of [one, two, three]) expect(Result.isFailure(each) && each.failure.why).toMatch(/Call again/)
    expect(state).toMatchObject({ why: expect.stringContaining("tries again") })
    expect(trials).toBe(1)
  })

  it("a session of K3CSharp is told once that no fence works; other sessions are not", async () => {
    const taken = (given: Given, values: Partial<SettingValues> = {}) =>
      Effect.runPromise(
        Effect.provide(
          Effect.gen(function* () {
            const fence = yield* Fence
            yield* fence.around({ ...program, cwd: root })
            return [fence.take("k3csharp", true), fence.take("k3csharp", false), fence.take("embedded", true)].map((said) => said.join(""))
          }),
          fenceLayer(root, values, given),
        ),
      )
    const told = "K3CSharp runs without a fence, and reaches all that the server's user can: the system forbids new namespaces"
    expect(await taken({ trial: denied })).toEqual([expect.stringContaining(told), "", ""])
    expect(await taken({})).toEqual(["", "", ""])
    expect(await taken({ trial: denied }, { fence: "off" })).toEqual(["", "", ""])
  })

  it("off tries nothing", async () => {
    const { state, spec } = await launched(root, { fence: "off" }, { tried: () => expect.unreachable() })
    expect(state).toEqual({ _tag: "Off" })
    expect(Result.getOrThrow(spec)).not.toHaveProperty("fence")
  })

  it("a system without fences is named", async () => {
    expect((await launched(root, {}, { tools: undefined })).state).toMatchObject({
      _tag: "None",
      why: expect.stringContaining("no fence on plan9"),
    })
  })

  it.each(["/", "/home", "/home/k", "/root", "/home/somebody"])(
    "required refuses %s as a root: nothing would be kept out",
    async (wide) => {
      const { spec } = await launched(root, { fence: "required", roots: [wide] })
      expect(Result.isFailure(spec) && spec.failure.why).toContain(`K3_ROOTS holds ${wide}`)
    },
  )
})

describe("G13 a refusal of bubblewrap is reported with a remedy", () => {
  it.each<readonly [string, Trial, string]>([
    ["not installed", { error: "ENOENT", stderr: "" }, "Install the package bubblewrap"],
    ["too old", { error: undefined, stderr: "bwrap: Unknown option --disable-userns" }, "Install a newer one"],
    [
      "namespaces off",
      {
        error: undefined,
        stderr: "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)",
      },
      "user.max_user_namespaces",
    ],
    ["seccomp", { error: undefined, stderr: "bwrap: No permissions to create new namespace, likely because …" }, "seccomp profile"],
    [
      "masked /proc",
      { error: undefined, stderr: "bwrap: Can't mount proc on /newroot/proc: Operation not permitted" },
      "systempaths=unconfined",
    ],
    ["AppArmor", { error: undefined, stderr: "bwrap: setting up uid map: Permission denied" }, "AppArmor profile"],
    ["anything else", { error: undefined, stderr: "bwrap: out of luck\n" }, "bubblewrap refuses: bwrap: out of luck"],
  ])("%s", async (_, trial, words) => {
    expect((await launched(root, {}, { trial })).state).toMatchObject({ _tag: "None", why: expect.stringContaining(words) })
  })
})
