/** History entries as cases for `k3 --test`. */
import { expect, it } from "vitest"
import type { HistoryEntry } from "../../../src/session/history/HistoryLog.ts"
import { testOf } from "../../../src/session/history/replay.ts"

it.each(["deadline", "cancel", "interrupt", "closed"])(
  "H4 of an evaluation that ended with %s, the statement that was cut short is left out",
  (name) => {
    const entry: HistoryEntry = {
      n: 1,
      at: 0,
      code: "a:1\nwhile[1;]",
      output: "",
      ok: false,
      error: { name, text: "" },
      failed: 2,
      ms: 1,
      generation: 1,
    }
    expect(testOf("main", [entry])).toBe("/ main 1 to 1\n> a:1\n…\n")
  },
)
