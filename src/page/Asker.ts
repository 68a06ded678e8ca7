/**
 * Keeps the reply to one question up to date. Guarantees: one request at a time; every reply is given, so that changes in quick succession cannot
 * hold back all of them; a change during a request causes another one; a request is repeated after a failure, and after a reply that is not the state
 * of now. Does not: know the question.
 */

import { Pause } from "./Pause.ts"

/** Milliseconds until a request is repeated. */
const firstWait = 200
const longestWait = 3200

interface Parts<Reply> {
  readonly ask: () => Promise<Reply>
  readonly onReply: (reply: Reply) => void
  readonly onFailure: (error: Error) => void
  /** Is the reply not the state of now? */
  readonly isPassing: (reply: Reply) => boolean
}

export class Asker<Reply> {
  private isDue = false
  private isBusy = false
  private isOpen = true
  private readonly pause = new Pause()

  constructor(private readonly parts: Parts<Reply>) {}

  /** Asks; during a request, asks again after it. */
  renew(): void {
    this.isDue = true
    this.pause.end()
    if (!this.isBusy) void this.keepUp()
  }

  /** Gives no reply from now on. */
  close(): void {
    this.isOpen = false
    this.pause.end()
  }

  private async keepUp(): Promise<void> {
    this.isBusy = true
    for (let wait = firstWait; this.isDue && this.isOpen;) {
      this.isDue = false
      if (await this.ask()) {
        wait = firstWait
        continue
      }
      this.isDue = true
      await this.pause.wait(wait)
      wait = Math.min(2 * wait, longestWait)
    }
    this.isBusy = false
  }

  /** False when the request is to be repeated. */
  private async ask(): Promise<boolean> {
    try {
      const reply = await this.parts.ask()
      if (this.isOpen) this.parts.onReply(reply)
      return !this.parts.isPassing(reply)
    } catch (error) {
      if (this.isOpen) this.parts.onFailure(error as Error)
      return false
    }
  }
}
