/** A pause between two requests, which `end` cuts short. */
export class Pause {
  end = (): void => {}

  /** Waits; true when `end` was called meanwhile. */
  async wait(ms: number): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const isEnded = await new Promise<boolean>((resolve) => {
      this.end = () => resolve(true)
      timer = setTimeout(() => resolve(false), ms)
    })
    clearTimeout(timer)
    return isEnded
  }
}
