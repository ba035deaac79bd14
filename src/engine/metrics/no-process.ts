import type { Metric } from './exposition.js'

/** In browsers, a page gets no information about its process. */
export function createProcessMetrics(): () => Metric[] {
  return () => []
}
