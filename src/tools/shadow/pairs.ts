import type { ShadowReport } from '../../engine/contract/types.gen.js'

type Compared = ShadowReport['operations'][number]
export type Pair = Compared['latest'][number]

/** The highest number of pairs of an operation that differ. */
const most = 5

/** The answers of the service and of the mock, by operation. */
export class Pairs {
  private readonly operations = new Map<string, { calls: number; same: number; different: Pair[]; last?: Pair }>()

  add(operation: string, isSame: boolean, pair: Pair): void {
    const it = this.operations.get(operation) ?? { calls: 0, same: 0, different: [] }
    this.operations.set(operation, it)
    it.calls++
    if (isSame) {
      it.same++
      it.last = pair
    } else it.different = [pair, ...it.different].slice(0, most)
  }

  get list(): Compared[] {
    return [...this.operations].map(([operation, { calls, same, different, last }]) => {
      return { operation, calls, same, latest: [...different, ...(last ? [last] : [])] }
    })
  }
}
