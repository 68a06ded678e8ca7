/** Sessions without processes: each gives the answers that a test sets, by default those of an interpreter that knows a few sums. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Result from "effect/Result"
import { resolve as resolvePath } from "node:path"
import type { BackgroundEvaluation } from "../../src/session/Backgrounds.ts"
import type { CrashRecord } from "../../src/session/history/CrashRecord.ts"
import type { HistoryView } from "../../src/session/history/History.ts"
import { HistoryLog } from "../../src/session/history/HistoryLog.ts"
import type { Session } from "../../src/session/Session.ts"
import type { SessionStatus } from "../../src/session/SessionStatus.ts"
import type { Evaluation } from "../../src/session/Evaluation.ts"
import type { SnapshotInfo } from "../../src/session/variables/Snapshots.ts"
import { empty } from "../../src/child/Contents.ts"
import type { Picture } from "../../src/plot/Picture.ts"
import { Sessions } from "../../src/session/Sessions.ts"
import { resolve, Settings, type SettingValues } from "../../src/Settings.ts"

export const evaluated = (output: string, rest: Partial<Evaluation> = {}): Evaluation => ({
  ok: true,
  output,
  statements: 1,
  generation: 1,
  ms: 0.123456,
  notices: [],
  ...rest,
})

export const idle: SessionStatus = {
  name: "main",
  phase: "ready",
  isEphemeral: false,
  engine: "embedded",
  engineWhy: "no K3CSharp build in /home/k/K3CSharp/bin/Debug/net8.0",
  pid: 4242,
  generation: 1,
  fence: { _tag: "Off" },
  shadow: null,
  buildFolder: null,
  buildFolderWhy: null,
  engineVersion: "0.1.0",
  runningHash: "0123456789abcdef0123456789abcdef",
  buildHash: "0123456789abcdef0123456789abcdef",
  stale: false,
  uptimeMs: 61_500,
  evaluations: 3,
  doing: null,
  running: null,
  lastCrash: null,
  ageMs: 90_000,
  idleMs: 1500,
  memoryBytes: null,
  spare: null,
  held: { variables: 0, missed: 0, lost: [] },
  onDisk: null,
}

export const snapshot: SnapshotInfo = {
  name: "baseline",
  ageMs: 1500,
  generation: 1,
  engine: "embedded",
  build: "0123456789abcdef",
  variables: 2,
  lost: [],
}

export const compared = { snapshot, present: snapshot, ageMs: 0, differences: [], unsure: [] }

const picture: Picture = {
  mark: "line",
  rows: 10,
  drawn: 10,
  summary: ["Line of a vector of 10.", "All 10 points are drawn."],
  width: 800,
  height: 500,
  png: Uint8Array.of(137, 80, 78, 71),
  svg: new TextEncoder().encode("<svg/>"),
  data: new TextEncoder().encode("{}"),
}

const sums: Readonly<Record<string, string>> = { "1+1": "2", "1+2": "3", "2+2": "4" }

const begun = { engine: "embedded" as const, generation: 1, isEphemeral: false }

export const fakeSession = (overrides: Partial<Session> = {}): Session => ({
  name: "main",
  isEphemeral: false,
  evaluate: ({ code }) => Effect.succeed(evaluated(Object.hasOwn(sums, code) ? sums[code]! : "")),
  status: Effect.succeed(idle),
  find: () => Effect.succeed({ path: ".", entries: [], generation: 1, ageMs: 0, omitted: 0, unread: 0 }),
  interrupt: Effect.undefined,
  reset: Effect.succeed({ how: "cleared" as const, generation: 1 }),
  reload: () =>
    Effect.succeed({
      engine: "k3csharp" as const,
      oldHash: "0123456789abcdef0123456789abcdef",
      newHash: "fedcba9876543210fedcba9876543210",
      generation: 2,
      ms: 48.2,
      variables: { restored: 3, lost: [{ path: ".k.h", why: "it takes too much" }], missed: 0 },
    }),
  persist: Effect.succeed(true),
  names: Effect.succeed({ engine: "embedded", names: new Map(), directory: ".k", ageMs: 0 }),
  script: () => Effect.succeed({ text: "a:1 2 3\n", variables: 1, left: [], missed: 0 }),
  inspect: (path) => Effect.succeed({ path, entries: [], generation: 1, ageMs: 0, omitted: 0 }),
  rows: () => Effect.succeedSome({ total: 3, columns: ["value"], cells: [["1", "2", "3"]], isUnreadable: false }),
  snapshots: {
    save: (name) => Effect.succeed({ snapshot: { ...snapshot, name } }),
    list: Effect.succeed([snapshot]),
    diff: () => Effect.succeed(compared),
    rebase: () => Effect.succeed(compared),
    restore: () => Effect.succeed({ snapshot, generation: 1, restored: [], removed: [], lost: [], renewed: false }),
    undo: () => Effect.succeed({ generation: 1, evaluations: 1, left: 0, restored: [".k.a"], removed: [".k.b"], lost: [], renewed: false }),
    rename: () => Effect.undefined,
    remove: () => Effect.void,
  },
  ...overrides,
})

export const crash: CrashRecord = {
  n: 3,
  at: Date.UTC(2026, 10, 21, 12),
  session: "main",
  reason: "exit",
  exitCode: 134,
  signal: null,
  stderr: "Unhandled exception.\n",
  statement: "f 5",
  engine: "k3csharp",
  build: "0123456789abcdef0123456789abcdef",
  generation: 2,
  memory: 45 * 2 ** 20,
  inputs: [{ at: Date.UTC(2026, 10, 21, 11, 59), code: "f:{x+1}" }],
  script: "f:{x+1}\nf 5\n",
  times: 1,
}

export const background: BackgroundEvaluation = {
  handle: "e12",
  session: "main",
  secret: "5e1f",
  at: Date.UTC(2026, 10, 21, 12),
  code: "while[1;x:1]",
  phase: "running",
  ms: 61_000,
  bytes: 10,
  exit: undefined,
  wantsValue: false,
}

const fakeHistory: HistoryView = new HistoryLog(2 ** 20, () => Effect.succeed([])).view()

type FakeSessions = Partial<Sessions["Service"]> & { readonly session?: Partial<Session> }

export const settings: SettingValues = Result.getOrThrow(
  resolve({ cwd: "/home/k", resolvePath, pathDelimiter: ":", flags: {}, environment: {} }),
).values

export const fakeLayer = ({ session, ...overrides }: FakeSessions = {}): Layer.Layer<Sessions | Settings> =>
  Layer.mergeAll(
    Logger.layer([]),
    Layer.succeed(Settings, settings),
    Layer.succeed(Sessions, {
      get: (name: string) => Effect.succeed({ ...fakeSession(session), name }),
      find: (name: string) =>
        Effect.map(overrides.list ?? Effect.succeed([idle]), (all) =>
          all.some((each) => each.name === name) ? { ...fakeSession(session), name } : undefined,
        ),
      list: Effect.succeed([idle]),
      outputs: {
        page: () =>
          Effect.succeed({ bytes: 20, gap: [20, 20], span: [0, 9], line: 1, text: "0 1 2 3 4\n", next: { from: 2, unit: "line" } }),
        find: () => Effect.succeed({ bytes: 20, gap: [20, 20], lines: [{ line: 7, text: "found it" }] }),
      },
      plots: {
        begin: Effect.void,
        view: () => Effect.succeed("<!doctype html>"),
        draw: () => Effect.succeed({ ...picture, n: 1 }),
        kept: () => [{ session: "main", n: 1, title: "line", at: Date.UTC(2026, 10, 21, 12), ...picture }],
      },
      backgrounds: {
        begin: (session, { code }) => Effect.succeed({ ...background, session, code }),
        find: () => Effect.succeed(background),
        list: Effect.succeed([]),
        wait: () => Effect.void,
        ended: () => Effect.void,
        stop: () => Effect.undefined,
      },
      disk: Effect.succeed({ folder: "/home/k/state", trouble: [], stored: [] }),
      status: (name: string) => Effect.succeed({ ...idle, name }),
      create: ({ name = "s1" }) => Effect.succeed({ ...begun, name, variables: undefined }),
      fork: ({ name = "s1" }) => Effect.succeed({ ...begun, name, variables: { restored: 2, lost: [], missed: 0 } }),
      merge: () => Effect.succeed({ ...begun, added: [".k.a"], overwritten: [], same: [], lost: [], taken: empty }),
      interrupt: () => Effect.undefined,
      close: (name: string) => Effect.succeed({ ...idle, name }),
      reset: () => Effect.succeed({ how: "cleared", generation: 1 }),
      drift: () => Effect.succeed({ differing: [], unsure: [], same: 0, isKnown: true, ended: { how: "answered", printed: "", ms: 1 } }),
      compare: () => Effect.succeed({ items: 1, differing: 0, fallen: 0, unanswered: 0, ms: { a: 1, b: 2 }, rows: [], left: 0 }),
      files: {
        write: (file: string) => Effect.succeed(`/home/k/${file}`),
        read: () => Effect.succeed(""),
        head: () => Effect.succeed({ text: "", isWhole: true }),
        scripts: Effect.succeed({ files: [], isCut: false }),
      },
      definitions: {
        all: Effect.succeed([]),
        known: () => [],
        versions: () => Effect.succeed([]),
        add: (definition) => Effect.succeed({ definition: { ...definition, version: 1, at: 0 }, kept: true }),
        remove: () => Effect.succeed(false),
        listen: () => {},
      },
      crashes: { all: Effect.succeed([crash]) },
      subscriptions: { revive: () => Effect.succeed([]), keep: () => Effect.void },
      history: { of: () => Effect.succeed(fakeHistory) },
      resetAll: Effect.succeed([{ name: "main", how: "cleared" as const, generation: 1 }]),
      ...overrides,
    }),
  )
