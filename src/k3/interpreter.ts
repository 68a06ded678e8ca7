/**
 * One interpreter: the K tree, compiled statements, and the loop from text to printed value.
 *
 * Guarantees: `evaluate` never throws and leaves variables as they were before the assignment that failed; errors thrown inside, also by
 * the JavaScript engine when its stack or memory ends, come out as K errors with their places.
 * Does not: read lines or prompt; `src/repl` does.
 */
import { call } from "./run/apply.ts"
import * as budget from "./run/budget.ts"
import { Captures, type CaptureLimits, type Changes, type Given, type Lost, type Workspace } from "./tree/Captures.ts"
import { command, type Commander } from "./run/commands.ts"
import { compile, type Compiled } from "./compile/compile.ts"
import type { Context, Trace, Unit } from "./compile/Context.ts"
import { display } from "./values/format.ts"
import type { Failure } from "./Failure.ts"
import type { Host, Limits } from "./Host.ts"
import { KError } from "./run/KError.ts"
import { trappedName } from "./run/wording.ts"
import { SyntaxKError } from "./syntax/SyntaxKError.ts"
import { look, type Look, type View } from "./tree/look.ts"
import { parse } from "./syntax/parser.ts"
import { imageOf, imageSize } from "./values/image.ts"
import { onlyMakesFunction } from "./syntax/functionText.ts"
import { failureOf } from "./run/render.ts"
import { height, hold, release } from "./run/roots.ts"
import { preview } from "./values/preview.ts"
import { placeOf } from "./text/place.ts"
import { isCommand, scriptText, statements } from "./text/statements.ts"
import type { Directory } from "./tree/Directory.ts"
import { traceTo } from "./run/trace.ts"
import { Tree } from "./tree/tree.ts"
import { chars, collapse, count, Dict, Func, NIL, typeOf, type Value } from "./values/value.ts"
import type { Amended } from "./run/kernel.ts"
import { Variables } from "./tree/Variables.ts"
import { vocabulary } from "./primitives/vocabulary.ts"

export interface Interpreter {
  /** Runs one statement or command. `undefined` when well, else the error; what was printed before it has been written. */
  evaluate(statement: string): Failure | undefined
  /** As `evaluate`, with `memory` in place of its limit; `image` is what `_bd` makes of the statement's value, when that takes at most `most` bytes. */
  imaged(
    statement: string,
    most: number,
    memory?: number,
  ): { readonly failure: Failure | undefined; readonly image: Uint8Array | undefined }
  /** Names below a K-tree path, for completion and looking: `name`, type code, count, shape text. */
  names(path: string): readonly { readonly name: string; readonly type: number; readonly count: number; readonly preview: string }[]
  /** Prompt depth and current directory. */
  readonly directory: string
  /** What changed in the whole tree since the answer numbered `since`; see `Captures.ts`. */
  capture(since: number, limits: CaptureLimits): Changes & { readonly serial: number }
  /** Removes names and puts captured values back; gives what did not come back equal. The workspace comes with the last call. */
  restore(given: readonly Given[], workspace: Workspace | undefined, removed?: readonly string[]): readonly Lost[]
  /** A look at what a path leads to, within a budget; throws `KError` for an index that leads nowhere. */
  look(view: View): Look
  /** Functions of the whole tree with their text, at most so many. */
  functions(most: number): readonly { readonly path: string; readonly text: string }[]
  /** Remembers the state; `back` returns to it, once, if nothing was captured meanwhile. */
  mark(): void
  back(): void
}

/** Bytes an interpreter may hold when its host does not say. */
const MEMORY = 2 ** 30
/** Compiled statements kept. */
const KEPT = 512
/** Longer texts are data more often than code that comes again. */
const LONGEST_KEPT = 4096
/** Triggers that run triggers. */
const TRIGGER_DEPTH = 32

export class Interp implements Interpreter, Context, Commander {
  precision = 7
  seed = -314159
  amended: Amended | undefined = undefined
  readonly depth: { n: number; max: number }
  readonly trace: Trace | undefined
  tree: Tree
  readonly variables = new Variables(this, (code, amended, home) => this.trigger(code, amended, home))
  private readonly limits: budget.Limits
  private readonly kept = new Map<string, Compiled>()
  private readonly captures = new Captures(this)
  private triggers = 0
  /** The outermost operation of what `execute` ran last was an assignment. */
  private executedQuietly = false

  constructor(
    readonly host: Host,
    limits: Limits,
  ) {
    this.limits = {
      interrupted: () => host.interrupted(),
      memory: limits.memory ?? MEMORY,
      room: (bytes) => host.room(bytes),
      steps: limits.steps ?? Infinity,
    }
    this.depth = { n: 0, max: limits.depth ?? 2000 }
    this.trace = host.trace === undefined ? undefined : traceTo(host.trace, this)
    this.tree = this.emptyTree()
  }

  private emptyTree(): Tree {
    return new Tree({
      run: (code, directory) => this.inDirectory(directory, () => this.run(this.compiled(code))),
      reads: (code, directory) => this.inDirectory(directory, () => this.readBy(code)),
      trigger: (code, cell, index) => this.trigger(code, { variable: cell.path, index }, cell.home),
    })
  }

  evaluate(statement: string): Failure | undefined {
    return this.guarded(statement, () => this.print(statement))
  }

  imaged(statement: string, most: number, memory = this.limits.memory): ReturnType<Interpreter["imaged"]> {
    let image: Uint8Array | undefined
    const failure = this.guarded(
      statement,
      () => {
        const value = this.print(statement)
        if (imageSize(value) <= most) image = imageOf(value)
      },
      { ...this.limits, memory },
    )
    return { failure, image }
  }

  private guarded(statement: string, work: () => void, limits = this.limits): Failure | undefined {
    budget.begin(limits)
    this.depth.n = 0
    this.triggers = 0
    hold(this)
    try {
      work()
      return undefined
    } catch (thrown) {
      return failureOf(this.asKError(thrown), statement)
    } finally {
      this.tree.pending = []
      release(0)
    }
  }

  names(path: string): ReturnType<Interpreter["names"]> {
    const place = this.tree.place(path)
    const value = "directory" in place ? this.tree.listing(place.directory) : this.variables.find(path)
    if (!(value instanceof Dict)) return []
    return value.keys.map((key, i) => {
      const x = value.values[i]!
      return { name: key.text, type: typeOf(x), count: count(x), preview: preview(x, this.precision) }
    })
  }

  look(view: View): Look {
    return this.aside(() => {
      const place = this.tree.place(view.path)
      // Not `read`: nobody keeps what is looked at, so the variable goes on owning it.
      const value =
        "cell" in place && place.keys.length === 0
          ? (place.cell.value ?? this.tree.fetch(place.cell))
          : "directory" in place
            ? this.tree.listing(place.directory)
            : this.variables.find(view.path)
      if (value === undefined) return { entries: [], total: 0 }
      return look(value, view, (x) => preview(x, this.precision))
    })
  }

  functions(most: number): ReturnType<Interpreter["functions"]> {
    const found: { readonly path: string; readonly text: string }[] = []
    const visit = (directory: Directory): void => {
      for (const { path, value } of directory.cells.values())
        if (value instanceof Func && found.length < most) found.push({ path, text: value.text.slice(0, LONGEST_KEPT) })
      for (const child of directory.children.values()) visit(child)
    }
    visit(this.tree.root)
    return found
  }

  get directory(): string {
    return this.tree.current.path
  }

  /** Gives what it printed, or would have. */
  private print(source: string): Value {
    this.host.trace?.(source)
    if (isCommand(source)) {
      const answer = this.atPlace(source, () => command(source, this))
      if (answer.prints !== "") this.host.write(answer.prints)
      return answer.value
    }
    const compiled = this.compiled(source)
    this.executedQuietly = false
    const value = this.run(compiled)
    const quiet = compiled.quiet || (compiled.executes && this.executedQuietly)
    if (!quiet && value !== NIL) this.host.write(display(value, this.precision) + "\n")
    return value
  }

  execute(code: string): Value {
    if (isCommand(code)) return this.atPlace(code, () => command(code, this)).value
    const compiled = this.compiled(code)
    const value = this.run(compiled)
    this.executedQuietly = compiled.quiet
    return value
  }

  functionOf(code: string): Value | undefined {
    return onlyMakesFunction(parse(code, vocabulary(), budget.tick)) ? this.execute(code) : undefined
  }

  load(script: string, name: string): void {
    const { depth } = this
    if (depth.n >= depth.max) throw new KError("stack", { what: "depth", most: depth.max, of: "scripts and calls" })
    depth.n++
    for (const { source, line } of statements(scriptText(script))) {
      try {
        this.print(source)
      } catch (thrown) {
        const error = this.asKError(thrown)
        const last = error.trace.pop() ?? { source, span: { start: 0, end: source.length } }
        const at = line + placeOf(last.source, last.span.start).line - 1
        const loading = `\\l ${name}`
        error.add({ ...last, name: `${name}:${at}`, isScript: true })
        error.add({ source: loading, span: { start: 0, end: loading.length } })
        throw error
      }
    }
    depth.n--
  }

  private run(compiled: Compiled): Value {
    const { tree } = this
    const before = tree.pending
    if (compiled.assigns.length > 0) tree.pending = before.length === 0 ? compiled.assigns : [...before, ...compiled.assigns]
    const value = compiled.run()
    tree.pending = before
    return value
  }

  private compiled(source: string): Compiled {
    const key = `${this.tree.current.path}\n${source}`
    const known = this.kept.get(key)
    if (known !== undefined) return known
    const made = this.atPlace(source, () => compile(source, parse(source, vocabulary(), budget.tick), this))
    if (source.length <= LONGEST_KEPT) {
      if (this.kept.size >= KEPT) this.kept.delete(this.kept.keys().next().value!)
      this.kept.set(key, made)
    }
    return made
  }

  /** An error of the text itself gets the text as its frame. */
  private atPlace<A>(source: string, work: () => A): A {
    try {
      return work()
    } catch (thrown) {
      const error = this.asKError(thrown)
      const span = error instanceof SyntaxKError ? error.span : { start: 0, end: source.length }
      if (error.trace.length === 0) error.trace.push({ source, span })
      throw error
    }
  }

  private inDirectory<A>(directory: Directory, work: () => A): A {
    const before = this.tree.current
    this.tree.current = directory
    try {
      return work()
    } finally {
      this.tree.current = before
    }
  }

  private readBy(code: string): Pick<Compiled, "names" | "paths"> {
    try {
      return this.compiled(code)
    } catch (thrown) {
      // It is told when the value is wanted.
      if (thrown instanceof SyntaxKError) return { names: [], paths: [] }
      throw thrown
    }
  }

  private trigger(code: string, amended: Amended, home: Directory): void {
    if (this.triggers >= TRIGGER_DEPTH) throw new KError("stack", "triggers run triggers without end")
    this.triggers++
    const before = this.amended
    this.amended = amended
    try {
      this.inDirectory(home, () => this.execute(code))
    } finally {
      this.triggers--
      this.amended = before
    }
  }

  blame(thrown: unknown, unit: Unit, p: number): KError {
    const error = this.asKError(thrown)
    error.add({ source: unit.source, span: unit.spans[p]!, name: unit.name })
    return error
  }

  private asKError(thrown: unknown): KError {
    if (thrown instanceof KError) return thrown
    if (thrown instanceof RangeError) return /stack/i.test(thrown.message) ? new KError("stack") : new KError("wsfull", thrown.message)
    return new KError("internal", { what: "thrown", thrown: String(thrown) })
  }

  trap(work: () => Value): Value {
    const { n } = this.depth
    const { current, pending } = this.tree
    const place = height()
    try {
      return collapse([0, work()])
    } catch (thrown) {
      const error = this.asKError(thrown)
      if (error.isFinal) throw error
      this.depth.n = n
      release(place)
      this.tree.current = current
      this.tree.pending = pending
      return collapse([1, chars(trappedName(error.kind, error.kname))])
    }
  }

  apply(f: Value, args: readonly Value[]): Value {
    return call(f, args, this)
  }

  get currentDirectory(): string {
    return this.tree.current.path
  }

  capture(since: number, limits: CaptureLimits): Changes & { readonly serial: number } {
    return this.aside(() => this.captures.capture(since, limits))
  }

  restore(given: readonly Given[], workspace: Workspace | undefined, removed?: readonly string[]): readonly Lost[] {
    return this.aside(() => this.captures.restore(given, workspace, removed))
  }

  mark(): void {
    this.captures.mark()
  }

  back(): void {
    this.captures.back()
  }

  /** Work of the host's own, with a budget of its own. */
  private aside<A>(work: () => A): A {
    budget.begin(this.limits)
    this.depth.n = 0
    return work()
  }

  forget(): void {
    this.kept.clear()
  }

  clear(): void {
    this.forget()
    this.tree = this.emptyTree()
  }
}
