import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { expected, story } from '../story.mjs'

const here = import.meta.dirname
const require = createRequire(import.meta.url)

/** The path of a program, from a package that chooses the one for this machine. */
function programIn(name, path) {
  return join(dirname(require.resolve(`${name}/package.json`)), path)
}

/** Starts a program that prints its address, and ends it after the test. */
async function start(t, command, args) {
  // Including its child processes.
  // Deno would look for newer versions.
  const env = { ...process.env, DENO_NO_UPDATE_CHECK: '1' }
  const child = spawn(command, args, { cwd: here, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaints += text
  })
  t.after(() => process.kill(-child.pid))
  const ended = once(child, 'exit').then(() => ['it has ended'])
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])
  return { origin: line, complaints: () => complaints }
}

test('in workerd: the ten steps', async (t) => {
  const { outputFiles } = await build({
    entryPoints: [join(here, 'worker.js')],
    bundle: true,
    format: 'esm',
    write: false
  })
  const script = outputFiles[0].text
  // Miniflare would ask a server of Cloudflare for the location of this machine.
  const worker = new Miniflare({ modules: true, script, compatibilityDate: '2026-05-01', cf: false })
  t.after(() => worker.dispose())
  const { origin } = await worker.ready
  assert.deepEqual(await story(fetch, origin), expected)

  // workerd ends a connection after a body that the worker did not read.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const ports = []
  for (const path of ['/api/nothing', '/api/nothing', '/api/get-user-role']) {
    const sent = request(origin + path, { agent, method: 'POST', headers: { 'Content-Type': 'application/json' } })
    const [response] = await once(sent.end('{}'), 'response')
    ports.push(response.socket.localPort)
    await once(response.resume(), 'end')
  }
  assert.deepEqual(new Set(ports).size, 1)
})

// Only with permissions for the port and its own files.
test('in Deno: the ten steps', async (t) => {
  const deno = programIn('deno', 'bin.cjs')
  const program = [deno, 'run', '--no-prompt', '--allow-net=127.0.0.1', 'deno.js']
  const { origin, complaints } = await start(t, process.execPath, program)
  assert.deepEqual(await story(fetch, origin), expected)
  assert.equal(complaints(), '')
})

test('in Bun: the ten steps', async (t) => {
  const bun = programIn(`@oven/bun-${process.platform}-${process.arch}`, 'bin/bun')
  const { origin } = await start(t, bun, ['bun.js'])
  assert.deepEqual(await story(fetch, origin), expected)
})
