/** The promises over a scripted child under a virtual clock. */
import { it } from "@effect/vitest"
import { TestClock } from "effect/testing"
import { scripted } from "../lib/sessionLayers.ts"
import { Script } from "../lib/scriptedChild.ts"
import { promises } from "./session.suite.ts"

const code = {
  value: ["print 2", "2"],
  several: ["print 2\nprint 3", "2\n3"],
  assign: "x: 5",
  reassign: "x: 6",
  another: "y: 1",
  name: "x",
  read: ["x", "5"],
  loop: "loop",
  exit: { before: "print 2", line: "exit 3", how: { exitCode: 3, signal: null } },
  flood: "flood 200000",
} as const

let latest: Script
const subject = (engine: "embedded" | "k3csharp") =>
  promises({
    name: `scripted child as ${engine}`,
    layer: (settings) => {
      latest = new Script()
      return scripted(latest, settings)
    },
    it: it.effect,
    pass: TestClock.adjust,
    alive: (pid) => latest.alive.includes(pid),
    interruptible: engine === "embedded",
    engine,
    code: { ...code, error: engine === "embedded" ? ["err type", "type"] : ["err Undefined variable: foo", "value"] },
  })

subject("embedded")
subject("k3csharp")
