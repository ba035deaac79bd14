/** Removes steps that a failure does not need: large parts first, then single steps. */
export async function shrunk<T>(steps: T[], fails: (steps: T[]) => Promise<boolean>): Promise<T[]> {
  let shortest = steps
  let size = Math.max(1, Math.floor(steps.length / 2))
  for (;;) {
    const before = shortest.length
    for (let at = 0; at < shortest.length; ) {
      const shorter = shortest.toSpliced(at, size)
      if (await fails(shorter)) shortest = shorter
      else at += size
    }
    if (size === 1 && shortest.length === before) return shortest
    size = Math.max(1, Math.floor(size / 2))
  }
}
