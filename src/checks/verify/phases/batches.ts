/** Does the work for all items, so many at the same time; results come in the order of the items. */
export async function inBatches<T, R>(items: Iterable<T>, size: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let batch: T[] = []
  for (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    results.push(...(await Promise.all(batch.map(work))))
    batch = []
  }
  return [...results, ...(await Promise.all(batch.map(work)))]
}
