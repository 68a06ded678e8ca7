/**
 * The wording of results and errors, as a committed snapshot that is reviewed like code. Each reply is shown as its text, with the
 * structured content below.
 */
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import { replyOf } from "../../src/mcp/render/background.ts"
import { examplesCompared } from "../../src/mcp/render/compare.ts"
import { tested } from "../../src/mcp/render/define.ts"
import { evaluation } from "../../src/mcp/render/evaluation.ts"
import { inError } from "../../src/mcp/render/plot.ts"
import { withExamples } from "../../src/mcp/render/reload.ts"
import { failure } from "../../src/mcp/render/sessionFailure.ts"
import { duration } from "../../src/mcp/render/words.ts"
import { DeadlineExceeded } from "../../src/session/SessionError.ts"
import { BuildNotFound, BuildUnusable, LaunchFailed } from "../../src/child/ChildError.ts"
import { background, evaluated, settings } from "./fakeSessions.ts"
import { deadline, failures, launch, replies } from "./replies.ts"

it("every reply is worded as committed", async () => {
  const shown = replies.map(([title, { text, structured, isError }]) => {
    const told = JSON.stringify(structured, null, 1).replaceAll(/^/gm, "  | ")
    return `## ${title}${isError === true ? " (isError)" : ""}\n\n${text}\n\n${told}\n`
  })
  await expect(shown.join("\n")).toMatchFileSnapshot("replies.snapshot.txt")
})

describe("M6: every error says what to do next", () => {
  it.each(failures)("%s", (_, error) => {
    const { text, structured, isError } = failure(error, settings)
    expect(isError).toBe(true)
    expect(text.trimEnd().split("\n").at(-1)).toMatch(/k_[a-z]+/)
    expect(text).toContain(structured.error.text)
  })
})

describe("M7, peers 6: the model sees the output when the host shows only structuredContent", () => {
  it.each(replies.filter(([, { structured }]) => "output" in structured || "error" in structured || "notice" in structured))(
    "%s",
    (_, { text, structured }) => {
      const { output, error, notice } = structured as {
        output?: string
        error?: { text: string; entry?: string; next?: string }
        notice?: string
      }
      const told = [output, error?.text, error?.entry, error?.next, notice].filter((part) => part !== undefined).join("\n")
      for (const line of text.split("\n")) if (line !== "(no output)" && "output" in structured) expect(told).toContain(line)
    },
  )
})

const unrun = { ran: 0, failing: [], left: ["kf_put"] }
const plotError = evaluated("", { ok: false, error: { name: "type", text: "type error" } })

it.each([
  ["tools whose examples were not run", tested(unrun), "k_define test with a name runs them"],
  ["that no tool keeps an example", tested({ ...unrun, left: [] }), "No tool keeps an example"],
  ["tools whose examples were not compared", examplesCompared(["embedded", "disk"], [unrun, unrun]), "kf_put; k_define test with"],
  ["that no example could be run", withExamples({ text: "", structured: { ok: true } }, undefined), "k_define test runs them"],
  ["the entry on the verb in an error of k_plot", inError(plotError, plotError.error!, "x+y  plus: Sum."), "x+y  plus: Sum."],
  ["the call after an error of k_plot", inError(plotError, plotError.error!, undefined), "call k_plot again"],
])("M7 text and fields both say %s, once", (_, { text, structured }, said) => {
  for (const each of [text, JSON.stringify(structured)]) expect(each.split(said)).toHaveLength(2)
})

describe("peers 1: the reply at a deadline names the statement, the fate of the variables and the next call", () => {
  it.each(["kept", "lost"] as const)("%s", (state) => {
    const { text } = failure(new DeadlineExceeded({ ...deadline, state }), settings)
    expect(text).toContain("300 ms")
    expect(text).toContain("while[1;x:1]")
    expect(text).toContain(state)
    expect(text).toContain("k_eval")
  })
})

describe("M6 a deadline names a way to more time that there is", () => {
  const { evalTimeoutMax: most } = settings
  it.each([
    ["a tool without a deadline of its own", 300, undefined, `with something smaller, or with a larger timeout_ms (up to ${most}).`],
    ["a call that shortened the tool's deadline", 300, 400, "with something smaller, or with a larger timeout_ms (up to 400)."],
    ["the tool's own deadline", 300, 300, `or give kf_mean a larger timeout_ms (up to ${most}) with k_define.`],
    ["the longest deadline", most, undefined, "with something smaller."],
    ["a tool that gives itself more than the longest", most, most + 1, "with something smaller."],
  ])("%s", (_, timeoutMs, own, said) => {
    const error = new DeadlineExceeded({ ...deadline, timeoutMs })
    expect(failure(error, settings, { tool: "kf_mean", deadline: own }).text.endsWith(said)).toBe(true)
  })

  it("k_eval at the longest deadline", () => {
    const error = new DeadlineExceeded({ ...deadline, timeoutMs: most })
    expect(failure(error, settings).text).toMatch(/\nCall k_eval with something smaller, or with background true\.$/)
    expect(failure(error, { ...settings, backgroundTimeout: most }).text).toMatch(/\nCall k_eval with something smaller\.$/)
  })

  it("a background evaluation, where there is no longest deadline", () => {
    const exit = Exit.fail(new DeadlineExceeded({ ...deadline, timeoutMs: most }))
    const { text } = replyOf({ ...background, exit }, { ...settings, backgroundTimeout: null })!
    expect(text).toMatch(/\nCall k_eval with something smaller, or with a larger timeout_ms\.$/)
  })
})

describe("M6 a launch that failed names the call that tries again", () => {
  const errors = [
    new LaunchFailed(launch),
    new LaunchFailed({ ...launch, engine: "embedded" }),
    new BuildNotFound({ folder: "/b", missing: "K3CSharp.dll" }),
    new BuildUnusable({ folder: "/b", reason: "it changed" }),
  ]
  it.each(["k_session", "k_compare", "k_define"])("of an interpreter that %s launches", (tool) => {
    for (const error of errors) {
      const { text } = failure(error, settings, { tool })
      expect(text.toLowerCase()).toContain(`call ${tool} again`)
      expect(text).not.toContain("k_reload")
    }
  })
  it("k_reset says that the old interpreter keeps its variables", () =>
    expect(failure(new LaunchFailed(launch), settings, { tool: "k_reset" }).text).toContain(
      "\nNot reset: the old interpreter, if it runs, keeps its variables. With all, the other sessions are reset.\n",
    ))
  it.each(["k_eval", "k_inspect"])("of a session's interpreter, in %s", (tool) => {
    for (const error of errors) expect(failure(error, settings, { tool }).text.toLowerCase()).toContain("call k_reload")
  })
})

it("peers 14: the launch error quotes the interpreter's standard error", () => {
  const { text } = failure(new LaunchFailed(launch), settings)
  for (const said of ["You must install .NET", "150", "/tmp/k3/K3CSharp --mcp", "dotnet build K3CSharp/K3CSharp.csproj"])
    expect(text).toContain(said)
})

it("peers 5: a deadline above the ceiling is reported", () => {
  expect(
    evaluation(evaluated("2", { notices: [{ kind: "timeout-capped", setting: "K3_EVAL_TIMEOUT_MAX", askedMs: 60_000, usedMs: 5000 }] }))
      .text,
  ).toContain("5000 ms")
})

it.each([
  [0.123456, "0.12 ms"],
  [12.5, "13 ms"],
  [1234, "1.2 s"],
  [60_000, "1 min"],
  [90_500, "1 min 30 s"],
  [3_600_000, "1 h"],
  [5_400_000, "1 h 30 min"],
])("%s ms is said as %s", (ms, said) => {
  expect(duration(ms)).toBe(said)
})
