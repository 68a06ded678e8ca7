/** The transitions of the state of a session's owner, without processes. The tests of `missing.test.ts` and `across.test.ts` run machines. */
import { describe, expect, it } from "vitest"
import { lossOf, newOwner, type OwnerEvent, type OwnerState, transition } from "../../src/cluster/ownerState.ts"

const raised = { epoch: 5, lost: undefined, contained: 43, isMarked: false }

/** The state after the events, and the commands of all transitions. */
const after = (state: OwnerState, ...events: readonly OwnerEvent[]) => {
  const commands = []
  for (const event of events) {
    const [next, more] = transition(state, event)
    state = next
    commands.push(...more)
  }
  return { state, commands }
}
const used: OwnerEvent = { _tag: "Used", isEphemeral: false }
const ephemeralUsed: OwnerEvent = { _tag: "Used", isEphemeral: true }
const renewed = (isEphemeral: boolean): OwnerEvent => ({ _tag: "Renewed", isEphemeral })

describe("the loss of a machine", () => {
  const owner = newOwner({ ...raised, lost: "m1" })

  it("is announced once, and passed on to the next owner until a request that changes something has succeeded", () => {
    expect(lossOf(owner)).toBe("m1")
    const opened = after(owner, { _tag: "Opened" }, { _tag: "Opened" })
    expect(opened.commands).toEqual([{ _tag: "AnnounceLoss", machine: "m1" }])
    expect(lossOf(opened.state)).toBe("m1")
    const told = after(opened.state, { _tag: "Succeeded" }, { _tag: "Opened" })
    expect(told.commands).toEqual([])
    expect(lossOf(told.state)).toBeUndefined()
  })

  it("is not announced when the session was released", () => {
    const { state, commands } = after(newOwner(raised), { _tag: "Opened" })
    expect(commands).toEqual([])
    expect(lossOf(state)).toBeUndefined()
  })
})

describe("missing evaluations", () => {
  /** The numbers above which new entries begin, and the named ranges, when a request compares these numbers and then uses the session. */
  const named = (owner: OwnerState, stored: number, told?: { readonly number: number; readonly epoch: number }) => {
    const { state, commands } = after(owner, { _tag: "Compared", stored, told }, used)
    const above = commands.flatMap((each) => (each._tag === "NumberAbove" ? [each.number] : []))
    return { state, above, ranges: commands.flatMap((each) => (each._tag === "NameMissing" ? [[each.from, each.to]] : [])) }
  }
  const first = (contained: number | undefined) => newOwner({ ...raised, contained })
  const later = named(first(43), 43).state

  it("X11 are those that the stored history or a front end has above the number of the variables, the greater of the two", () => {
    const told = { number: 43, epoch: 4 }
    expect(named(first(40), 41, told)).toMatchObject({ above: [43], ranges: [[41, 43]] })
    expect(named(first(40), 44, told)).toMatchObject({ above: [44], ranges: [[41, 44]] })
    expect(named(first(42), 40, told)).toMatchObject({ above: [43], ranges: [[43, 43]] })
  })

  it("X11 are none that the variables have, and none of this owner", () => {
    expect(named(first(43), 43, { number: 43, epoch: 4 })).toMatchObject({ above: [43], ranges: [] })
    expect(named(first(43), 41)).toMatchObject({ above: [43], ranges: [] })
    expect(named(later, 50, { number: 50, epoch: 5 })).toMatchObject({ above: [43], ranges: [] })
  })

  it("X11 are added when another front end tells of more, and no number is named twice", () => {
    const more = named(later, 50, { number: 45, epoch: 4 })
    expect(more).toMatchObject({ above: [45], ranges: [[44, 45]] })
    expect(named(more.state, 50, { number: 45, epoch: 4 })).toMatchObject({ above: [45], ranges: [] })
    expect(named(later, 50, { number: 43, epoch: 4 })).toMatchObject({ above: [43], ranges: [] })
  })

  it("X11 are only those that front ends know beyond the stored history, when the number of the variables is not known", () => {
    expect(named(first(undefined), 9)).toMatchObject({ above: [9], ranges: [] })
    expect(named(first(undefined), 9, { number: 11, epoch: 4 })).toMatchObject({ above: [11], ranges: [[10, 11]] })
  })

  it("X11 wait for a session that is not ephemeral, and a new session of the name has none", () => {
    const compared: OwnerEvent = { _tag: "Compared", stored: 43, told: { number: 45, epoch: 4 } }
    const { state, commands } = after(newOwner(raised), compared, { ...compared, told: { number: 46, epoch: 4 } }, ephemeralUsed)
    expect(commands.map(({ _tag }) => _tag)).toEqual(["NumberAbove", "NumberAbove"])
    expect(after(state, used).commands).toEqual([
      { _tag: "NameMissing", from: 44, to: 45 },
      { _tag: "NameMissing", from: 46, to: 46 },
    ])
    expect(after(state, renewed(false), used).commands).toEqual([])
  })
})

describe("an ephemeral session", () => {
  const mark = (isEphemeral: boolean) => ({ _tag: "Mark", isEphemeral })

  it("X10 of an earlier owner is lost until a client renews its name", () => {
    const owner = newOwner({ ...raised, isMarked: true })
    expect(owner.session).toBe("lost")
    expect(after(owner, { _tag: "Opened" }, { _tag: "Compared", stored: 43, told: undefined }).state.session).toBe("lost")
    const ordinary = after(owner, renewed(false))
    expect(ordinary.commands).toEqual([mark(false)])
    expect(ordinary.state.session).toBe("ordinary")
    const ephemeral = after(owner, renewed(true))
    expect(ephemeral.commands).toEqual([])
    expect(ephemeral.state.session).toBe("ephemeral")
  })

  it("X10 is marked once, and the mark goes when an ordinary session of the name is used after it ended idle", () => {
    const made = after(newOwner(raised), renewed(true), renewed(true), ephemeralUsed)
    expect(made.commands).toEqual([mark(true)])
    const idle = after(made.state, used, used)
    expect(idle.commands).toEqual([mark(false)])
    expect(idle.state.session).toBe("ordinary")
  })

  it("X10 whose mark the database did not take is marked with the next write, and so is the name without a mark", () => {
    const due: OwnerEvent = { _tag: "WriteDue" }
    const made = after(newOwner(raised), renewed(true)).state
    expect(after(made, due, due).commands).toEqual([mark(true), mark(true)])
    expect(after(made, { _tag: "Marked", isEphemeral: true }, due).commands).toEqual([])
    const closed = after(made, renewed(false))
    expect(closed.commands).toEqual([mark(false)])
    expect(after(closed.state, used, due).commands).toEqual([mark(false)])
    expect(after(closed.state, { _tag: "Marked", isEphemeral: false }, due).commands).toEqual([])
  })
})
