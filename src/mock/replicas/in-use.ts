/** The sandboxes that requests work on just now. */
export class InUse {
  private readonly counts = new Map<string, number>()

  /** How many requests work on it. */
  count(sandbox: string): number {
    return this.counts.get(sandbox) ?? 0
  }

  /** Returns a function that ends it. */
  begin(sandbox: string): () => void {
    const { counts } = this
    counts.set(sandbox, (counts.get(sandbox) ?? 0) + 1)
    return () => {
      const left = (counts.get(sandbox) ?? 1) - 1
      if (left > 0) counts.set(sandbox, left)
      else counts.delete(sandbox)
    }
  }
}
