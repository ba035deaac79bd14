import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyCommand } from '../../src/doors/cli/verify.js'
import { invoke } from '../invoke.js'
import { startForeign } from './foreign/service.js'

const verifying = (args: string[], env = {}) => invoke(verifyCommand(), args, { env })
const folder = mkdtempSync(join(tmpdir(), 'kcm-evidence-'))
const file = (name: string) => join(folder, name)

test('an archive has every request of a run, and no token', async () => {
  const { url, adminToken, userToken, close } = await startForeign()
  const tokens = ['--token', adminToken, '--user-token', userToken]
  const { code } = await verifying([
    url,
    ...tokens,
    '--operations',
    'E8,E9',
    '--mutating',
    '--report',
    `har=${file('run.har')}`
  ])
  await close()
  const text = readFileSync(file('run.har'), 'utf8')
  const { entries, version } = JSON.parse(text).log
  expect([code, version]).toEqual([0, '1.2'])
  const written = entries.filter(({ request }: { request: { method: string } }) => request.method === 'POST')
  expect(written.length).toBeGreaterThan(20)
  expect(written[0].request.postData.mimeType).toBe('application/json')
  expect(written.some(({ response }: { response: { status: number } }) => response.status === 200)).toBe(true)
  for (const token of [adminToken, userToken]) expect(text).not.toContain(`Bearer ${token}"`)
})

test('--only-failed tests the operations with findings, and says if there are none', async () => {
  const { url, adminToken, close } = await startForeign({ bugs: ['no-token E5'] })
  const args = [url, '--token', adminToken]
  const first = await verifying([...args, '--operations', 'E2,E5', '--report', `ndjson=${file('last.ndjson')}`])
  const again = await verifying([...args, '--only-failed', file('last.ndjson')])
  await close()
  expect([first.code, again.code]).toEqual([1, 1])
  expect(again.stdout).toContain(': 1 operation, ')
  writeFileSync(file('good.ndjson'), '{"type":"summary"}\n')
  const none = await verifying([...args, '--only-failed', file('good.ndjson')])
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('which has no finding: nothing failed.')])
})
