/**
 * The operations that globs name: ids in which `*` stands for any letters. Throws an Error that lists the ids when one
 * names none.
 */
export function operationsNamed(ids: readonly string[], globs: readonly string[]): string[] {
  const chosen = new Set<string>()
  for (const glob of globs.map((text) => text.trim()).filter((text) => text !== '')) {
    const parts = glob.split('*').map((part) => part.replace(/[^A-Za-z0-9]/g, '\\$&'))
    const pattern = new RegExp(`^${parts.join('.*')}$`, 'i')
    const named = ids.filter((id) => pattern.test(id))
    if (named.length === 0) throw new Error(`No operation is named "${glob}". There are: ${ids.join(', ')}.`)
    for (const id of named) chosen.add(id)
  }
  return [...chosen]
}
