/** Lets one in at a time, in the order in which they came. */
export class WriteQueue {
  #isTaken = false
  readonly #waiting = new Set<() => void>()

  /** False where the turn did not come within `msMax`. Whoever gets it must leave. */
  async enter(msMax: number): Promise<boolean> {
    if (!this.#isTaken) {
      this.#isTaken = true
      return true
    }
    return new Promise((resolve) => {
      const enter = (): void => {
        clearTimeout(timer)
        resolve(true)
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(enter)
        resolve(false)
      }, msMax)
      this.#waiting.add(enter)
    })
  }

  leave(): void {
    const [next] = this.#waiting
    if (!next) {
      this.#isTaken = false
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
