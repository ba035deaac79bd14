import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { expected, story } from '../story.mjs'

const run = promisify(execFile)
const cwd = import.meta.dirname

/** The program that npm's package `node` installs for this machine. */
function node(version) {
  return join(cwd, `node_modules/node-${version}-${process.platform}-${process.arch}/bin/node`)
}

for (const version of [20, 22, 24]) {
  test(`in Node ${version}, in process: the ten steps`, async () => {
    const { stdout, stderr } = await run(node(version), ['inside.mjs'], { cwd })
    const [own, seen] = JSON.parse(stdout)
    assert.equal(own.split('.')[0], `v${version}`)
    assert.deepEqual([seen, stderr], [[expected, expected, expected], ''])
  })

  // Mock Service Worker 3 needs Node 22.
  if (version >= 22)
    test(`in Node ${version}, in Mock Service Worker 3: the ten steps`, async () => {
      const { stdout } = await run(node(version), ['msw.mjs'], { cwd })
      assert.deepEqual(JSON.parse(stdout), ['3', expected])
    })

  test(`in Node ${version}, by the command: the ten steps, which survive a restart`, async (t) => {
    const data = mkdtempSync(join(tmpdir(), 'kcm-node-'))
    t.after(() => rmSync(data, { recursive: true }))
    const command = join(cwd, '../node_modules/knowledge-chat-mock/dist/main.js')
    const withServer = async (use) => {
      const child = spawn(node(version), [command, '--port', '0', '--data', data, '--log', 'silent'], {
        stdio: ['ignore', 'pipe', 'inherit']
      })
      t.after(() => child.kill('SIGKILL'))
      const ended = once(child, 'exit')
      const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])
      await use(String(line).replace('ready ', ''))
      child.kill('SIGTERM')
      assert.deepEqual(await ended, [0, null])
    }
    await withServer(async (url) => assert.deepEqual(await story(fetch, url), expected))
    await withServer(async (url) => {
      const headers = { Authorization: 'Bearer admin~story' }
      const { sessions } = await (await fetch(`${url}/api/chat/get-user-chat-sessions`, { headers })).json()
      assert.deepEqual(
        sessions.map(({ name }) => name),
        expected.restore
      )

      // Some versions of Node answer these themselves.
      const many = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`X-${at}`, 'a']))
      const refused = await fetch(url, { headers: many })
      assert.deepEqual(await refused.json(), { detail: 'The request has more than 200 headers.' })
    })
  })
}
