import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { verify } from '../../src/apis/knowledge-chat/scenes/index.js'
import { startBroken } from './mutants/server.js'

test('the curl of a finding repeats it, and no secret is in it', async () => {
  const server = await startBroken(() => async (asked) => {
    const reply = await asked.pass({
      headers: { authorization: asked.headers.authorization?.replace('a-long-secret-token', 'admin') ?? '' }
    })
    return asked.operation === 'openUrls' && reply.status === 200
      ? { ...reply, status: 201, body: { ...reply.body, echo: asked.headers.authorization } }
      : reply
  })
  const { findings } = await verify({
    url: server.url,
    token: 'a-long-secret-token',
    headers: { 'X-Tenant': 'tenant-secret' },
    operations: 'openUrls'
  })
  const found = findings.find(({ check }) => check === 'status_code_conformance')
  expect(JSON.stringify(findings)).not.toMatch(/a-long-secret-token|tenant-secret/)
  expect(found?.curl).toContain('$TOKEN')
  const env = { ...process.env, TOKEN: 'a-long-secret-token', HEADER_X_TENANT: 'tenant-secret' }
  const { stdout } = await promisify(execFile)('bash', ['-c', found?.curl as string], { env })
  expect(stdout).toMatch(/^HTTP\/1\.1 201/)
  server.close()
})
