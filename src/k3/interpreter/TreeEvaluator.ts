/**
 * Evaluates K over one tree. Compiled code, verbs, commands, dependencies and triggers call it back.
 *
 * Guarantees: an error that leaves it is an error of K with its places; after a trapped error, depth, directory and held values are as they were.
 * Does not: set a budget, or catch errors that are not trapped; `Interpreter.ts` does.
 */
import { runScript } from "./scripts.ts"
import { inText, kErrorOf } from "./thrown.ts"
import { Cache } from "../compile/Cache.ts"
import { compile, type Compiled } from "../compile/compile.ts"
import type { Context, Trace, Unit } from "../compile/Context.ts"
import type { Host } from "../Host.ts"
import { emptyPool } from "../run/arrayPool.ts"
import { vocabulary } from "../primitives/vocabulary.ts"
import { call } from "../run/apply.ts"
import { tick } from "../run/budget.ts"
import { command, type Commander } from "../run/commands.ts"
import { KError } from "../run/KError.ts"
import type { Amended } from "../run/kernel.ts"
import { height, release } from "../run/roots.ts"
import { traceTo } from "../run/trace.ts"
import { trappedName } from "../run/wording.ts"
import { onlyMakesFunction } from "../syntax/functionText.ts"
import { parse } from "../syntax/parser.ts"
import { isCommand } from "../text/statements.ts"
import type { Directory } from "../tree/Directory.ts"
import { Tree } from "../tree/tree.ts"
import { Variables } from "../tree/Variables.ts"
import { display } from "../values/format.ts"
import { chars, collapse, NIL, type Value } from "../values/value.ts"

const DEEPEST_TRIGGERS = 32
/** Compiled texts. */
const KEPT = 512
/** Characters. Longer texts are data more often than code that is run again. */
export const LONGEST_KEPT = 4096

export class TreeEvaluator implements Context, Commander {
  precision = 7
  seed = -314159
  readonly depth: { n: number; max: number }
  readonly trace: Trace | undefined
  readonly variables = new Variables(this, (code, amended, home) => this.runTrigger(code, amended, home))
  /** By directory, locals and text. */
  private readonly compiled = new Cache<Compiled>(KEPT)
  /** The amended variable and index of each running trigger, the innermost last. */
  private readonly triggers: Amended[] = []
  tree = this.emptyTree()

  /** `depth`: calls that K may nest. */
  constructor(
    readonly host: Host,
    depth = 2000,
  ) {
    this.depth = { n: 0, max: depth }
    this.trace = host.trace === undefined ? undefined : traceTo(host.trace, this)
  }

  private emptyTree(): Tree {
    return new Tree({
      run: (code, directory) => this.deeper("dependencies", () => this.inDirectory(directory, () => this.run(this.compile(code)))),
      reads: (code, directory) => this.inDirectory(directory, () => this.readBy(code)),
      trigger: (code, cell, index) => this.runTrigger(code, { variable: cell.path, index }, cell.home),
    })
  }

  /** Ends the calls and assignments that an error left open. */
  abandon(): void {
    this.depth.n = 0
    this.tree.pending = []
    release(0)
  }

  /** Runs a statement or command, and prints as the console does. Gives the value, also when nothing is printed. */
  print(source: string, isQuiet = false): Value {
    this.host.trace?.(source)
    if (isCommand(source)) {
      const answer = inText(source, () => command(source, this))
      if (answer.prints !== "") this.host.write(answer.prints)
      return answer.value
    }
    const compiled = this.compile(source)
    const value = this.run(compiled)
    if (!isQuiet && !compiled.quiet && value !== NIL) this.host.write(display(value, this.precision) + "\n")
    return value
  }

  /** Nil for a text that ends in an assignment, as Kx has it: the console prints nothing for it. */
  execute(code: string, locals: ReadonlyMap<string, Value> = new Map()): Value {
    if (isCommand(code)) return inText(code, () => command(code, this)).value
    const compiled = this.compile(code, [...locals.keys()])
    const value = this.run(compiled, [...locals.values()])
    return compiled.quiet ? NIL : value
  }

  functionOf(code: string, path: string, locals?: ReadonlyMap<string, Value>): Value | undefined {
    if (!onlyMakesFunction(parse(code, vocabulary(), tick))) return undefined
    return this.inDirectory(this.tree.directoryNamed(path), () => this.execute(code, locals))
  }

  private compile(source: string, locals: readonly string[] = []): Compiled {
    const make = (): Compiled => inText(source, () => compile(source, parse(source, vocabulary(), tick), this, locals))
    return source.length > LONGEST_KEPT ? make() : this.compiled.get(`${this.currentDirectory}\n${locals.join()}\n${source}`, make)
  }

  private run({ assigns, run }: Compiled, locals: readonly Value[] = []): Value {
    const { tree } = this
    const before = tree.pending
    // The text may be compiled for a long time, and the names removed since.
    for (const { home, name } of assigns) home.cell(name.text)
    if (assigns.length > 0) tree.pending = before.length === 0 ? assigns : [...before, ...assigns]
    const value = run(locals)
    tree.pending = before
    return value
  }

  /** Runs a script. The current directory is the same after it, by its path, since the script may clear the tree. */
  load(script: string, name: string): void {
    const { currentDirectory } = this
    try {
      this.deeper("scripts", () => runScript(script, name, (statement) => void this.print(statement)))
    } finally {
      this.tree.current = this.tree.directoryNamed(currentDirectory)
    }
  }

  /** Runs work that counts as a call. After an error the depth stays raised until the code that catches the error sets it back. */
  private deeper<A>(of: string, work: () => A): A {
    const { depth } = this
    if (depth.n >= depth.max) throw new KError("stack", { what: "depth", most: depth.max, of: `${of} and calls` })
    depth.n++
    const result = work()
    depth.n--
    return result
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

  /** The names in the text of a dependency. An error of the text is raised later, when the value is needed. */
  private readBy(code: string): Pick<Compiled, "names" | "paths"> {
    try {
      return this.compile(code)
    } catch (thrown) {
      if (kErrorOf(thrown).isFinal) throw thrown
      return { names: [], paths: [] }
    }
  }

  private runTrigger(code: string, amended: Amended, home: Directory): void {
    if (this.triggers.length >= DEEPEST_TRIGGERS) throw new KError("stack", "triggers run triggers without end")
    this.triggers.push(amended)
    try {
      this.inDirectory(home, () => this.execute(code))
    } finally {
      this.triggers.pop()
    }
  }

  get amended(): Amended | undefined {
    return this.triggers.at(-1)
  }

  blame(thrown: unknown, { source, spans, name }: Unit, p: number): KError {
    const error = kErrorOf(thrown)
    error.add({ source, span: spans[p]!, name })
    return error
  }

  trap(work: () => Value): Value {
    const { n } = this.depth
    const { current, pending } = this.tree
    const place = height()
    try {
      return collapse([0, work()])
    } catch (thrown) {
      const error = kErrorOf(thrown)
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

  /** Drops compiled texts: they hold cells of a tree that is replaced. */
  forget(): void {
    this.compiled.clear()
  }

  /** Frees memory that only makes K faster. True when there was some. */
  dropCaches(): boolean {
    const hadTexts = this.compiled.clear()
    return emptyPool() || hadTexts
  }

  clear(): void {
    this.forget()
    this.tree = this.emptyTree()
  }
}
