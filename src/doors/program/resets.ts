import type { Edge } from '../../mock/persistence/edge.js'
import type { Sandbox, Start } from '../../mock/sandbox/sandbox.js'
import type { Sandboxes } from '../../mock/sandbox/sandboxes.js'
import { Transaction } from '../../mock/sandbox/transaction.js'

/** `owns`: whether a sandbox may be made in this process. */
export function createResets(
  sandboxes: Sandboxes,
  edge: Edge,
  startOf: () => Start,
  owns: (name: string) => boolean = () => true
) {
  const dropOthers = async (transaction = new Transaction(), also = () => {}): Promise<number> => {
    const count = sandboxes.noting(transaction, () => {
      const dropped = sandboxes.dropOthers()
      also()
      return dropped
    })
    await edge.keepAll(transaction)
    return count
  }
  return {
    /** Resolves to how many there were. */
    dropOthers: () => dropOthers(),
    /** Resets the default sandbox and drops all others. */
    async reset(also: (sandbox: Sandbox) => void = () => {}): Promise<void> {
      if (!owns('default')) return void (await dropOthers())
      const sandbox = sandboxes.use('default')
      const transaction = new Transaction()
      transaction.enterWhole(sandbox)
      await dropOthers(transaction, () => {
        sandbox.reset(startOf())
        also(sandbox)
      })
    }
  }
}
