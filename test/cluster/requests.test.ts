/** Answers between machines. */
import * as Schema from "effect/Schema"
import { expect, it } from "vitest"
import { requests } from "../../src/cluster/requests/index.ts"

it("X7 the answer to a comparison carries the notices of its sessions, which are given once", () => {
  const { answer } = requests.Compare
  const compared: typeof answer.Type = {
    items: 1,
    differing: 0,
    unanswered: 0,
    fallen: 0,
    ms: { a: 1, b: 1 },
    rows: [],
    left: 0,
    notices: [{ kind: "restored", generation: 1, why: "the machine that had this session was lost", restored: 1, lost: [], missed: 0 }],
  }
  expect(Schema.decodeSync(answer)(Schema.encodeSync(answer)(compared))).toEqual(compared)
})
