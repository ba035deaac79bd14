/** What is told of the sandboxes of a worker, so that all workers have the same limit. */
interface Owner {
  /** Asks how many the others have, because this worker may make one now. */
  ask: () => Promise<number>
  /** How many this one has. */
  count: () => number
  /** Tells how many it has. `made`: so many that it was about to make are made by now, or not needed. */
  tell: (count: number, made: number) => void
}

/** The part of one worker in the number of sandboxes that all of them may have. */
export class Room {
  elsewhere = 0
  private told = 0
  /** The sandboxes that may be made, with the number of requests that may make them. */
  private readonly coming = new Map<string, number>()

  constructor(private readonly owner: Owner) {}

  /** Called before a request that may make a sandbox. */
  async enter(sandbox: string): Promise<void> {
    this.elsewhere = await this.owner.ask()
    this.coming.set(sandbox, (this.coming.get(sandbox) ?? 0) + 1)
  }

  /** Called after each request in a sandbox. */
  leave(sandbox?: string): void {
    const count = this.owner.count()
    const made = sandbox === undefined ? 0 : (this.coming.get(sandbox) ?? 0)
    if (count === this.told && made === 0) return
    this.told = count
    if (sandbox !== undefined) this.coming.delete(sandbox)
    this.owner.tell(count, made)
  }
}
