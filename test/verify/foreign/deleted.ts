import type { Service } from './state.js'

/** What a deletion answers. */
export function deleted(_service: Service): unknown {
  return null
}
