import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { lockFolder } from '../../src/engine/keep/lock.js'
import { newFolder } from './kept.js'

const locks = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('lock'))

test('a lock excludes others, names its owner, and ends with it', async () => {
  const folder = newFolder()
  const unlock = await lockFolder(folder)
  await expect(lockFolder(folder)).rejects.toThrow(`${folder} is in use by the process ${process.pid} on ${hostname()}`)
  await unlock()
  await unlock()
  await (await lockFolder(folder))()
  expect(locks(folder)).toEqual(['lock.2'])
})

test('a lock works in a folder with a path longer than that of a socket may be', async () => {
  const folder = join(newFolder(), 'x'.repeat(100), 'y'.repeat(100))
  mkdirSync(folder, { recursive: true })
  const unlock = await lockFolder(folder)
  await expect(lockFolder(folder)).rejects.toThrow('is in use by')
  await unlock()
})

test('a lock ignores leftover files without a listening process, whatever they contain', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'lock'), '1\n')
  writeFileSync(join(folder, 'lock.7'), 'nonsense')
  writeFileSync(join(folder, 'lock.new-1'), '')
  const unlock = await lockFolder(folder)
  expect(locks(folder)).toEqual(['lock', 'lock.8'])
  await unlock()
})

test('a lock goes to exactly one of six at once, round after round', async () => {
  const folder = newFolder()
  for (let round = 1; round <= 50; round++) {
    const tries = await Promise.allSettled(Array.from({ length: 6 }, () => lockFolder(folder)))
    const got = tries.flatMap((it) => (it.status === 'fulfilled' ? [it.value] : []))
    expect([round, got.length]).toEqual([round, 1])
    for (const unlock of got) await unlock()
  }
  expect(locks(folder)).toHaveLength(1)
})

test('a lock is refused with the reason if the folder cannot be locked', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'file'), '')
  await expect(lockFolder(join(folder, 'file'))).rejects.toThrow(/file cannot be locked: ENOTDIR/)
  await expect(lockFolder(join(folder, 'none'))).rejects.toThrow(/none cannot be written to \(ENOENT\)/)
})

test('a lock of a file system without sockets is in the temporary folder, with a message', async () => {
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
  const lines: string[] = []
  const unlock = await lockFolder(folder, (text) => lines.push(text))
  expect(lines).toEqual([expect.stringContaining(`${folder} cannot hold a Unix socket (ENOTSUP), so its lock is in /`)])
  await expect(lockFolder(folder)).rejects.toThrow(`${folder} is in use by the process ${process.pid}`)
  unable.mockRestore()
  await unlock()
})
