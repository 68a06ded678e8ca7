/** An example of each reply of the tools, with its name in `replies.snapshot.txt`. */
import * as Exit from "effect/Exit"
import { begun as begunInBackground, followed } from "../../src/mcp/render/background.ts"
import { answerText } from "../../src/help/help.ts"
import { differencesIn } from "../../src/help/k3csharp.ts"
import { validate } from "../../src/k3/syntax/validate.ts"
import type { Reply } from "../../src/mcp/render/Reply.ts"
import { compared, notCompared } from "../../src/mcp/render/compare.ts"
import { evaluation } from "../../src/mcp/render/evaluation.ts"
import { failure } from "../../src/mcp/render/sessionFailure.ts"
import { help } from "../../src/mcp/render/help.ts"
import { inspection } from "../../src/mcp/render/inspection.ts"
import { found, page } from "../../src/mcp/render/output.ts"
import { notReloaded, reload } from "../../src/mcp/render/reload.ts"
import { defined, examplesFailed, listed as definitions, notDefined } from "../../src/mcp/render/define.ts"
import { removed, source, tooMany, unknownTool, unknownVersion } from "../../src/mcp/render/define.ts"
import { compared as snapshotCompared, listed as snapshots, renamed, restored, saved } from "../../src/mcp/render/snapshot.ts"
import { badCall, called, sessionFailed } from "../../src/mcp/render/defined.ts"
import { notDrawn } from "../../src/mcp/render/plot.ts"
import { begun, closed, interrupted as sessionInterrupted, listed, merged } from "../../src/mcp/render/session.ts"
import { reset, resetAll } from "../../src/mcp/render/reset.ts"
import { status } from "../../src/mcp/render/status.ts"
import { validation } from "../../src/mcp/render/validation.ts"
import { BreakerOpen, ChildDied, DeadlineExceeded, EvaluationStopped } from "../../src/session/SessionError.ts"
import { BuildNotFound, BuildUnusable } from "../../src/child/ChildError.ts"
import { SnapshotsFull, NameTaken, NoSnapshot, NoSession, OtherEngine } from "../../src/session/SessionError.ts"
import {
  NoEvaluation,
  NoOutput,
  NoVariable,
  RestoreFailed,
  SessionClosed,
  StateUnread,
  WouldOverwrite,
} from "../../src/session/SessionError.ts"
import { GenerationMismatch, TooManyBackground, TooManySessions, type SessionError } from "../../src/session/SessionError.ts"
import { LaunchFailed, Refused } from "../../src/child/ChildError.ts"
import { BuildFailed } from "../../src/session/builds/Build.ts"
import { BadCaseFile } from "../../src/session/builds/caseFile.ts"
import { NotComparable } from "../../src/session/builds/sides.ts"
import { NotDrawn } from "../../src/session/plots/Painter.ts"
import { CheckFailed } from "../../src/session/Session.ts"
import type { Definition } from "../../src/session/Definitions.ts"
import { background, evaluated, idle, settings, snapshot } from "./fakeSessions.ts"

export const deadline = {
  session: "main",
  timeoutMs: 300,
  waiting: false,
  state: "kept",
  generation: 1,
  statement: "while[1;x:1]",
  statementNumber: 2,
  output: "5\n",
} as const
const interrupted = { session: "main", state: "kept", generation: 1, statement: "while[1;x:1]", statementNumber: 2, output: "" } as const
const made = { name: "b", engine: "embedded", generation: 1, isEphemeral: false } as const
const seven = { type: 1, shape: "", text: "7" }
const one = { path: ".k.b", before: seven, after: { type: -1, shape: "2", text: "7 8" } }
const old = { name: "old", engine: "embedded", variables: 12, ageMs: 3_600_000 } as const
const reloaded = {
  engine: "k3csharp",
  oldHash: "0123",
  newHash: "4567",
  generation: 2,
  ms: 48.2,
  variables: { restored: 3, lost: [], missed: 0 },
} as const
const death = {
  session: "main",
  reason: "exit",
  exitCode: 134,
  signal: null,
  stderr: "Unhandled exception. System.NullReferenceException\n   at K3CSharp.Evaluator.Eval()\n",
  statement: "f 5",
  statementNumber: 1,
  generation: 2,
  output: "",
} as const
const added = (text: string) => ({ path: ".k.b", before: undefined, after: { path: ".k.b", type: 1, shape: "", bytes: 8, text } })
export const launch = {
  engine: "k3csharp",
  command: "/tmp/k3/K3CSharp --mcp",
  reason: "exit",
  exitCode: 150,
  signal: null,
  stderr: "You must install .NET to run this application\n",
  timeoutMs: 10_000,
} as const

const seen = (type: number, shape: string) => ({ path: "", type, shape, bytes: 0, text: "" })
const versions = { server: "0.1.0", protocol: "2025-06-18" }
const disk = { folder: "/home/k/state", trouble: [], stored: [] }
const facts = { of: idle, open: [], settings, disk, connection: versions, caller: "agent", background: [] }
const held = { variables: 3, missed: 0, lost: [{ path: ".k.big", why: "its 9 bytes are more than the 8 that are kept" }] }

const answered = (printed: string) => ({ how: "answered", printed, ms: 1.5 }) as const
const checked = {
  items: 4,
  differing: 2,
  expected: { items: 3, a: 3, b: 2 },
  fallen: 0,
  unanswered: 0,
  ms: { a: 12.34, b: 1234.5 },
  rows: [
    { name: "", code: "1.5*2", a: answered("3.0\n"), b: answered("3\n"), differ: true },
    {
      name: "sums",
      code: "f 1",
      expected: "1 2\n3 4",
      a: answered("1 2\n3 4"),
      b: { ...answered(""), how: "died", why: "exit code 134" },
      differ: true,
    },
    { name: "old news", code: "2+2", expected: "5", a: answered("4"), b: answered("4"), differ: false },
  ],
  left: 1,
} as const
const alike = {
  items: 1,
  differing: 0,
  fallen: 0,
  unanswered: 0,
  ms: { a: 1.5, b: 1.5 },
  rows: [{ name: "", code: "1+1", a: answered("2"), b: answered("2"), differ: false }],
  left: 0,
} as const
const silent = {
  reason: "exit",
  command: "dotnet build K3CSharp",
  exit: { code: 1, signal: null },
  errors: [],
  errorCount: 0,
  warningCount: 0,
  tail: ["sh: 1: dotnet: not found"],
  ms: 812,
} as const
const broken = {
  ...silent,
  errors: [
    { severity: "error", file: "/home/k/K3CSharp/Program.cs", line: 12, column: 34, code: "CS1002", text: "; expected" },
    { severity: "error", file: "MSBUILD", code: "MSB1009", text: "Project file does not exist." },
  ],
  errorCount: 7,
} as const

const mean: Definition = {
  name: "mean",
  version: 1,
  at: 0,
  description: "The mean",
  code: "{[v](+/v)%#v}",
  parameters: [{ name: "v", type: "list of float" }],
  session: "main",
  touches: [],
  assigns: [],
  unknown: [],
}

export const failures: readonly (readonly [string, SessionError])[] = [
  ["deadline, kept", new DeadlineExceeded(deadline)],
  ["deadline, lost", new DeadlineExceeded({ ...deadline, state: "lost", generation: 2, output: "" })],
  ["deadline, waiting for its turn", new DeadlineExceeded({ ...deadline, waiting: true, output: "", statementNumber: 0 })],
  ["deadline, waiting for a launch", new DeadlineExceeded({ ...deadline, waiting: true, output: "", statement: "", statementNumber: 0 })],
  [
    "deadline, killed before it began",
    new DeadlineExceeded({ ...deadline, state: "lost", generation: 2, waiting: true, output: "", statement: "", statementNumber: 0 }),
  ],
  [
    "deadline, waiting for a place",
    new DeadlineExceeded({
      ...deadline,
      waiting: true,
      output: "",
      statement: "",
      statementNumber: 0,
      place: "a place: others have just begun",
    }),
  ],
  ["deadline, restored", new DeadlineExceeded({ ...deadline, state: "restored", held, generation: 2, output: "" })],
  ["deadline, rolled back", new DeadlineExceeded({ ...deadline, state: "rolled-back", output: "" })],
  ["stopped on request, kept", new EvaluationStopped(interrupted)],
  ["stopped on request, restored", new EvaluationStopped({ ...interrupted, state: "restored", held, generation: 2 })],
  ["stopped on request, not begun", new EvaluationStopped({ ...interrupted, statement: "", statementNumber: 0 })],
  ["crash, restored", new ChildDied({ ...death, held: { ...held, missed: 2 } })],
  ["crash", new ChildDied(death)],
  ["crash by signal", new ChildDied({ ...death, exitCode: null, signal: "SIGSEGV", stderr: "" })],
  ["memory", new ChildDied({ ...death, reason: "memory", stderr: "" })],
  ["out of step", new ChildDied({ ...death, reason: "out-of-step", exitCode: null, signal: "SIGKILL", stderr: "" })],
  [
    "output unread",
    new ChildDied({ ...death, reason: "unread", exitCode: null, signal: "SIGKILL", stderr: "RangeError: Invalid array length" }),
  ],
  ["launch, exit", new LaunchFailed(launch)],
  ["launch, spawn", new LaunchFailed({ ...launch, reason: "spawn", exitCode: null, stderr: "spawn ENOENT" })],
  ["launch, timeout, embedded", new LaunchFailed({ ...launch, engine: "embedded", reason: "timeout", exitCode: null, stderr: "" })],
  ["breaker", new BreakerOpen({ session: "main", crashes: 5, windowMs: 30_000, retryInMs: 42_000, last: "exit code 134" })],
  ["no build", new BuildNotFound({ folder: "/home/k/K3CSharp/bin/Debug/net8.0", missing: "K3CSharp.dll" })],
  [
    "build in the making",
    new BuildUnusable({ folder: "/home/k/K3CSharp/bin/Debug/net8.0", reason: "it changed while it was copied, 5 times" }),
  ],
  ["generation", new GenerationMismatch({ session: "main", expected: 2, actual: 3 })],
  ["generation that never was", new GenerationMismatch({ session: "main", expected: 0, actual: 3 })],
  ["too many sessions", new TooManySessions({ limit: 2, idle: [{ name: "a", idleMs: 90_000 }], busy: ["b"] })],
  ["no such session", new NoSession({ name: "b", open: ["main"] })],
  ["closed", new SessionClosed({ session: "b" })],
  ["session taken", new NameTaken({ what: "session", name: "b", taken: ["b", "main"] })],
  ["snapshot taken", new NameTaken({ what: "snapshot", name: "b", taken: ["b"] })],
  ["no snapshot at all", new NoSnapshot({ session: "main", name: "b", snapshots: [] })],
  ["no such variable", new NoVariable({ session: "main", names: ["b"], held: [".k.a"] })],
  ["no such variable in a snapshot", new NoVariable({ session: "main", snapshot: "s", names: ["b"], held: [] })],
  ["overwriting", new WouldOverwrite({ session: "b", variables: [one, { path: ".k.f", before: seven }], isPossible: true })],
  ["in the way", new WouldOverwrite({ session: "b", variables: [one], isPossible: false })],
  ["no such snapshot", new NoSnapshot({ session: "main", name: "b", snapshots: ["baseline"] })],
  ["too many snapshots", new SnapshotsFull({ session: "main", reason: "count", limit: 2, snapshots: [{ name: "a", frees: 2048 }] })],
  ["snapshots too large", new SnapshotsFull({ session: "main", reason: "bytes", limit: 2 ** 28, snapshots: [{ name: "a", frees: 5e6 }] })],
  ["one snapshot too large", new SnapshotsFull({ session: "main", reason: "bytes", limit: 2 ** 28, snapshots: [] })],
  ["snapshot of another engine", new OtherEngine({ session: "main", name: "b", was: "embedded", is: "k3csharp" })],
  ["crash in a restore", new RestoreFailed({ session: "main", doing: "the restore of snapshot b", exitCode: 134, signal: null })],
  ["unread", new StateUnread({ session: "main" })],
  ["deadline of a restore", new DeadlineExceeded({ ...deadline, doing: "restore", waiting: true, output: "" })],
  ["no output", new NoOutput({ handle: "o9", dropped: false, kept: [] })],
  ["no evaluation in the background", new NoEvaluation({ handle: "e9", dropped: false, known: ["e1", "e2"] })],
  ["its result dropped", new NoEvaluation({ handle: "e1", dropped: true, known: ["e2"] })],
  [
    "it was of an earlier server, which ended under it",
    new NoEvaluation({ handle: "e1", dropped: false, known: [], earlier: { session: "main", code: "while[1;x:1]", at: 0, ended: false } }),
  ],
  [
    "it was of an earlier server, and had ended",
    new NoEvaluation({ handle: "e1", dropped: false, known: [], earlier: { session: "main", code: "1+1", at: 0, ended: true } }),
  ],
  ["too many in the background", new TooManyBackground({ limit: 64 })],
  ["output dropped", new NoOutput({ handle: "o1", dropped: true, kept: ["o2", "o3"] })],
  ["refused, shell", new Refused({ statement: "\\ls", reason: "shell", detail: "\\ls runs a shell command" })],
  ["refused, size", new Refused({ statement: "x:(1;2;…", reason: "size", detail: "the code has 20000000 bytes" })],
  ["refused, exit", new Refused({ statement: "\\\\", reason: "exit", detail: "\\\\ ends the interpreter" })],
]

const names = { engine: "embedded", names: new Map<string, number>(), directory: ".k", ageMs: 0 } as const
const unsound = "f:{[x\n  x+1}\nt.b"

export const replies: readonly (readonly [string, Reply])[] = [
  ["1+1", evaluation(evaluated("2"))],
  ["help, an entry", help("%", { kind: "entry", text: "%x  reciprocal" }, answerText)],
  [
    "help, matches",
    help(
      "sort",
      {
        kind: "matches",
        matches: [
          { open: "sort", what: "sort ascending" },
          { open: "<x", what: "grade up" },
        ],
      },
      answerText,
    ),
  ],
  ["help, nothing", help("zzqq", { kind: "matches", matches: [] }, answerText)],
  ["no issues", validation([], [], names)],
  ["issues", validation(validate(unsound, names), differencesIn(unsound), { ...names, engine: "k3csharp" })],
  ["issues while it evaluates", validation(validate("zz", names), [], { ...names, ageMs: 1234 })],
  ["issues before anything was seen", validation(validate("zz", names), [], { ...names, ageMs: null })],
  ["cut", evaluation(evaluated("0 1…", { truncated: { bytes: 70_000, kept: 70_000, handle: "o12" } }))],
  ["k_eval, in the background", begunInBackground(background)],
  ["k_output, it waits", followed({ ...background, phase: "waiting", bytes: 0 }, undefined, settings)],
  ["k_output, it runs", followed(background, { bytes: 10, gap: [10, 10], span: [0, 10], line: 1, text: "0 1 2 3 4\n" }, settings)],
  ["k_output, it has ended", followed({ ...background, phase: "ended", exit: Exit.succeed(evaluated("0 1\n")) }, undefined, settings)],
  [
    "k_output, it has ended at its deadline",
    followed(
      { ...background, phase: "ended", exit: Exit.fail(new DeadlineExceeded(deadline)) },
      { bytes: 2, gap: [2, 2], span: [0, 2], text: "5\n" },
      settings,
    ),
  ],
  ["a page", page("o12", { bytes: 70_000, gap: [0, 0], span: [0, 4], line: 1, text: "0 1\n", next: { from: 2, unit: "line" } })],
  [
    "a page before what was not kept",
    page("o12", { bytes: 99, gap: [40, 60], span: [0, 40], text: "0 1\n", next: { from: 60, unit: "byte" } }),
  ],
  ["lines found", found("o12", "a", { bytes: 99, gap: [99, 99], lines: [{ line: 3, text: "…a…" }], next: 4 })],
  ["no line found", found("o12", "a", { bytes: 99, gap: [99, 99], lines: [] })],
  ["no line found in what was kept", found("o12", "a", { bytes: 99, gap: [40, 60], lines: [] })],
  ["nothing printed", evaluation(evaluated(""))],
  [
    "an error of K with its place",
    evaluation(
      evaluated("5\n", {
        ok: false,
        statements: 3,
        failedStatement: 2,
        error: { name: "type", text: "type error", line: 2, column: 2, source: "1+`a", caret: " ^", at: "+" },
      }),
      { entry: "x+y  plus: Sum.\n  1+2  →  3" },
    ),
  ],
  [
    "an error of K in the engine's words",
    evaluation(evaluated("", { ok: false, failedStatement: 1, error: { name: "value", text: "Error: Undefined variable: foo" } })),
  ],
  [
    "restored",
    evaluation(
      evaluated("2", {
        notices: [{ kind: "restored", generation: 2, why: '"loop" was ended by force', restored: 1, lost: held.lost, missed: 1 }],
      }),
    ),
  ],
  [
    "back from disk, and a folder in trouble",
    evaluation(
      evaluated("2", {
        notices: [
          {
            kind: "restored",
            generation: 1,
            why: "the server was restarted",
            savedMsAgo: 90_000,
            restored: 2,
            lost: [],
            missed: 0,
          },
          { kind: "disk", sentence: "/home/k/state/a is cut short. It was put aside as a.damaged-20261121T120000Z." },
        ],
      }),
    ),
  ],
  [
    "changes",
    evaluation(
      evaluated("", {
        changes: [
          { path: ".k.a", before: undefined, after: seen(-1, "3") },
          { path: ".k.b", before: seen(1, ""), after: seen(0, "2 2") },
          { path: ".k.c", before: seen(7, ""), after: undefined },
        ],
      }),
    ),
  ],
  ["no changes", evaluation(evaluated("2", { changes: [] }))],
  [
    "rolled back",
    evaluation(
      evaluated("", {
        ok: false,
        statements: 2,
        failedStatement: 2,
        rolledBack: true,
        error: { name: "type", text: "type error" },
      }),
    ),
  ],
  ["output cut", evaluation(evaluated("0 1 2\n… 1388000 bytes left out …\n199999", { truncated: { bytes: 1_388_888, kept: 888 } }))],
  [
    "notices",
    evaluation(
      evaluated("2", {
        notices: [
          {
            kind: "fresh",
            generation: 3,
            why: "the interpreter had ended",
            lost: [{ path: ".k.a", why: "no capture was made since it was defined" }],
          },
          { kind: "stale", runningHash: "0123456789abcdef", buildHash: "fedcba9876543210" },
          { kind: "brace", line: 3 },
          { kind: "silent", statement: "(1 2;3" },
          { kind: "quotes" },
          { kind: "unheld", variables: held.lost },
          { kind: "restored", generation: 3, why: "the interpreter had ended", restored: 8, lost: [], missed: 14 },
          { kind: "timeout-capped", setting: "K3_EVAL_TIMEOUT_MAX", askedMs: 700_000, usedMs: 600_000 },
        ],
      }),
    ),
  ],
  ["k_define", defined(mean, { same: false, kept: true, limitsMemory: true, warnings: [] })],
  [
    "k_define, with notes",
    defined(
      { ...mean, version: 2, touches: ["file write"], assigns: [".k.n"], unknown: ["g"], memory: 1_048_576 },
      { same: true, kept: false, limitsMemory: false, warnings: ["1:2 warning glued-verbs: == is two verbs: a=(=b)"] },
    ),
  ],
  ["kf_mean", called(mean, { evaluation: evaluated("1.5"), value: { value: 1.5, printed: [] } }, settings)],
  [
    "kf_mean, a value that JSON has no form for",
    called(mean, { evaluation: evaluated("0I"), value: { value: "0I", printed: [""] } }, settings),
  ],
  [
    "kf_mean, a part that JSON has no form for",
    called(mean, { evaluation: evaluated("(1;0i)"), value: { value: [1, "0i"], printed: ["[1]"] } }, settings),
  ],
  ["kf_mean, too long for JSON", called(mean, { evaluation: evaluated("0 1 2…") }, settings)],
  ["kf_mean, nothing", called(mean, { evaluation: evaluated("") }, settings)],
  [
    "kf_mean, an error of K",
    called(mean, { evaluation: evaluated("", { ok: false, error: { name: "type", text: "type error" } }) }, settings, "x+y  plus: Sum."),
  ],
  ["kf_mean, bad arguments", badCall(mean, ["v: missing; a list of numbers"])],
  ["k_define list", definitions([mean])],
  ["k_define list, none", definitions([])],
  ["k_define source", source(mean, [1, 2])],
  ["k_define remove", removed("mean")],
  ["k_define, no such tool", unknownTool("median", [mean])],
  ["k_define, no such version", unknownVersion("source", "mean", 9, [1, 2])],
  ["k_define, not a function", notDefined(["code: one function in braces"])],
  ["k_define, too many", tooMany([mean])],
  [
    "k_define, an example that fails",
    examplesFailed({ ran: 2, failing: [{ tool: "kf_mean", example: 2, expected: "2", got: "3" }], left: [] }),
  ],
  ["k_snapshot save, again", saved({ snapshot: { ...snapshot, lost: held.lost }, replaced: snapshot })],
  ["k_snapshot save, refused by the store", saved({ snapshot, isUnwritten: true })],
  ["k_snapshot rename, refused by the store", renamed("a", "b", { isUnwritten: true })],
  ["k_snapshot list", snapshots("main", [snapshot, { ...snapshot, name: "b", generation: 0, build: null }])],
  ["k_snapshot list, none", snapshots("main", [])],
  ["k_snapshot rebase, no difference", snapshotCompared({ snapshot, present: snapshot, ageMs: 0, differences: [], unsure: [] }, true)],
  [
    "k_snapshot diff, of another engine, while it is busy",
    snapshotCompared({
      snapshot,
      present: { ...snapshot, engine: "k3csharp" },
      ageMs: 1500,
      differences: [added("1")],
      unsure: [added("2")],
    }),
  ],
  ["k_snapshot restore", restored({ snapshot, generation: 2, restored: [".k.a"], removed: [".k.b"], lost: held.lost, renewed: true })],
  ["k_snapshot restore, nothing to do", restored({ snapshot, generation: 1, restored: [], removed: [], lost: [], renewed: false })],
  ["k_session list", listed([idle, { ...idle, name: "b", isEphemeral: true, running: { statement: "f 5", forMs: 5, waiting: 0 } }], [old])],
  ["k_session list, none", listed([], [])],
  ["k_session create", begun({ ...made, isEphemeral: true, variables: undefined })],
  ["k_session fork", begun({ ...made, engine: "k3csharp", variables: { restored: 3, lost: held.lost, missed: 0 } })],
  [
    "k_session merge",
    merged({ from: "main", snapshot: "s" }, "b", {
      ...made,
      added: [".k.a"],
      overwritten: [{ path: ".k.b", before: undefined, after: undefined }],
      same: [".k.c"],
      lost: held.lost,
    }),
  ],
  ["k_session close", closed({ ...idle, running: { statement: "while[1;x:1]", forMs: 5, waiting: 0 } })],
  ["k_session interrupt", sessionInterrupted("main", new EvaluationStopped(interrupted))],
  [
    "k_session interrupt, killed",
    sessionInterrupted("main", new EvaluationStopped({ ...interrupted, state: "restored", held, generation: 2 })),
  ],
  ["k_session interrupt, nothing runs", sessionInterrupted("main", undefined)],
  ...failures
    .filter(([title]) => /^(?:deadline, (?!rolled)|crash$|crash, )/.test(title))
    .map(([title, error]) => [`kf_mean, ${title}`, sessionFailed(mean, error, settings)] as const),
  ...(
    [
      { _tag: "refused", problem: "there is no mark pie", next: "There are line and bar." },
      { _tag: "deadline", ms: 300 },
      { _tag: "deadline", ms: 300, waitsFor: "other pictures" },
      { _tag: "memory", most: 512 },
      { _tag: "ended", exit: { code: 1, signal: null }, said: "RangeError: no" },
      { _tag: "spawn", detail: "ENOENT" },
    ] as const
  ).map(
    (reason) =>
      [
        `k_plot, ${reason._tag}${"waitsFor" in reason ? " while it waits" : ""}`,
        notDrawn(evaluated(""), new NotDrawn({ reason })),
      ] as const,
  ),
  ["k_reset", reset({ name: "main", how: "cleared", generation: 1 })],
  [
    "k_reset all",
    resetAll([
      { name: "a", how: "cleared", generation: 1 },
      { name: "b", how: "relaunched", generation: 3 },
    ]),
  ],
  ["k_reset all, none there", resetAll([])],
  ["k_reload", reload(reloaded)],
  ["k_reload, same build", reload({ engine: "k3csharp", oldHash: "0123", newHash: "0123", generation: 2, ms: 48.2, variables: null })],
  [
    "k_reload, built and checked",
    reload({
      ...reloaded,
      built: { ms: 4321, warningCount: 2 },
      check: checked,
    }),
  ],
  [
    "k_reload, nothing to compare with",
    reload({ engine: "k3csharp", oldHash: null, newHash: "4567", generation: 1, ms: 48.2, variables: null, check: null }),
  ],
  ["k_reload, compiler errors", notReloaded(new BuildFailed(broken), idle, settings)],
  ["k_reload, no compiler", notReloaded(new BuildFailed({ ...silent, reason: "missing" }), { ...idle, pid: null }, settings)],
  ["k_reload, build too long", notReloaded(new BuildFailed({ ...silent, reason: "timeout" }), idle, settings)],
  ["k_reload, new build not well", notReloaded(new LaunchFailed(launch), idle, settings)],
  ["k_reload, new build cannot add", notReloaded(new LaunchFailed({ ...launch, reason: "answer", answer: "3" }), idle, settings)],
  ["k_reload, a check ended the new build", notReloaded(new CheckFailed({ check: { ...checked, fallen: 1 } }), idle, settings)],
  ["k_reload, no file of cases", notReloaded(new BadCaseFile({ file: "a.k", reason: "there is no such file" }), idle, settings)],
  ["k_compare", compared(checked, { between: ["embedded", "k3csharp"], file: "a.jsonl", session: "main" })],
  ["k_compare, one statement, alike", compared(alike, { between: ["running", "disk"], code: "1+1", session: "main" })],
  [
    "k_compare, variables missing on one side, and changes",
    compared(
      {
        ...alike,
        began: 4,
        missing: { a: [], b: [{ path: ".k.l", why: "K3CSharp does not bring back functions in a list" }] },
        changes: { a: [added("1")], b: [added("2")] },
      },
      { between: ["embedded", "k3csharp"], code: "1+1", session: "main" },
    ),
  ],
  ...(["what", "side", "idle", "file", "changes"] as const).map(
    (problem) =>
      [
        `k_compare, ${problem}`,
        notCompared(new NotComparable({ problem, side: "kona" }), { between: ["kona", "disk"], session: "main" }),
      ] as const,
  ),
  [
    "k_inspect",
    inspection({
      path: ".k",
      entries: [
        { name: "a", type: -1, kind: "integers", shape: "3", preview: "1 2 3" },
        { name: "f", type: 7, kind: "function", shape: "", preview: "{x+y}" },
      ],
      generation: 1,
      ageMs: 2300,
      omitted: 12,
    }),
  ],
  ["k_inspect, nothing there", inspection({ path: ".k", entries: [], generation: 1, ageMs: 0, omitted: 0 })],
  [
    "k_inspect, one directory of several",
    inspection({ path: ".d", entries: [], others: [".k", ".e"], generation: 1, ageMs: 0, omitted: 0 }),
  ],
  [
    "k_inspect, one value",
    inspection({
      path: "a",
      entries: [],
      value: { name: "a", type: 1, kind: "integer", shape: "", preview: "5" },
      generation: 1,
      ageMs: 0,
      omitted: 0,
    }),
  ],
  [
    "k_inspect, a list too large to be weighed whole",
    inspection({
      path: "t",
      entries: [],
      value: { name: "t", type: 0, kind: "list", shape: "2000000", preview: "(1 2;1 2;1 2…", bytesAtLeast: 23_999_992, tail: "(1 2;1 2)" },
      generation: 1,
      ageMs: 0,
      omitted: 0,
    }),
  ],
  ["k_status", status({ ...facts, open: [idle] })],
  [
    "k_status, busy, stale, crashed before",
    status({
      ...facts,
      of: {
        ...idle,
        phase: "evaluating",
        engine: "k3csharp",
        engineWhy: "a build is there",
        buildFolder: "/home/k/K3CSharp/bin/Debug/net8.0",
        buildFolderWhy: "set by K3_BUILD_DIR",
        shadow: "/tmp/k3-mcp/0123",
        buildHash: "fedcba9876543210fedcba9876543210",
        stale: true,
        running: { statement: "while[1;x:1]", forMs: 12_345, waiting: 2 },
        lastCrash: "exit code 134 in: f 5",
        memoryBytes: 54 * 2 ** 20,
        onDisk: { ageMs: 65_000, behind: 3 },
      },
      open: [idle, { ...idle, name: "other" }],
      disk: {
        ...disk,
        trouble: ["/home/k/state/a cannot be written (no space left on the disk). Work goes on."],
        stored: [{ name: "old", engine: "embedded", variables: 12, ageMs: 3_600_000 }],
      },
    }),
  ],
  ...(["launch", "check"] as const).map(
    (refused) =>
      [
        `k_status, the build on disk was refused: ${refused}`,
        status({ ...facts, of: { ...idle, engine: "k3csharp", stale: true, refused } }),
      ] as const,
  ),
  [
    "k_status, the build is gone",
    status({
      ...facts,
      of: {
        ...idle,
        engine: "k3csharp",
        buildFolder: "/home/k/K3CSharp/bin/Debug/net8.0",
        buildFolderWhy: "set by K3_BUILD_DIR",
        buildHash: null,
        stale: null,
        engineVersion: null,
      },
      open: [idle],
      connection: { server: "0.1.0" },
    }),
  ],
  [
    "k_status, never used",
    status({
      ...facts,
      of: { ...idle, phase: "down", pid: null, generation: 0, uptimeMs: null, evaluations: 0 },
      disk: { ...disk, folder: null },
    }),
  ],
  ...failures.map(([title, error]) => [title, failure(error, settings)] as const),
]
