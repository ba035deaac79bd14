import { isObject, type JsonObject } from '../load.js'
import type { Operation, RawInput, ReadStyle } from '../model.js'

/** The parts of a request as they were sent, without its body. */
export interface SentParts extends Pick<RawInput, 'path' | 'query'> {
  /** By name in lower case. */
  headers: Readonly<Record<string, string>>
  cookies: () => Record<string, string>
}

/** The raw input of a request. */
export function rawInputOf(
  operation: Operation,
  { path, query, headers, cookies }: SentParts,
  body: unknown
): RawInput {
  const { input, styles } = operation
  if (!styles) return { path, query, body: embedded(operation, body) }
  return {
    path: styled(path, styles.path),
    query: styled(query, styles.query, styles.deep),
    ...(input.header && { header: styled(named(input.header, headers), styles.header) }),
    ...(input.cookie && { cookie: styled(named(input.cookie, cookies()), styles.cookie) }),
    body: embedded(operation, body)
  }
}

const noNames: ReadonlySet<string> = new Set()

/** The parameters of a place, with those that are written in another style. `deep`: objects such as `filter[name]`. */
function styled<Values extends RawInput['query']>(
  values: Values,
  styles: ReadonlyMap<string, ReadStyle>,
  deep = noNames
): Values {
  if (styles.size === 0 && deep.size === 0) return values
  const result = new Map<string, unknown>()
  for (const [name, value] of Object.entries(values)) {
    const read = styles.get(name)
    const [, object = '', field = ''] = read ? [] : (/^([^[]+)\[([^\]]+)\]$/.exec(name) ?? [])
    if (read) result.set(name, read(value))
    else if (deep.has(object)) {
      const before = result.get(object)
      result.set(object, Object.fromEntries([...Object.entries(isObject(before) ? before : {}), [field, value]]))
    } else result.set(name, value)
  }
  return Object.fromEntries(result) as Values
}

/** The values that a schema names. */
function named({ properties }: JsonObject, values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(properties as JsonObject, name)))
}

/** A body with one embedded parameter lacks that parameter if it is not an object, or is null. */
function embedded(operation: Operation, body: unknown): unknown {
  if (!operation.input.body?.['x-embedded']) return body ?? undefined
  if (!isObject(body as never)) return {}
  return Object.fromEntries(Object.entries(body as object).filter(([, value]) => value !== null))
}
