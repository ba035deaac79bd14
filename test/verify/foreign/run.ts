import type { Finding } from '../../../src/verify/record.js'
import { verify } from '../../../src/verify/verify.js'
import { startForeign } from './service.js'

/** What verify finds on the service with these switches. */
export async function findingsOf(switches: { choices?: string[]; bugs?: string[] }): Promise<Finding[]> {
  const { url, adminToken, userToken, disposable, close } = await startForeign(switches)
  try {
    return (await verify({ url, token: adminToken, userToken, mutating: true, disposable })).findings
  } finally {
    await close()
  }
}
