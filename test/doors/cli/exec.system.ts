import { once } from 'node:events'
import { createServer } from 'node:net'
import { type Ended, ended, run, start } from '../../cli.js'

/** Runs a script of node under `exec`. Its output is that of the script. */
const exec = (options: string[], script: string, env: Record<string, string> = {}): Promise<Ended> =>
  run(['exec', ...options, '--', process.execPath, '-e', script], env)

const ask = (path: string, more = '{}') =>
  `fetch(process.env.MOCK_URL + '${path}', { headers: { Authorization: 'Bearer admin' }, ...${more} })`

test('a command under exec finds a mock at MOCK_URL, and exec has its output and exit code', async () => {
  const script = `${ask('/api/persona/1')}.then((it) => it.json()).then(({ id }) => { console.log(id); process.exit(7) })`
  expect(await exec([], script)).toEqual({ code: 7, stdout: '1\n', stderr: '' })
})

test('exec accepts the options of serve, and reads the port from the flag only', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const script = `${ask('/api/persona/2')}.then((it) => console.log(it.status, new URL(process.env.MOCK_URL).port))`
  const { code, stdout } = await exec(['--fixtures', 'empty'], script, { KCM_PORT: String(port), KCM_SEED: '7' })
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^404 \d+\n$/)])
  expect(stdout).not.toContain(String(port))
  const taken = await exec(['--port', String(port)], 'console.log("never")')
  expect(taken).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('EADDRINUSE') })
  server.close()
})

test('exec --no-violations exits with 1 and lists the requests, in any sandbox, but keeps another exit code', async () => {
  const patch = `{ method: 'PATCH', headers: { Authorization: 'Bearer admin~box', 'Content-Type': 'application/json' }, body: '{"num_chunks":"many"}' }`
  const broken = await exec(['--no-violations'], ask('/api/persona/1', patch))
  expect(broken.code).toBe(1)
  expect(broken.stderr).toMatch(
    /box r1 PATCH \/api\/persona\/1 422\n {4}body\.num_chunks: Input should be a valid integer/
  )
  const byVariable = await exec([], ask('/api/persona/1', patch), { KCM_NO_VIOLATIONS: 'true' })
  expect(byVariable).toEqual(broken)
  expect(await exec([], ask('/api/persona/1', patch))).toMatchObject({ code: 0, stderr: '' })
  expect(await exec(['--no-violations'], ask('/api/persona/1'))).toMatchObject({ code: 0, stderr: '' })
  const reset = `.then(() => ${ask('/__mock/reset', "{ method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Mock-Sandbox': 'box' } }")})`
  expect(await exec(['--no-violations'], ask('/api/persona/1', patch) + reset)).toMatchObject({
    code: 1,
    stderr: '1 request did not keep to the contract, in sandboxes that were reset or dropped since.\n'
  })
  const failed = await exec(['--no-violations'], `${ask('/api/persona/1', patch)}.then(() => process.exit(3))`)
  expect([failed.code, failed.stderr]).toEqual([3, expect.stringContaining('r1 PATCH')])
})

test('exec exits with 2 if the mock cannot start, and with 127 if the command does not exist', async () => {
  expect(await exec(['--fixtures', 'dmeo'], 'console.log("never")')).toMatchObject({ code: 2, stdout: '' })
  expect(await run(['exec'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("missing required argument 'command'")
  })
  const none = await run(['exec', '--', 'no-such-command-here'])
  expect(none).toMatchObject({ code: 127, stderr: 'error: there is no command "no-such-command-here"\n' })
})

test('a command that ends by a signal gives 128 plus its number', async () => {
  expect((await exec([], "process.kill(process.pid, 'SIGKILL')")).code).toBe(137)
})

test('SIGTERM goes to the command, and the mock answers until the command has ended', async () => {
  const script = `
    process.on('SIGTERM', async () => { console.log((await ${ask('/api/persona/1')}).status); process.exit(5) })
    setInterval(() => {}, 1000)
    console.log('waits')`
  const child = start(['exec', '--', process.execPath, '-e', script])
  const end = ended(child)
  await once(child.stdout as NodeJS.ReadableStream, 'data')
  child.kill('SIGTERM')
  expect(await end).toMatchObject({ code: 5, stdout: 'waits\n200\n' })
})
