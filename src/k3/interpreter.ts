/**
 * One interpreter: the K tree, compiled statements, and the loop from text to printed value.
 *
 * Guarantees: `evaluate` never throws and leaves variables as they were before the assignment that failed; errors thrown inside, also by
 * the JavaScript engine when its stack or memory ends, come out as K errors with their places.
 * Does not: read lines or prompt; `src/repl` does.
 */
import { amend } from "./amend.ts"
import { append, ownsJoined } from "./append.ts"
import { call, index } from "./apply.ts"
import * as budget from "./budget.ts"
import { Captures, type CaptureLimits, type Changes, type Given, type Lost, type Workspace } from "./Captures.ts"
import { command } from "./commands.ts"
import { compile, type Compiled } from "./compile.ts"
import type { Context, Trace, Unit } from "./emitter.ts"
import { display } from "./format.ts"
import { help } from "./help.ts"
import type { Failure, Host, Interpreter, Limits } from "./k3.ts"
import { Verb } from "./function.ts"
import { KError, type Frame } from "./KError.ts"
import type { Kernel } from "./kernel.ts"
import { SyntaxKError } from "./lexer.ts"
import { look, type Look, type View } from "./look.ts"
import { parse } from "./parser.ts"
import { imageOf, imageSize } from "./primitives/image.ts"
import { onlyMakesFunction } from "./scope.ts"
import { failureOf } from "./render.ts"
import { statements, type Statement } from "./source.ts"
import { Tree, type Cell, type Directory } from "./tree.ts"
import { chars_, collapse, count, Dict, Func, isAtom, item, List, NIL, sym, typeOf, type Value, type Vector } from "./value.ts"
import { vocabulary } from "./vocabulary.ts"

/** Bytes an interpreter may hold when its host does not say. */
const MEMORY = 2 ** 30
/** Compiled statements kept. */
const KEPT = 512
/** Longer texts are data more often than code that comes again. */
const LONGEST_KEPT = 4096
/** Frames kept of one error. */
const FRAMES = 16
/** Triggers that run triggers. */
const TRIGGER_DEPTH = 32

const SYNTAX = new Set(["character", "open", "unmatched"])

export class Interp implements Interpreter, Kernel, Context {
  precision = 7
  seed = -314159
  amended: { readonly variable: string; readonly index: Value } | undefined = undefined
  readonly kernel = this
  readonly depth: { n: number; max: number }
  readonly trace: Trace | undefined
  tree: Tree
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
      memoryUsed: () => host.memoryUsed(),
      steps: limits.steps ?? Infinity,
    }
    this.depth = { n: 0, max: limits.depth ?? 2000 }
    this.trace = host.trace === undefined ? undefined : this.traceTo(host.trace)
    this.tree = this.emptyTree()
  }

  private emptyTree(): Tree {
    return new Tree({
      run: (code, directory) => this.inDirectory(directory, () => this.dependency(code)),
      trigger: (code, cell) => this.trigger(code, cell),
    })
  }

  // What the host asks

  evaluate(statement: string): Failure | undefined {
    return this.guarded(statement, () => this.print(statement))
  }

  imaged(
    statement: string,
    most: number,
    memory = this.limits.memory,
  ): { readonly failure: Failure | undefined; readonly image: Uint8Array | undefined } {
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
    try {
      work()
      return undefined
    } catch (thrown) {
      return failureOf(this.asKError(thrown), statement)
    } finally {
      this.tree.pending = []
      this.amended = undefined
    }
  }

  statements(script: string): readonly Statement[] {
    return statements(script)
  }

  names(path: string): readonly { readonly name: string; readonly type: number; readonly count: number; readonly preview: string }[] {
    const value = this.find(path)
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
            : this.find(view.path)
      if (value === undefined) return { entries: [], total: 0 }
      return look(value, view, (x) => preview(x, this.precision))
    })
  }

  functions(most: number): readonly { readonly path: string; readonly text: string }[] {
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

  // Running

  /** Lines for a person: the statement, below it calls by depth and the variables they write. */
  private traceTo(line: (text: string) => void): Trace {
    const indent = (): string => "  ".repeat(this.depth.n + 1)
    return {
      called: ({ name, source }, args) => {
        const shown = name ?? (source.length > PREVIEW ? `${source.slice(0, PREVIEW)}…` : source).replaceAll("\n", ";")
        line(`${indent().slice(2)}${shown}[${args.map((x) => preview(x, this.precision)).join(";")}]`)
      },
      wrote: (cell) => line(`${indent()}${cell.name.text}: ${preview(cell.value ?? NIL, this.precision)}`),
    }
  }

  /** Gives what it printed, or would have. */
  private print(source: string): Value {
    this.host.trace?.(source)
    if (source.startsWith("\\")) {
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
    if (code.startsWith("\\")) return this.atPlace(code, () => command(code, this)).value
    const compiled = this.compiled(code)
    const value = this.run(compiled)
    this.executedQuietly = compiled.quiet
    return value
  }

  functionOf(code: string): Value | undefined {
    return onlyMakesFunction(parse(code, vocabulary())) ? this.execute(code) : undefined
  }

  load(script: string, name: string): void {
    for (const { source, line } of statements(script)) {
      try {
        this.print(source)
      } catch (thrown) {
        const error = this.asKError(thrown)
        const last = error.trace.pop() ?? { source, span: { start: 0, end: source.length } }
        const loading = `\\l ${name}`
        error.trace.push({ ...last, name: `${name}:${line}` }, { source: loading, span: { start: 0, end: loading.length } })
        throw error
      }
    }
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
    const made = this.atPlace(source, () => compile(source, parse(source, vocabulary()), this))
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

  private dependency(code: string): { readonly value: Value; readonly reads: readonly Cell[] } {
    const compiled = this.compiled(code)
    return { value: this.run(compiled), reads: compiled.names }
  }

  private trigger(code: string, cell: Cell): void {
    if (this.triggers >= TRIGGER_DEPTH) throw new KError("stack", "triggers run triggers without end")
    this.triggers++
    const before = this.amended
    this.amended = { variable: cell.path, index: before?.variable === cell.path ? before.index : NIL }
    try {
      this.inDirectory(cell.home, () => this.execute(code))
    } finally {
      this.triggers--
      this.amended = before
    }
  }

  /** A watched variable was changed at some places by compiled code. */
  putAt(cell: Cell, value: Value, places: readonly (Value | undefined)[]): void {
    this.noteAmended(cell, places)
    this.tree.put(cell, value)
  }

  private noteAmended(cell: Cell, places: readonly (Value | undefined)[]): void {
    this.amended = { variable: cell.path, index: places.length === 1 ? (places[0] ?? NIL) : collapse(places.map((i) => i ?? NIL)) }
  }

  // Errors

  blame(thrown: unknown, unit: Unit, p: number): KError {
    const error = this.asKError(thrown)
    const frame: Frame = { source: unit.source, span: unit.spans[p]!, name: unit.name }
    if (error.trace.length < FRAMES) error.trace.push(frame)
    else {
      error.trace[FRAMES - 1] = frame
      error.omitted++
    }
    return error
  }

  private asKError(thrown: unknown): KError {
    if (thrown instanceof KError) return thrown
    if (thrown instanceof RangeError) return /stack/i.test(thrown.message) ? new KError("stack") : new KError("wsfull", thrown.message)
    return new KError("internal", `a defect of the interpreter: ${String(thrown)}`)
  }

  trap(work: () => Value): Value {
    const { n } = this.depth
    const { current, pending } = this.tree
    try {
      return collapse([0, work()])
    } catch (thrown) {
      const error = this.asKError(thrown)
      if (error.kname === "break" || error.kname === "limit") throw error
      this.depth.n = n
      this.tree.current = current
      this.tree.pending = pending
      return collapse([1, chars_(SYNTAX.has(error.kname) ? "parse" : error.kname)])
    }
  }

  // What verbs ask

  apply(f: Value, args: readonly Value[]): Value {
    return call(f, args, this)
  }

  find(path: string): Value | undefined {
    const place = this.tree.place(path)
    if ("directory" in place) {
      // An empty directory shows as nothing at all.
      const all = this.tree.snapshot(place.directory)
      return all.keys.length === 0 ? NIL : all
    }
    const { cell, keys } = place
    if (keys[0] === "") {
      const attributes = this.tree.attributes(cell)
      return attributes === undefined ? NIL : this.below(attributes, keys.slice(1))
    }
    // What is below is handed out item by item.
    const value = keys.length === 0 ? this.tree.read(cell) : (cell.value ?? this.tree.fetch(cell))
    return value === undefined ? undefined : this.below(value, keys)
  }

  private below(value: Value, keys: readonly string[]): Value | undefined {
    const places = symbolsOf(keys)
    if (places.length === 0) return value
    if (value instanceof Dict && places.length === 1 && value.find(places[0]!) < 0 && !places[0]!.text.endsWith(".")) return undefined
    return index(value, places, this)
  }

  lookup(path: string): Value {
    const value = this.find(path)
    if (value === undefined) throw new KError("value", `${path} has no value`)
    return value
  }

  assign(path: string, value: Value): void {
    const place = this.tree.place(path)
    if ("directory" in place) this.tree.replace(place.directory, value)
    else if (place.keys.length === 0) this.tree.put(place.cell, value)
    else this.amend(path, [], undefined, value)
  }

  amend(path: string, places: readonly Value[], f: Value | undefined, y: Value | undefined, wanted = false): Value {
    const place = this.tree.place(path)
    const at = (changed: Value, way: readonly Value[]): Value => (wanted ? index(changed, way, this) : NIL)
    if ("directory" in place) {
      const changed = amend(this.tree.snapshot(place.directory), false, places, f, y, this)
      const result = at(changed, places)
      this.tree.replace(place.directory, changed)
      return result
    }
    const { cell, keys } = place
    if (keys[0] === "") {
      const attributes = this.tree.attributes(cell) ?? new Dict([], [], [])
      const way = [...symbolsOf(keys.slice(1)), ...places]
      const changed = amend(attributes, false, way, f, y, this)
      if (!(changed instanceof Dict)) throw new KError("type", "attributes are a dictionary")
      const result = at(changed, way)
      this.tree.setAttributes(cell, changed)
      return result
    }
    const before = cell.value ?? this.tree.fetch(cell) ?? NIL
    const way = [...symbolsOf(keys), ...places]
    const joins = way.length === 0 && f instanceof Verb && f.text === "," && y !== undefined
    const own = cell.own && cell.watch === undefined
    const changed = (joins ? append(before, own, y) : undefined) ?? amend(before, own, way, f, y, this)
    const result = at(changed, way)
    if (cell.watch !== undefined) this.putAt(cell, changed, places)
    else {
      cell.value = changed
      // Nothing of what is amended below it is let out, but for what is handed out.
      cell.own = way.length > 0 || (joins && !wanted && ownsJoined(changed, before, own, y))
    }
    return result
  }

  get currentDirectory(): string {
    return this.tree.current.path
  }

  namesIn(path: string): readonly string[] | undefined {
    const value = this.find(path)
    return value instanceof Dict ? value.keys.map((key) => key.text) : undefined
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

  preview(x: Value): string {
    return preview(x, this.precision)
  }

  forget(): void {
    this.kept.clear()
  }

  clear(): void {
    this.forget()
    this.tree = this.emptyTree()
  }

  help(topic: string): string {
    return help(topic)
  }
}

/** Keys of a path as indices: an empty key, for attributes, belongs to the key before it. */
const symbolsOf = (keys: readonly string[]): ReturnType<typeof sym>[] => {
  const out: string[] = []
  for (const key of keys) {
    if (key === "" && out.length > 0) out[out.length - 1] += "."
    else out.push(key)
  }
  return out.map(sym)
}

/** Characters of a preview. */
const PREVIEW = 60

/** As much of a value as can show in a preview; `room` counts what is still wanted. */
const head = (x: Value, room: { left: number }): Value => {
  if (x instanceof Dict) {
    const kept: Value[] = []
    for (let i = 0; i < x.keys.length && room.left > 0; i++) kept.push(head(x.values[i]!, room))
    return kept.length === x.keys.length ? x : new Dict(x.keys.slice(0, kept.length), kept, x.attributes.slice(0, kept.length))
  }
  room.left--
  if (isAtom(x)) return x
  const { v } = x as Vector | List
  if (x instanceof List) {
    const kept: Value[] = []
    for (let i = 0; i < v.length && room.left > 0; i++) kept.push(head(x.v[i]!, room))
    return kept.every((y, i) => y === x.v[i]) && kept.length === v.length ? x : new List(kept)
  }
  const n = Math.max(0, room.left)
  room.left -= v.length
  return v.length <= n ? x : collapse(Array.from({ length: n }, (_, i) => item(x as Vector, i)))
}

const preview = (x: Value, precision: number): string => {
  const small = head(x, { left: PREVIEW })
  const text = display(small, precision).replace(/\n */g, ";")
  return text.length > PREVIEW || small !== x ? `${text.slice(0, PREVIEW)}…` : text
}
