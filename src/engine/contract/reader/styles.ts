import { isObject, type JsonObject } from '../load.js'
import type { Place, RawInput, Styles } from '../model.js'

export function noStyles(): Styles {
  return { separators: { query: new Map(), header: new Map(), cookie: new Map() }, deep: new Set(), path: new Map() }
}

/** Notes the style of a parameter. `isList`: its schema takes a list. */
export function noteStyle(styles: Styles, place: Place, name: string, isList: boolean, parameter: JsonObject): void {
  const { style = place === 'header' ? 'simple' : 'form', explode = style === 'form' } = parameter
  if (place === 'query' && style === 'deepObject') styles.deep.add(name)
  // A header or cookie is always one text.
  if (!isList || (place === 'query' && explode === true)) return
  const separator = style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : ','
  styles.separators[place].set(name, separator)
}

/** The parameters of a place, with the lists and objects that are written in another style. */
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

/** Notes the style of a parameter of the path: `blue`, `.blue` or `;color=blue`. */
export function notePathStyle(styles: Styles, name: string, isList: boolean, { style, explode }: JsonObject): void {
  const known = style === 'label' || style === 'matrix' ? style : 'simple'
  if (known !== 'simple' || isList) styles.path.set(name, { style: known, isExploded: explode === true, isList })
}

/** The parameters of a path without marks, and with their lists. A value without its mark stays as it is. */
export function styledPath({ path }: Styles, values: RawInput['path']): RawInput['path'] {
  if (path.size === 0) return values
  const read = ([name, text]: [string, string]): [string, unknown] => {
    const { style, isExploded, isList } = path.get(name) ?? {}
    if (style === undefined) return [name, text]
    const mark = style === 'label' ? '.' : style === 'matrix' ? `;${name}=` : ''
    if (!text.startsWith(mark)) return [name, text]
    const value = text.slice(mark.length)
    return [name, isList ? value.split(isExploded && mark !== '' ? mark : ',') : value]
  }
  return Object.fromEntries(Object.entries(values).map(read)) as RawInput['path']
}
