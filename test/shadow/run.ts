import { shadowOf } from '../../src/doors/cli/proxy.js'
import { startMock } from '../../src/doors/program/server.js'
import type { VerifyResult } from '../../src/tools/verify/verify.js'
import { startForeign } from '../verify/foreign/service.js'

/** What a shadow reports of the calls that `drive` makes through it. */
export async function shadowed(
  url: string,
  drive: (proxy: string) => Promise<unknown>,
  { api, learned }: { api?: string; learned?: string } = {}
): Promise<VerifyResult> {
  const results: VerifyResult[] = []
  const problems: string[] = []
  const shadow = shadowOf(
    url,
    { api, learned },
    (it) => void results.push(it),
    (it) => void problems.push(it)
  )
  const upstream = { url, mocked: new Set<string>(), strict: false, timeout: 60_000, shadow }
  const proxy = await startMock({ port: 0, auth: 'any', upstream, ...(api !== undefined && { api }) })
  try {
    await drive(proxy.url)
  } finally {
    await proxy.close()
  }
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return results[0] as VerifyResult
}

/** The report on the foreign service with switches. */
export async function foreign(
  switches: { bugs?: string[]; choices?: string[] },
  drive: (proxy: string) => Promise<unknown>
): Promise<VerifyResult> {
  const service = await startForeign(switches)
  try {
    return await shadowed(service.url, drive)
  } finally {
    await service.close()
  }
}
