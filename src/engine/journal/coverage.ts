import { inMap } from '../contract/once.js'

export interface StatusCount {
  seen: number
  violations: number
  /** How many were not in the contract, under the choices at that time. */
  undocumented: number
}

/** Counts the parts of the interface that a sandbox's clients have seen. */
export class Coverage {
  /** By operation, then by status. */
  readonly statuses = new Map<string, Map<number, StatusCount>>()
  /** By assumption: the number of responses that depended on it, and their operations. */
  readonly assumptions = new Map<string, { uses: number; operations: Set<string> }>()
  /** Requests without an operation, by method and path. A long list is cut. */
  readonly unknown = new Map<string, number>()

  /** A broken connection (status 0) covers nothing. */
  count(operation: string, status: number, violations: number, assumed: Iterable<string>, isDocumented = true): void {
    if (status === 0) return
    const statuses = inMap(this.statuses, operation, () => new Map<number, StatusCount>())
    const counts = inMap(statuses, status, () => ({ seen: 0, violations: 0, undocumented: 0 }))
    counts.seen += 1
    counts.violations += violations
    counts.undocumented += Number(!isDocumented)
    this.rely(assumed, operation)
  }

  /** Counts the assumptions that an answer depends on. */
  private rely(assumed: Iterable<string>, operation?: string): void {
    for (const id of assumed) {
      const use = inMap(this.assumptions, id, () => ({ uses: 0, operations: new Set<string>() }))
      use.uses += 1
      if (operation !== undefined) use.operations.add(operation)
    }
  }

  countUnknown(method: string, path: string, assumed: Iterable<string> = []): void {
    this.rely(assumed)
    const key = `${method} ${path.slice(0, longestPath)}`
    const before = this.unknown.get(key)
    if (before !== undefined || this.unknown.size < mostUnknown) this.unknown.set(key, (before ?? 0) + 1)
  }
}

/** The highest number of unknown paths. Clients may request any path. */
const mostUnknown = 1000
const longestPath = 200
