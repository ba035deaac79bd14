/** The steps without those that a failure does not need: each is taken out once the others still fail. */
export async function shrunk<T>(steps: T[], fails: (steps: T[]) => Promise<boolean>): Promise<T[]> {
  let shortest = steps
  for (let size = Math.floor(steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < shortest.length; ) {
      const shorter = [...shortest.slice(0, at), ...shortest.slice(at + size)]
      if (shorter.length < shortest.length && (await fails(shorter))) shortest = shorter
      else at += size
    }
  }
  return shortest
}
