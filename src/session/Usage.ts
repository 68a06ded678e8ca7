/** How a session is used: by how many now, and when it was last. A closed session says so to whoever was in it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { elapsedMs } from "../elapsed.ts"
import { SessionClosed } from "./SessionError.ts"

export class Usage {
  private active = 0
  private last: number

  private constructor(
    private readonly session: string,
    private readonly isClosed: () => boolean,
    private readonly clock: Clock.Clock,
  ) {
    this.last = elapsedMs(clock)
  }

  static readonly make = (session: string, isClosed: () => boolean): Effect.Effect<Usage> =>
    Effect.map(Clock.Clock, (clock) => new Usage(session, isClosed, clock))

  get busy(): boolean {
    return this.active > 0
  }

  /** Milliseconds since it was last used; 0 while it is. */
  get idleMs(): number {
    return this.active > 0 ? 0 : elapsedMs(this.clock) - this.last
  }

  touch(): void {
    this.last = elapsedMs(this.clock)
  }

  begin(): void {
    this.active++
  }

  end(): void {
    this.active--
    this.touch()
  }

  /** What failed for the session's having been closed fails as that. */
  readonly asClosed = <E>(error: E): E | SessionClosed => (this.isClosed() ? new SessionClosed({ session: this.session }) : error)

  /** It is in use while this runs. */
  during<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SessionClosed, R> {
    return Effect.suspend(() => {
      this.begin()
      return Effect.ensuring(
        Effect.mapError(effect, this.asClosed),
        Effect.sync(() => this.end()),
      )
    })
  }
}
