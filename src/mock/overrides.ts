import type { NewOverride } from '../contract/types.gen.js'

/** An override in force: what a client made, and how often it has answered. */
export interface Override extends NewOverride {
  id: string
  used: number
  /** Switched off: it means no request. */
  off?: boolean
}

/** The overrides of one sandbox, the last made first. */
export class Overrides {
  private list: Override[] = []
  private made = 0

  get size(): number {
    return this.list.length
  }

  add(override: NewOverride): Override {
    this.made += 1
    const added = { id: `o${this.made}`, ...override, used: 0 }
    this.list.unshift(added)
    return added
  }

  all(): readonly Override[] {
    return this.list
  }

  find(id: string): Override | undefined {
    return this.list.find((override) => override.id === id)
  }

  /** Switches an override off, or on again. */
  turn(override: Override, off: boolean): void {
    if (off) override.off = true
    else delete override.off
  }

  remove(id: string): boolean {
    const before = this.list.length
    this.list = this.list.filter((override) => override.id !== id)
    return this.list.length < before
  }

  removeAll(): number {
    const { length } = this.list
    this.list = []
    return length
  }

  /** Counts one answer; an override that has given all its answers is gone. */
  use(override: Override): void {
    override.used += 1
    if (override.times !== undefined && override.used >= override.times) this.remove(override.id)
  }

  /** Forgets all, and what was ever made. */
  restart(): void {
    this.list = []
    this.made = 0
  }

  fork(): Overrides {
    const fork = new Overrides()
    fork.list = this.list.map((override) => ({ ...override }))
    fork.made = this.made
    return fork
  }
}
