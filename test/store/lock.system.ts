import { spawn } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../../src/engine/contract/load.js'
import { lockFolder } from '../../src/engine/keep/lock.js'
import { cleanEnvironment, ended, ready, start } from '../cli.js'
import { isSample } from '../extent.js'
import { call } from '../mock.js'
import { create, names, newFolder, session } from './kept.js'

test('a folder that was in use goes to exactly one of six processes each time its owner is killed', async () => {
  const data = newFolder()
  for (let round = 0; round < (isSample ? 1 : 3); round++) {
    const children = Array.from({ length: 6 }, () => start(['--port', '0', '--data', data, '--fixtures', 'empty']))
    const ends = children.map(ended)
    const starts = await Promise.allSettled(children.map(ready))
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const child of children) child.kill('SIGKILL')
    const refused = (await Promise.all(ends)).filter(({ stderr }) => stderr.includes('is in use by the process'))
    expect(refused).toHaveLength(5)
  }
})

test('a folder that was in use by a process that is stopped remains locked, although it does not name its owner', async () => {
  const folder = newFolder()
  const child = start(['--port', '0', '--data', folder, '--fixtures', 'empty'])
  const done = ended(child)
  await ready(child)
  child.kill('SIGSTOP')
  await expect(lockFolder(folder)).rejects.toThrow(
    `${folder} is in use by another process, which does not answer because it is stopped or busy`
  )
  child.kill('SIGKILL')
  await done
  await (await lockFolder(folder))()
})

test('a folder that was in use is free after a kill if the next process has the same number, as in a container', async () => {
  const data = newFolder()
  const url = async (child: ReturnType<typeof start>) => ready(child)
  // Each is process 1 of its container.
  const contained = () =>
    spawn(
      'unshare',
      ['--pid', '--fork', '--kill-child', process.execPath, join(packageRoot(), 'dist/main.js'), '--port', '0'].concat([
        '--data',
        data,
        '--fixtures',
        'empty'
      ]),
      { stdio: ['ignore', 'pipe', 'pipe'] }
    )
  const first = contained()
  const done = ended(first)
  await call(await url(first), 'POST', create, session('Kept'))
  const refused = await ended(contained())
  expect(refused.stderr).toContain(`${data} is in use by the process 1 on ${hostname()}`)
  first.kill('SIGKILL')
  await done
  const second = contained()
  const end = ended(second)
  expect(await names(await url(second))).toEqual(['Kept'])
  second.kill('SIGKILL')
  await end
})

test('a folder that was in use is refused with its name if it is read-only', async () => {
  const data = newFolder()
  chmodSync(data, 0o555)
  // It may read a package in a private folder, and write nowhere.
  const args = [
    '--reuid',
    '65534',
    '--regid',
    '65534',
    '--clear-groups',
    '--inh-caps',
    '+dac_read_search',
    '--ambient-caps',
    '+dac_read_search'
  ]
  const command = [...args, process.execPath, join(packageRoot(), 'dist/main.js'), '--port', '0', '--data', data]
  const child = spawn('setpriv', command, { env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] })
  const { code, stderr } = await ended(child)
  expect([code, stderr]).toEqual([
    2,
    `error: ${data} cannot be written to (EACCES). Give --data a folder that this user may write to.\n`
  ])
})
