import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { packageRoot } from '../../src/engine/contract/load.js'
import { ended } from '../cli.js'

const environment = { ...process.env, NODE_OPTIONS: '' }

function start(args: string[] = []) {
  const child = spawn(process.execPath, [join(packageRoot(), 'dist/main.js'), 'mcp', ...args], {
    env: environment,
    stdio: 'pipe'
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    child,
    done: ended(child),
    write: (text: string) => new Promise((resolve) => child.stdin.write(text, resolve)),
    next: async () => JSON.parse((await lines.next()).value)
  }
}

const ping = (id: number) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`

test('unreadable messages end nothing, and stdout has only the protocol', async () => {
  const { child, done, write, next } = start()
  const wrong = ['{"jsonrpc"', 'null', '[]', '{"hello":1}', '\u0000', `${'['.repeat(100_000)}`, '']
  for (const [id, text] of wrong.entries()) {
    await write(`${text}\n${ping(id)}`)
    expect(await next()).toEqual({ jsonrpc: '2.0', id, result: {} })
  }
  child.stdin.end()
  const { code, stdout } = await done
  expect(code).toBe(0)
  for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
})

test('a malformed call is answered with an error of its id', async () => {
  const { child, done, write, next } = start()
  await write(`{"jsonrpc":"2.0","id":43,"method":"tools/call","params":{"name":"getClock","arguments":7}}\n`)
  expect(await next()).toMatchObject({ id: 43, result: { isError: true } })
  await write(ping(42))
  expect(await next()).toMatchObject({ id: 42, result: {} })
  child.stdin.end()
  expect((await done).code).toBe(0)
})

test('the server ends with 0 when its client closes, and on SIGTERM', async () => {
  for (const go of ['end', 'SIGTERM'] as const) {
    const { child, done, write, next } = start()
    await write(ping(1))
    await next()
    if (go === 'end') child.stdin.end()
    else child.kill(go)
    expect((await done).code).toBe(0)
  }
})

test('a wrong option ends with 2', async () => {
  const { code, stdout, stderr } = await start(['--fixtures', 'demmo']).done
  expect([code, stdout, stderr.includes('demo')]).toEqual([2, '', true])
})
