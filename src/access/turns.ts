/** Lets those who come under one name go one after the other, in the order in which they came. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  take<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name) ?? Promise.resolve()
    // How the one before fared is its own affair.
    const mine = before.then(work, work)
    const settled: Promise<void> = mine.then(
      () => this.#leave(name, settled),
      () => this.#leave(name, settled),
    )
    this.#last.set(name, settled)
    return mine
  }

  #leave(name: string, settled: Promise<void>): void {
    if (this.#last.get(name) === settled) this.#last.delete(name)
  }
}
