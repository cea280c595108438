type Asked<Question, Answer> = {
  readonly question: Question
  readonly resolve: (answer: Answer) => void
  readonly reject: (reason: unknown) => void
}

/**
 * Answers questions in batches, one batch under a name at a time: questions asked together share one, and those asked
 * while one is being answered go into the next. However many there are, none waits for more than two batches.
 */
export class Batches<Question, Answer> {
  readonly #answer: (name: string, questions: readonly Question[]) => Promise<readonly Answer[]>
  /** Questions that wait for the batch under way, for each name that has one. */
  readonly #next = new Map<string, Asked<Question, Answer>[]>()

  constructor(answer: (name: string, questions: readonly Question[]) => Promise<readonly Answer[]>) {
    this.#answer = answer
  }

  ask(name: string, question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const asked = { question, resolve, reject }
      const next = this.#next.get(name)
      if (next) next.push(asked)
      else {
        this.#next.set(name, [asked])
        // In a microtask, so that questions asked in the same turn share the batch.
        queueMicrotask(() => void this.#work(name))
      }
    })
  }

  async #work(name: string): Promise<void> {
    for (let batch = this.#take(name); batch.length > 0; batch = this.#take(name)) {
      try {
        const questions = batch.map(({ question }) => question)
        const answers = await this.#answer(name, questions)
        for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#next.delete(name)
  }

  #take(name: string): readonly Asked<Question, Answer>[] {
    const batch = this.#next.get(name) ?? []
    this.#next.set(name, [])
    return batch
  }
}
