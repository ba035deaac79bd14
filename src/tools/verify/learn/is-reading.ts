import type { Operation } from '../../../engine/contract/model.js'

/** Operations that use POST only because of their input and change nothing. */
const asking = new Set(['getIndexingStatus', 'openUrls', 'validateTool'])

/** Whether an operation changes nothing. Without `--mutating`, only these are called. */
export function isReading({ id, method }: Operation): boolean {
  return method === 'GET' || asking.has(id)
}
