import type { Operation } from '../../../contract/contract.js'

/** Operations that are a POST because of what they take, and change nothing. */
const asking = new Set(['getIndexingStatus', 'openUrls', 'validateTool'])

/** Whether an operation changes nothing: without `--mutating`, only these are called. */
export function isReading({ id, method }: Operation): boolean {
  return method === 'GET' || asking.has(id)
}
