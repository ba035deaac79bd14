/** A query of the journal. */
export type Query = Record<string, string>

/** The keys of the query bar, with the parameter of the control API and what it means. */
export const keys: Record<string, { parameter: string; hint: string }> = {
  op: { parameter: 'operation', hint: 'the operation' },
  status: { parameter: 'status', hint: '404, or 4xx, or 0 for a broken connection' },
  user: { parameter: 'user', hint: 'who asked, or nobody' },
  assumed: { parameter: 'assumed', hint: 'an assumption that the answer rests on' },
  changed: { parameter: 'changed', hint: 'a collection whose rows changed' },
  body: { parameter: 'body', hint: 'a text in a body' },
  violations: { parameter: 'violations', hint: 'whether something broke the contract' },
  unmatched: { parameter: 'unmatched', hint: 'whether no operation matches' }
}

/** A word of the query: bare, or with a key. Quotes group words. */
interface QueryWord {
  key: string | undefined
  value: string
}

function wordsOf(text: string): QueryWord[] {
  return [...text.matchAll(/(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/gi)].map(([, key, quoted, plain]) => ({
    key: key?.toLowerCase(),
    value: quoted ?? plain ?? ''
  }))
}

/** The parsed query, or its error. */
export function readQuery(text: string): { query: Query; error?: string } {
  const query: Query = {}
  const bare: string[] = []
  for (const { key, value } of wordsOf(text.replace(/\b([a-z]+):(?=\s|$)/gi, ''))) {
    if (key === undefined) {
      bare.push(value)
      continue
    }
    const entry = keys[key]
    if (!entry) return { query, error: `There is no key "${key}:". Keys: ${Object.keys(keys).join(', ')}.` }
    if (entry.parameter in query) return { query, error: `"${key}:" is there twice. Leave one out.` }
    query[entry.parameter] = value
  }
  if (bare.length > 0) query.q = bare.join(' ')
  return { query }
}

/** A query with these keys. */
export function queryText(words: Record<string, string | number>): string {
  return Object.entries(words)
    .map(([key, value]) => `${key}:${/\s/.test(String(value)) ? `"${value}"` : value}`)
    .join(' ')
}
