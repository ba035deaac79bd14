import { Stopped } from '../calls/patience.js'

/**
 * Does the work for all items, several at the same time. Returns each item with its result, in the order of the items, without
 * those for which a finding reports that there was no answer.
 */
export async function inBatches<T, R>(
  items: readonly T[],
  size: number,
  work: (item: T) => Promise<R>
): Promise<[T, R][]> {
  const results: [T, R][] = []
  for (let start = 0; start < items.length; start += size) {
    const batch = items.slice(start, start + size)
    const done = await Promise.all(batch.map((item) => answered(() => work(item))))
    for (const [index, result] of done.entries()) if (result) results.push([batch[index] as T, result.value])
  }
  return results
}

/** The result of the work; undefined if a finding reports a missing answer. Throws Stopped with any other reason. */
export async function answered<R>(work: () => Promise<R>): Promise<{ value: R } | undefined> {
  try {
    return { value: await work() }
  } catch (error) {
    if (error instanceof Stopped && error.message === '') return undefined
    throw error
  }
}
