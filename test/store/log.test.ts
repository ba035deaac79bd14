import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { lockFolder } from '../../src/store/lock.js'
import { Log, readLog, type SyncMode } from '../../src/store/log.js'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kcm-log-'))
  folders.push(folder)
  return folder
}

describe('a log', () => {
  test.each<SyncMode>(['always', 'second', 'never'])(
    'gives back what was added, in order, with --sync %s',
    async (sync) => {
      const file = join(newFolder(), 'log')
      const log = await Log.open(file, 0, sync)
      await Promise.all(Array.from({ length: 100 }, (_, n) => log.append({ n, text: 'ä\n\u2028😀' })))
      await log.close()
      const { records, torn, length } = readLog(readFileSync(file))
      expect([torn, length]).toEqual([0, readFileSync(file).length])
      expect(records.map((it) => (it as { n: number }).n)).toEqual(Array.from({ length: 100 }, (_, n) => n))
      expect(records[7]).toEqual({ n: 7, text: 'ä\n\u2028😀' })
    }
  )

  test('a record that is acknowledged is in the file', async () => {
    const file = join(newFolder(), 'log')
    const log = await Log.open(file, 0, 'never')
    for (let n = 1; n <= 20; n++) {
      await log.append({ n })
      expect(readLog(readFileSync(file)).records).toHaveLength(n)
    }
    await log.close()
  })

  test('cut at any byte gives the whole records before the cut, and goes on from there', async () => {
    const file = join(newFolder(), 'log')
    const log = await Log.open(file, 0, 'never')
    const lengths = [0]
    for (let n = 0; n < 5; n++) {
      await log.append({ n, text: 'x'.repeat(n * 3) })
      lengths.push(log.length)
    }
    await log.close()
    const whole = readFileSync(file)
    for (let cut = 0; cut <= whole.length; cut++) {
      const { records, length, torn } = readLog(whole.subarray(0, cut))
      const expected = lengths.filter((it) => it <= cut).length - 1
      expect([cut, records.length, length, torn]).toEqual([
        cut,
        expected,
        lengths[expected],
        cut - (lengths[expected] as number)
      ])
    }
    truncateSync(file, whole.length - 3)
    const { length } = readLog(readFileSync(file))
    const again = await Log.open(file, length, 'never')
    await again.append({ n: 'after' })
    await again.close()
    expect(readLog(readFileSync(file)).records.at(-1)).toEqual({ n: 'after' })
  })

  test('with one byte changed before the last record is refused, with the place', async () => {
    const file = join(newFolder(), 'log')
    const log = await Log.open(file, 0, 'never')
    for (let n = 0; n < 4; n++) await log.append({ n, text: 'some text' })
    await log.close()
    const whole = readFileSync(file)
    const last = whole.lastIndexOf(0x0a, whole.length - 2) + 1
    fc.assert(
      fc.property(fc.nat(last - 2), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const bytes = Buffer.from(whole)
        bytes[at] = (bytes[at] as number) ^ mask
        expect(() => readLog(bytes)).toThrow(/^the record at byte \d+ is damaged$/)
      })
    )
  })

  test('a write that fails leaves nothing, and the last of what waited is told first', async () => {
    const file = join(newFolder(), 'log')
    const log = await Log.open(file, 0, 'never')
    await log.append({ n: 0 })
    const before = readFileSync(file)
    const failures: number[] = []
    // biome-ignore lint/suspicious/noExplicitAny: it is made to fail as on a full disk
    const inside = log as any
    const { writeSome } = inside
    inside.writeSome = async (bytes: Buffer, at: number) => {
      await writeSome.call(log, bytes.subarray(0, 5), at)
      throw Object.assign(new Error('full'), { code: 'ENOSPC' })
    }
    const tries = [1, 2, 3].map((n) => log.append({ n }).catch(() => void failures.push(n)))
    await Promise.all(tries)
    expect([failures, readFileSync(file).equals(before)]).toEqual([[3, 2, 1], true])
    inside.writeSome = writeSome
    await log.append({ n: 4 })
    await log.close()
    expect(readLog(readFileSync(file)).records).toEqual([{ n: 0 }, { n: 4 }])
  })

  test('an empty file and one without a whole record hold nothing', () => {
    expect(readLog(Buffer.alloc(0))).toEqual({ records: [], length: 0, torn: 0 })
    expect(readLog(Buffer.from('deadbeef {"a":'))).toEqual({ records: [], length: 0, torn: 14 })
  })
})

describe('a lock', () => {
  test('keeps others out, names who has it, and ends with it', async () => {
    const folder = newFolder()
    const unlock = await lockFolder(folder)
    await expect(lockFolder(folder)).rejects.toThrow(`${folder} is in use by the process ${process.pid}`)
    await unlock()
    await (await lockFolder(folder))()
    expect(existsSync(join(folder, 'lock'))).toBe(false)
  })

  test('of a process that is gone, or of none, is taken over', async () => {
    for (const text of ['999999999\n', '', 'nonsense']) {
      const folder = newFolder()
      writeFileSync(join(folder, 'lock'), text)
      const unlock = await lockFolder(folder)
      appendFileSync(join(folder, 'lock'), '')
      expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(`${process.pid}\n`)
      await unlock()
    }
  })
})
