/** Restores the values of objects of `src` after the tests of a file. Later files of the worker have the same objects. */
export function restored(...objects: object[]): void {
  const before = objects.map((it) => ({ ...it }))
  afterAll(() => {
    for (const [at, it] of objects.entries()) Object.assign(it, before[at])
  })
}
