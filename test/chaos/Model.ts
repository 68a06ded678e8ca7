/**
 * What one session of the chaos run may hold, by all that its client was told: for each variable the value it had last, and those that an
 * evaluation without an answer may have given it.
 *
 * Guarantees: a value that was acknowledged and written (`kept`) is missed when it is gone, one that was acknowledged alone when it is gone
 * without a word. Values are the numbers of the evaluations that assigned them, so that none is given twice.
 */
export const variables = 4

export interface Loss {
  readonly kind: "lost" | "unsaid" | "wrong"
  readonly text: string
}

export class Model {
  /** Evaluations that were begun; each has the number that it writes outside and assigns. */
  tried = 0
  readonly acknowledged = new Set<number>()
  /** The present values, undefined where there is none; 0 is the one a session begins with. */
  private values: (number | undefined)[] = Array.from({ length: variables }, () => undefined)
  /** Of each variable: evaluations that may have assigned it since. */
  private maybe: number[][] = Array.from({ length: variables }, () => [])
  /** Of each variable: all that it was ever seen or said to be. */
  private readonly earlier = Array.from({ length: variables }, () => new Set([0]))
  private kept: (number | undefined)[] = Array.from({ length: variables }, () => undefined)
  /** What the replies said since the variables were last read. */
  private said = ""
  /** Of a call since then nobody knows what its reply said. */
  private isUnheard = false
  readonly session: string
  constructor(session: string) {
    this.session = session
  }

  get isBegun(): boolean {
    return !this.values.includes(undefined)
  }

  /** All variables may become 0. */
  mayBegin(): void {
    for (const each of this.maybe) each.push(0)
  }

  begun(): void {
    this.values = this.values.map(() => 0)
    this.maybe = this.maybe.map(() => [])
  }

  begin(variable: number): number {
    const n = ++this.tried
    this.maybe[variable]!.push(n)
    return n
  }

  acknowledge(variable: number, n: number): void {
    this.acknowledged.add(n)
    this.values[variable] = n
    this.earlier[variable]!.add(n)
    this.maybe[variable] = []
  }

  hear(text: string): void {
    this.said += ` ${text}`
  }

  /** The connection of a call ended before its reply. */
  missReply(): void {
    this.isUnheard = true
  }

  /** The present is written: no later loss may go behind it. */
  keep(): void {
    this.kept = [...this.values]
  }

  /** All variables as they were read; undefined: they were not there. Goes on from what was seen. */
  see(seen: readonly number[] | undefined): readonly Loss[] {
    const found = this.values.flatMap((value, i) => this.judge(i, value, seen?.[i]))
    this.values = this.values.map((_, i) => seen?.[i])
    this.maybe = this.maybe.map(() => [])
    seen?.forEach((value, i) => this.earlier[i]!.add(value))
    this.said = ""
    this.isUnheard = false
    return found
  }

  private judge(i: number, value: number | undefined, seen: number | undefined): readonly Loss[] {
    if (seen === value || (seen !== undefined && this.maybe[i]!.includes(seen))) return []
    const kept = this.kept[i]
    const told = `${this.session}.v${i} is ${seen ?? "not there"}, was ${value ?? "not there"}, written up to ${kept ?? "nothing"}, maybe ${this.maybe[i]!.join(" ")}; said:${this.said || " nothing"}`
    if (kept !== undefined && (seen === undefined || seen < kept)) return [{ kind: "lost", text: told }]
    if (seen !== undefined && !this.earlier[i]!.has(seen)) return [{ kind: "wrong", text: told }]
    return this.isUnheard || isTold(this.said) ? [] : [{ kind: "unsaid", text: told }]
  }
}

/** Do the replies say that variables are older than they were? */
const isTold = (said: string): boolean =>
  /from disk, as of|goes on elsewhere with the variables that were last written|are gone\.|Lost since|is lost|was lost|restored/i.test(said)
