import type { Metric } from './exposition.js'

/** In browsers a page is told nothing of its process. */
export function createProcessMetrics(): () => Metric[] {
  return () => []
}
