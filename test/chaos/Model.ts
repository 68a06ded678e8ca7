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
  /** The present values; 0 is the one a session begins with. */
  private values: number[] = Array.from({ length: variables }, () => 0)
  /** Of each variable: evaluations that may have assigned it since. */
  private maybe: number[][] = Array.from({ length: variables }, () => [])
  /** Of each variable: all that it was ever seen or said to be. */
  private readonly earlier = Array.from({ length: variables }, () => new Set([0]))
  private kept: number[] = Array.from({ length: variables }, () => -1)
  /** What the replies said since the variables were last read. */
  private said = ""
  readonly session: string
  constructor(session: string) {
    this.session = session
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

  /** The present is written: no later loss may go behind it. */
  keep(): void {
    this.kept = [...this.values]
  }

  /** All variables as they were read; undefined: they were not there. Goes on from what was seen. */
  see(seen: readonly number[] | undefined): readonly Loss[] {
    const found = this.values.flatMap((value, i) => this.judge(i, value, seen?.[i]))
    if (seen !== undefined) this.values = [...seen]
    this.maybe = this.maybe.map(() => [])
    seen?.forEach((value, i) => this.earlier[i]!.add(value))
    this.said = ""
    return found
  }

  /** It is gone for good: what comes now begins anew. */
  forget(): void {
    this.values = this.values.map(() => 0)
  }

  private judge(i: number, value: number, seen: number | undefined): readonly Loss[] {
    if (seen === value || (seen !== undefined && this.maybe[i]!.includes(seen))) return []
    const told = `${this.session}.v${i} is ${seen ?? "not there"}, was ${value}, written up to ${this.kept[i]}, maybe ${this.maybe[i]!.join(" ")}; said:${this.said || " nothing"}`
    if (seen === undefined ? this.kept[i]! >= 0 : seen < this.kept[i]!) return [{ kind: "lost", text: told }]
    if (seen !== undefined && !this.earlier[i]!.has(seen)) return [{ kind: "wrong", text: told }]
    return isTold(this.said) ? [] : [{ kind: "unsaid", text: told }]
  }
}

/** Do the replies say that variables are older than they were? */
const isTold = (said: string): boolean => /from disk, as of|are gone\.|Lost since|is lost|was lost|restored/i.test(said)
