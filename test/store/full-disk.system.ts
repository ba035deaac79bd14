import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../cli.js'
import { call } from '../mock.js'
import { close, control, create, names, newFolder, open, session } from './kept.js'

test('a failed write is a 507 and is rolled back, and the mock writes again once there is room', async () => {
  const { folder: data, fill, free } = smallDisk()
  const mock = await open(data, { assume: { 'limits.text': 'none' } })
  const made = await call(mock.url, 'POST', create, session('Before'))
  await control(mock.url, 'POST', '/snapshots/before')
  const before = await control(mock.url, 'GET', '/state')
  fill()
  const refused = await call(mock.url, 'POST', create, session(`Lost ${'x'.repeat(9_000)}`))
  expect([refused.status, refused.body.detail]).toEqual([
    507,
    expect.stringMatching(
      /^The change could not be written to --data, and was rolled back: ENOSPC.* Make room on the disk; the mock then continues by itself\.$/
    )
  ])
  expect(await control(mock.url, 'GET', '/state')).toMatchObject({ text: before.text })
  const gone = await call(mock.url, 'DELETE', `/api/chat/delete-chat-session/${made.body.chat_session_id}`)
  const reset = await control(mock.url, 'POST', '/reset', { fixtures: 'demo' })
  expect(reset.status).toBe(507)
  const kept = gone.status === 507 ? ['Before'] : []
  expect(await names(mock.url)).toEqual(kept)
  free()
  expect((await call(mock.url, 'POST', create, session('After'))).status).toBe(200)
  await close(mock)
  const second = await open(data)
  expect(await names(second.url)).toEqual(['After', ...kept])
})

test('a state file that is mounted alone stops the start with exit 2', async () => {
  const folder = newFolder()
  const [file, source] = [join(folder, 'db.json'), join(folder, 'source.json')]
  await close(await open(source))
  writeFileSync(file, '')
  execFileSync('mount', ['--bind', source, file])
  const { code, stderr } = await run(['--port', '0', '--data', file])
  execFileSync('umount', [file])
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(`${file}: it cannot be replaced: it is mounted alone: mount its folder`)
  ])
  expect(readdirSync(folder).sort()).toEqual(['db.json', 'source.json'])
})

/** A folder on a disk of one mebibyte. */
function smallDisk() {
  const disk = mkdtempSync(join(tmpdir(), 'kcm-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk])
  disks.push(disk)
  const folder = join(disk, 'data')
  mkdirSync(folder)
  const filler = join(disk, 'filler')
  return {
    folder,
    fill() {
      for (let size = 512 * 1024; size >= 1; size = Math.floor(size / 2)) {
        try {
          for (;;) writeFileSync(filler, Buffer.alloc(size), { flag: 'a' })
        } catch {}
      }
    },
    free: () => rmSync(filler)
  }
}

const disks: string[] = []
afterAll(() => {
  for (const disk of disks) {
    execFileSync('umount', [disk])
    rmSync(disk, { recursive: true })
  }
})
