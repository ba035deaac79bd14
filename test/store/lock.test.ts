import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { jest } from '@jest/globals'
import { packageRoot } from '../../src/contract/load.js'
import { lockFolder } from '../../src/mock/persistence/lock.js'
import { cleanEnvironment, ended, ready, start } from '../cli.js'
import { isSample } from '../extent.js'
import { call } from '../mock.js'
import { create, names, newFolder, session } from './kept.js'

const locks = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('lock'))

describe('a lock', () => {
  test('keeps others out, names its owner, and ends with it', async () => {
    const folder = newFolder()
    const unlock = await lockFolder(folder)
    await expect(lockFolder(folder)).rejects.toThrow(
      `${folder} is in use by the process ${process.pid} on ${hostname()}`
    )
    await unlock()
    await unlock()
    await (await lockFolder(folder))()
    expect(locks(folder)).toEqual(['lock.2'])
  })

  test('holds in a folder whose path is longer than that of a socket may be', async () => {
    const folder = join(newFolder(), 'x'.repeat(100), 'y'.repeat(100))
    mkdirSync(folder, { recursive: true })
    const unlock = await lockFolder(folder)
    await expect(lockFolder(folder)).rejects.toThrow('is in use by')
    await unlock()
  })

  test('of a stopped process holds, although it does not name its owner', async () => {
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

  test('is not kept by files that nobody listens on, whatever they are', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'lock'), '1\n')
    writeFileSync(join(folder, 'lock.7'), 'nonsense')
    writeFileSync(join(folder, 'lock.new-1'), '')
    const unlock = await lockFolder(folder)
    expect(locks(folder)).toEqual(['lock', 'lock.8'])
    await unlock()
  })

  test('is taken by exactly one of six at once, round after round', async () => {
    const folder = newFolder()
    for (let round = 1; round <= 50; round++) {
      const tries = await Promise.allSettled(Array.from({ length: 6 }, () => lockFolder(folder)))
      const got = tries.flatMap((it) => (it.status === 'fulfilled' ? [it.value] : []))
      expect([round, got.length]).toEqual([round, 1])
      for (const unlock of got) await unlock()
    }
    expect(locks(folder)).toHaveLength(1)
  })

  test('a folder that cannot be locked is refused with the reason', async () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'file'), '')
    await expect(lockFolder(join(folder, 'file'))).rejects.toThrow(/file cannot be locked: ENOTDIR/)
    await expect(lockFolder(join(folder, 'none'))).rejects.toThrow(/none cannot be written to \(ENOENT\)/)
  })

  test('of a file system without sockets is in the temporary folder, which is told', async () => {
    const folder = newFolder()
    const { listen } = createServer().constructor.prototype
    const unable = jest.spyOn(createServer().constructor.prototype, 'listen').mockImplementation(function (
      this: { emit: (name: string, error: Error) => void },
      options: { path: string }
    ) {
      if (options.path.startsWith('/proc/') && unable.mock.calls.length % 2 === 1) {
        queueMicrotask(() => this.emit('error', Object.assign(new Error('no'), { code: 'ENOTSUP' })))
        return this
      }
      // biome-ignore lint/complexity/noArguments: as it was called
      return listen.apply(this, arguments)
    } as never)
    const told: string[] = []
    const unlock = await lockFolder(folder, (text) => told.push(text))
    expect(told).toEqual([
      expect.stringContaining(`${folder} cannot hold a Unix socket (ENOTSUP), so its lock is in /`)
    ])
    await expect(lockFolder(folder)).rejects.toThrow(`${folder} is in use by the process ${process.pid}`)
    unable.mockRestore()
    await unlock()
  })
})

describe('a folder that was in use', () => {
  test('is taken by exactly one of six processes, each time its owner was killed', async () => {
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

  test('is free after a kill where the next process has the same number, as in a container', async () => {
    const data = newFolder()
    const url = async (child: ReturnType<typeof start>) => ready(child)
    // Each is the process 1 of its own.
    const contained = () =>
      spawn(
        'unshare',
        [
          '--pid',
          '--fork',
          '--kill-child',
          process.execPath,
          join(packageRoot(), 'dist/main.js'),
          '--port',
          '0'
        ].concat(['--data', data, '--fixtures', 'empty']),
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

  test('that may not be written to is refused with its name', async () => {
    const data = newFolder()
    chmodSync(data, 0o555)
    const child = spawn(process.execPath, [join(packageRoot(), 'dist/main.js'), '--port', '0', '--data', data], {
      env: cleanEnvironment(),
      uid: 65534,
      gid: 65534,
      stdio: ['ignore', 'pipe', 'pipe']
    })
    const { code, stderr } = await ended(child)
    expect([code, stderr]).toEqual([
      2,
      `error: ${data} cannot be written to (EACCES). Give --data a folder that this user may write to.\n`
    ])
  })
})
