import { isObject, type JsonObject } from '../load.js'
import type { RawInput } from '../validation/validate.js'

/** The parts of a request that have parameters of several styles. */
type Place = 'query' | 'header' | 'cookie'

/** How the values of parameters are written in requests, where the usual way is another. */
export interface Styles {
  /** The separator of lists that are one text, by place and name. */
  separators: Record<Place, Map<string, string>>
  /** Objects in the query: `filter[name]=x`. */
  deep: Set<string>
}

export function noStyles(): Styles {
  return { separators: { query: new Map(), header: new Map(), cookie: new Map() }, deep: new Set() }
}

/** Notes the style of a parameter. `isList`: its schema takes a list. */
export function noteStyle(styles: Styles, place: Place, name: string, isList: boolean, parameter: JsonObject): void {
  const { style = place === 'header' ? 'simple' : 'form', explode = style === 'form' } = parameter
  if (place === 'query' && style === 'deepObject') styles.deep.add(name)
  // A header or cookie is one text in any case.
  if (!isList || (place === 'query' && explode === true)) return
  const separator = style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : ','
  styles.separators[place].set(name, separator)
}

/** The parameters of a place, with the lists and objects that are written in a style of their own. */
export function styled<Values extends RawInput['query']>(styles: Styles, place: Place, values: Values): Values {
  const separators = styles.separators[place]
  if (separators.size === 0 && (place !== 'query' || styles.deep.size === 0)) return values
  const result = new Map<string, unknown>()
  for (const [name, value] of Object.entries(values)) {
    const separator = separators.get(name)
    const [, object = '', field = ''] = /^([^[]+)\[([^\]]+)\]$/.exec(name) ?? []
    if (separator !== undefined) {
      result.set(
        name,
        [value].flat().flatMap((text) => (text === '' ? [] : text.split(separator).map((it) => it.trim())))
      )
    } else if (place === 'query' && styles.deep.has(object)) {
      const before = result.get(object)
      result.set(object, Object.fromEntries([...Object.entries(isObject(before) ? before : {}), [field, value]]))
    } else result.set(name, value)
  }
  return Object.fromEntries(result) as Values
}
