import { isObject, type Json, type JsonObject } from '../contract/load.js'
import { type Fields, partsOf } from '../contract/schemas/schemas.js'
import type { AnyRow } from '../store/collection.js'
import { cursors, isFromZero, type Page, type PageCall, pages, starts, takes } from './page.js'
import { rowsOf } from './rows.js'

/** The address of the request with other parameters. Undefined leaves one out. */
function linkTo({ address, operation, input: { path, query } }: PageCall, others: Record<string, unknown>): string {
  const filled = operation.path.replace(/\{([^{}]*)\}/g, (_, name) => encodeURIComponent(String(path[name])))
  const parameters = Object.entries({ ...query, ...others }).filter(
    ([name, it]) => (it ?? null) !== null && operation.defaults?.[name] !== it
  )
  const search = new URLSearchParams(
    parameters.flatMap(([name, it]) => [it].flat().map((value): [string, string] => [name, String(value)]))
  )
  return address + filled + (parameters.length === 0 ? '' : `?${search}`)
}

/** The address of another page. Null: there is none. */
function pageLink(of: PageCall, { sorted, offset, size }: Page, relation: string): Json {
  const query = of.operation.input.query
  const declared = Object.keys((query?.properties ?? {}) as JsonObject)
  const [byCursor, byStart, byPage] = [cursors, starts, pages].map((usual) => usual.find((it) => declared.includes(it)))
  const pageAt = (at: number): Json => {
    if (byStart !== undefined) return linkTo(of, { [byStart]: at })
    if (byPage !== undefined)
      return linkTo(of, { [byPage]: Math.floor(at / size) + (isFromZero(query, byPage) ? 0 : 1) })
    const before = sorted[at - 1]
    return byCursor !== undefined && (before || at === 0)
      ? linkTo(of, { [byCursor]: before && of.keyOf(before) })
      : null
  }
  switch (relation) {
    case 'self':
      return linkTo(of, {})
    case 'prev':
      return offset > 0 ? pageAt(Math.max(0, offset - size)) : null
    case 'next':
      return offset + size < sorted.length ? pageAt(offset + size) : null
    case 'last':
      return pageAt(size === 0 ? 0 : Math.max(0, Math.ceil(sorted.length / size) - 1) * size)
    default:
      return pageAt(0)
  }
}

/** The header `Link` (RFC 8288) with the other pages. */
export const linkHeader = (of: PageCall, page: Page): string =>
  ['first', 'prev', 'next', 'last']
    .flatMap((relation) => {
      const to = pageLink(of, page, relation)
      return to === null ? [] : `<${to}>; rel="${relation}"`
    })
    .join(', ')

/** The rows that `include` asks for: those that the relationships of rows of JSON:API name by type and id. */
export function includedIn(of: PageCall, rows: readonly AnyRow[]): AnyRow[] {
  const names = [of.input.query.include ?? []].flat().flatMap((it) => String(it).split(','))
  const references = rows.flatMap(({ relationships }) =>
    names.flatMap((name) => {
      const relation = isObject(relationships) ? relationships[name] : undefined
      return (isObject(relation) ? [relation.data ?? []].flat() : []).filter(isObject)
    })
  )
  const others = references.flatMap(({ type, id }) =>
    of.contract.collections.has(String(type)) ? (rowsOf(of, String(type)).get(id as string) ?? []) : []
  )
  return [...new Set(others)]
}

const linkName = /^(?:@odata\.)?(self|first|prev|next|last)(?:ious)?_?(?:page_?)?(?:url|uri|link|href)?$/i

/** The fields of an object with links to other pages. Undefined: there is none, and the field has no null. */
export function linksIn(
  of: PageCall,
  { properties, required }: Fields,
  page: Page,
  said: object
): [string, Json | undefined][] {
  return Object.entries(properties).flatMap(([field, schema]): [string, Json | undefined][] => {
    const relation = linkName.exec(field)?.[1]?.toLowerCase()
    const parts = partsOf(of.contract.documents, schema)
    const isToken = Object.hasOwn(said, field) && !parts.some((it) => it.format === 'uri')
    const isText = takes(of, schema, '')
    const isLink = isText || parts.some((it) => isObject(it.properties) && isObject(it.properties.href))
    if (relation === undefined || isToken || !isLink) return []
    const usual = required.includes(field) ? linkTo(of, {}) : undefined
    const link = pageLink(of, page, relation)
    if (link === null) return [[field, takes(of, schema, null) ? null : usual]]
    return [[field, isText ? link : { href: link }]]
  })
}
