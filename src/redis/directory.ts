import type { OwnerAddress } from '../engine/serve/owners.js'

/** The number of places that are remembered. */
const most = 10_000

/** Where sandboxes were last found. This may be out of date: the process that is asked there says so. */
export class Directory {
  private readonly places = new Map<string, OwnerAddress>()

  find(sandbox: string): OwnerAddress | undefined {
    return this.places.get(sandbox)
  }

  note(sandbox: string, place: OwnerAddress): OwnerAddress {
    this.forget(sandbox)
    this.places.set(sandbox, place)
    const [oldest] = this.places.keys()
    if (this.places.size > most && oldest !== undefined) this.places.delete(oldest)
    return place
  }

  forget(sandbox: string): void {
    this.places.delete(sandbox)
  }
}
