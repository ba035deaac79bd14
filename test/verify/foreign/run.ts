import { verify } from '../../../src/apis/knowledge-chat/scenes/index.js'
import type { Finding } from '../../../src/tools/verify/results.js'
import type { VerifyResult } from '../../../src/tools/verify/verify.js'
import { startForeign } from './service.js'
import type { Switch } from './switches/switch.js'

interface Switched {
  choices?: string[]
  bugs?: string[]
}

/** What verify finds on the service with these switches. */
export async function findingsOf(switches: Switched, operations = '*', cases = 10): Promise<Finding[]> {
  return (await resultOf(switches, operations, cases)).findings
}

export async function resultOf(switches: Switched, operations: string, cases: number): Promise<VerifyResult> {
  const { url, adminToken, userToken, disposable, close } = await startForeign(switches)
  try {
    const settings = { mutating: true, disposable, operations, cases, timeout: 300_000 }
    return await verify({ url, token: adminToken, userToken, ...settings })
  } finally {
    await close()
  }
}

/** The checks that catch a bug: at the operations that show it, and else at all. */
export async function caughtBy(id: string, { at }: Switch): Promise<string[]> {
  const near = at ? await findingsOf({ bugs: [id] }, at) : []
  const found = near.length > 0 ? near : await findingsOf({ bugs: [id] })
  return [...new Set(found.map(({ check }) => check))]
}
