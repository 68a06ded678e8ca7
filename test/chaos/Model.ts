/**
 * The values that the variables of one session of the chaos run may have, by the replies to its client: for each variable the last known value,
 * and the values that evaluations without an answer may have assigned. An evaluation assigns its own number, so no two assign the same value.
 *
 * Guarantees: `see` reports a variable that is older than its written value (`kept`) as `lost`, a value that no evaluation was to assign as
 * `wrong`, and an older or missing value as `unsaid` when no reply said so. Does not: report `unsaid` when a reply is missing.
 */
export const variables = 4

export interface Loss {
  readonly kind: "lost" | "unsaid" | "wrong"
  readonly text: string
}

export class Model {
  /** The number of evaluations that were begun. Each evaluation appends its number to a file and assigns it. */
  tried = 0
  readonly acknowledged = new Set<number>()
  /** The last known values. A session begins with 0; undefined: the variable does not exist. */
  private values: (number | undefined)[] = Array.from({ length: variables }, () => undefined)
  /** For each variable, the values that evaluations without an answer may have assigned since. */
  private maybe: number[][] = Array.from({ length: variables }, () => [])
  /** For each variable, all values that evaluations were to assign. One without an answer may have assigned it before a later evaluation did. */
  private readonly asked = Array.from({ length: variables }, () => new Set([0]))
  /** The values that are known to be written. */
  private kept: (number | undefined)[] = Array.from({ length: variables }, () => undefined)
  /** The texts of the replies since the variables were last judged. */
  private said = ""
  /** A call since then had no reply. */
  private isUnheard = false
  readonly session: string
  constructor(session: string) {
    this.session = session
  }

  get isBegun(): boolean {
    return !this.values.includes(undefined)
  }

  /** Notes that an evaluation may assign 0 to all variables. */
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
    this.asked[variable]!.add(n)
    return n
  }

  acknowledge(variable: number, n: number): void {
    this.acknowledged.add(n)
    this.values[variable] = n
    this.maybe[variable] = []
  }

  hear(text: string): void {
    this.said += ` ${text}`
  }

  /** Notes a call without a reply. */
  missReply(): void {
    this.isUnheard = true
  }

  /** Notes that the last known values are written. No variable may become older than them. */
  keep(): void {
    this.kept = [...this.values]
  }

  /** Judges the values that were read, which become the last known values. Undefined: the variables did not exist. */
  see(seen: readonly number[] | undefined): readonly Loss[] {
    const found = this.values.flatMap((value, i) => this.judge(i, value, seen?.[i]))
    this.values = this.values.map((_, i) => seen?.[i])
    this.maybe = this.maybe.map(() => [])
    this.said = ""
    this.isUnheard = false
    return found
  }

  private judge(i: number, value: number | undefined, seen: number | undefined): readonly Loss[] {
    if (seen === value || (seen !== undefined && this.maybe[i]!.includes(seen))) return []
    const kept = this.kept[i]
    const told = `${this.session}.v${i} is ${seen ?? "not there"}, was ${value ?? "not there"}, written up to ${kept ?? "nothing"}, maybe ${this.maybe[i]!.join(" ")}; said:${this.said || " nothing"}`
    if (kept !== undefined && (seen === undefined || seen < kept)) return [{ kind: "lost", text: told }]
    if (seen !== undefined && !this.asked[i]!.has(seen)) return [{ kind: "wrong", text: told }]
    return this.isUnheard || isTold(this.said) ? [] : [{ kind: "unsaid", text: told }]
  }
}

/** True if the replies say that variables are older than before, or gone. */
const isTold = (said: string): boolean =>
  /from disk, as of|goes on elsewhere with the variables that were last written|are gone\.|Lost since|is lost|was lost|restored/i.test(said)
