/**
 * Values under way, held where the JavaScript engine's garbage collector finds them early.
 *
 * The collector marks values on the heap in small steps while the program runs, but values that only the stack reaches in one go at the
 * end, and meanwhile no interrupt is heard: 0.2 to 0.5 s for a list of 500,000 small vectors that a loop has half made, 5 to 15 ms
 * when it is held here (V8 of Node 20).
 *
 * Guarantees: a held value is released at the end of its loop, of a trapped error, or of the statement. Does not: hold a value in a
 * local of a function while other things are worked on.
 */
const held: unknown[] = []
// The collector reaches a module's own names only by way of its functions, which may be on the stack alone.
Object.defineProperty(globalThis, Symbol("what an evaluation holds"), { value: held })

/** Holds x until the place that this gives is released. */
export const hold = (x: unknown): number => held.push(x) - 1

/** Does the work while x is held. */
export const holding = <A>(x: unknown, work: () => A): A => {
  const place = hold(x)
  const result = work()
  release(place)
  return result
}

/** The place of the value that is held next. */
export const height = (): number => held.length

/** Releases the values at that place and after it. */
export const release = (place: number): void => {
  while (held.length > place) held.pop()
}
