/** The youngest values made of texts. Guarantees: holds at most `most` of them. */
export class Cache<A> {
  private readonly kept = new Map<string, A>()
  constructor(private readonly most: number) {}

  get(text: string, make: () => A): A {
    const known = this.kept.get(text)
    if (known !== undefined) return known
    const made = make()
    if (this.kept.size >= this.most) this.kept.delete(this.kept.keys().next().value!)
    this.kept.set(text, made)
    return made
  }

  /** Lets go of all. Was there any? */
  clear(): boolean {
    const had = this.kept.size > 0
    this.kept.clear()
    return had
  }
}
