/**
 * Does work for each item, on several workers at the same time. After a failure no further item is begun, and the promise
 * is rejected when all workers have ended: then the caller may remove what they used.
 */
export async function inParallel<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  workers: number,
  work: (item: Item, worker: number) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = []
  const next = shareItems(items)
  const run = async (_: unknown, worker: number): Promise<void> => {
    // A failure ends the generator, which all workers share.
    for await (const item of next) await work(item, worker)
  }
  await Promise.all(Array.from({ length: workers }, run).map((each) => each.catch((error) => errors.push(error))))
  if (errors.length > 0) throw errors[0]
}

async function* shareItems<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item> {
  yield* items
}
