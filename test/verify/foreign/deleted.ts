import { notFound } from './refused.js'
import type { Service } from './state.js'

/** What a deletion answers. */
export const deleted = (_service: Service): unknown => null

/** What a deletion answers where there is nothing to delete. */
export function nothingDeleted(service: Service, what: string): unknown {
  if (service.chose('deletes-twice')) return deleted(service)
  throw notFound(what)
}
