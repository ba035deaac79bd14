const scanning = [
  'includes',
  'indexOf',
  'lastIndexOf',
  'split',
  'replace',
  'replaceAll',
  'match',
  'toLowerCase'
] as const
const stepping = ['charCodeAt', 'slice', 'toUpperCase'] as const

/**
 * How much work on texts a call does: a call that may look at a whole text counts as its length, any other as one. It is
 * the same on every machine, and grows as the time does.
 */
export async function workOf(call: () => unknown): Promise<number> {
  let work = 0
  const texts = String.prototype as unknown as Record<string, (...args: unknown[]) => unknown>
  const before = new Map<string, (...args: unknown[]) => unknown>()
  const count = (name: string, cost: (text: string) => number) => {
    const method = texts[name] as (...args: unknown[]) => unknown
    before.set(name, method)
    texts[name] = function (this: string, ...args: unknown[]) {
      work += cost(this)
      return method.apply(this, args)
    }
  }
  for (const name of scanning) count(name, (text) => text.length)
  for (const name of stepping) count(name, () => 1)
  try {
    await call()
    return work
  } finally {
    for (const [name, method] of before) texts[name] = method
  }
}
