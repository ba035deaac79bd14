import type { StatusResponse } from '../contract/types.gen.js'
import type { Context } from './rule.js'

/** The result of a request with status 200 (2.5). */
export function statusResponse(context: Context, success: boolean, message: string, data: number): StatusResponse {
  const isTold = context.assume('status-response.message') === 'sentence'
  return { success, message: isTold ? message : null, data }
}
