import { mores, nexts, totals } from '../../../engine/answers/page.js'
import { isObject, type Json, type JsonObject } from '../../../engine/contract/load.js'

/** The list in the body of a reply: the whole, or the first list of objects in it. */
export function itemsIn(body: unknown, depth = 0): JsonObject[] | undefined {
  if (Array.isArray(body)) return body.every(isObject) ? body : undefined
  if (!isObject(body) || depth > 2) return undefined
  const lists = Object.values(body).flatMap((it) => {
    const items = itemsIn(it, depth + 1)
    return items ? [items] : []
  })
  return lists.find((it) => it.length > 0) ?? lists[0]
}

/** The first value of a field with one of these names, at most two levels deep. */
export function fieldNamed(body: unknown, isNamed: (name: string) => boolean, depth = 0): Json | undefined {
  if (!isObject(body) || depth > 2) return undefined
  const own = Object.entries(body).find(
    ([name, value]) => isNamed(name) && (value === null || typeof value !== 'object')
  )?.[1]
  const inner = () => Object.values(body).map((it) => fieldNamed(it, isNamed, depth + 1))
  return own ?? inner().find((it) => it !== undefined)
}

/** A list, read page by page. */
export interface Listing {
  rows: JsonObject[]
  /** The number of all rows, as the replies say. */
  total?: number | undefined
  /** A number that may be that of all rows, or of one page. */
  count?: number | undefined
  /** Whether no parameter leads to another page. */
  isFixed: boolean
  /** Whether the last page was read. */
  isWhole: boolean
  pages: JsonObject[][]
}

/** What the body of a list says about its page. */
export function pageIn(body: unknown) {
  const numberOf = (isNamed: (name: string) => boolean) => {
    const value = fieldNamed(body, isNamed)
    return typeof value === 'number' ? value : undefined
  }
  return {
    total: numberOf((name) => totals.test(name) && !/^count$/i.test(name)),
    count: numberOf((name) => /^count$/i.test(name)),
    hasMore: fieldNamed(body, (name) => mores.includes(name)),
    /** The cursor of the next page, which may be in a link. */
    after(cursor: string): Json | undefined {
      const next = fieldNamed(body, (name) => nexts.includes(name))
      const isLink = typeof next === 'string' && /^(https?:|\/|\?)/.test(next)
      return isLink ? new URL(next, 'http://localhost').searchParams.get(cursor) : next
    }
  }
}
