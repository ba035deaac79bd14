const roles = ['admin', 'admin', 'curator', 'basic']

/**
 * Gives calls of every operation of an OpenAPI document: parameters are ids of rows and whatever fits their type, bodies
 * are the document's examples, with the mark in the place of some of their texts.
 */
export function randomCalls(document, collections, seed, mark) {
  const random = generator(seed + 1)
  const pick = (values) => values[random(values.length)]
  const ids = Object.values(collections)
    .flat()
    .map(({ id }) => id)
  const uuids = ids.filter((id) => typeof id === 'string')
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation }))
  )

  const value = ({ type, format, enum: values }) => {
    if (values) return pick(values)
    if (format === 'uuid') return pick(uuids)
    if ([type].flat().includes('integer')) return String(random(25))
    if ([type].flat().includes('boolean')) return pick(['true', 'false'])
    return pick([mark, 'mark', ''])
  }
  const marked = (given) => {
    if (typeof given === 'string' && random(3) === 0) return given.includes('@') ? `${mark}@example.com` : mark
    if (Array.isArray(given)) return given.map(marked)
    if (typeof given !== 'object' || given === null) return given
    return Object.fromEntries(Object.entries(given).map(([name, inner]) => [name, marked(inner)]))
  }
  const bodyOf = ({ content }) => {
    const [[type, { examples }]] = Object.entries(content)
    if (type === 'application/json') {
      const example = pick(Object.values(examples)).value
      return { body: JSON.stringify(marked(example)), headers: { 'Content-Type': type } }
    }
    const body = new FormData()
    body.append('files', new Blob([mark]), `${mark}.txt`)
    return { body }
  }

  return () => {
    const { method, path, parameters = [], requestBody } = pick(operations)
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => value(parameters.find((it) => it.name === name).schema))
    const asked = parameters.filter((it) => it.in === 'query' && random(2) === 0)
    const query = new URLSearchParams(asked.map(({ name, schema }) => [name, value(schema)]))
    return { method, path: `${filled}?${query}`, as: pick(roles), ...(requestBody && bodyOf(requestBody)) }
  }
}

/** Numbers below a limit by chance that a seed fixes (a linear congruential generator's upper bits). */
function generator(seed) {
  let state = seed >>> 0
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}
