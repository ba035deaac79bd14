import { Low } from 'lowdb'
import type { State } from '../../../contract/types.gen.js'
import type { SandboxDatabase } from './handle-parts.js'

/** A sandbox as lowdb's own class. The package declares it as an interface, because CommonJS cannot import lowdb's types. */
export class LowSandbox extends Low<State> implements SandboxDatabase {
  constructor(read: () => State, write: (state: State) => Promise<void>) {
    super({ read: async () => read(), write }, null as unknown as State)
  }

  override async update(change: (data: State) => unknown): Promise<void> {
    await this.read()
    await super.update(change)
  }
}
