/** Where a sandbox lives: in this process, in the one that others reach at an address, or nowhere, because nobody has made it. */
export type SandboxPlace = 'here' | 'nowhere' | OwnerAddress

export interface OwnerAddress {
  life: string
  address: string
}

/** The places that are remembered. */
const most = 10_000

/** Where sandboxes were found to live. It may be wrong by now: who is asked there says so. */
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
