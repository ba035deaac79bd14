import { readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { Log, type SyncMode } from '../../src/engine/keep/log.js'
import { LogFile, readLog } from '../../src/engine/keep/log-file.js'
import { full, interceptWrites, newFolder } from './kept.js'

const silent = { forced: async () => {}, failed: () => {} }
/** A change of one record. */
const change = (record: object) => [record as never]
const newFile = () => join(newFolder(), 'log')

async function openLog(file: string, sync: SyncMode = 'never'): Promise<Log> {
  return new Log(await LogFile.open(file, 'a'), sync, silent)
}

/** A log with this many lines, and the end of each. */
async function written(count: number) {
  const file = newFile()
  const log = await openLog(file)
  const lengths = [0]
  for (let n = 0; n < count; n++) {
    await log.append(change({ n, text: 'x'.repeat(n * 3) }))
    lengths.push(log.length)
  }
  await log.close()
  return { file, lengths, bytes: readFileSync(file) }
}

test.each<SyncMode>(['always', 'second', 'never'])(
  'a log returns the added changes, in order, with --sync %s',
  async (sync) => {
    const file = newFile()
    const log = await openLog(file, sync)
    await Promise.all(Array.from({ length: 100 }, (_, n) => log.append(change({ n, text: 'ä\n\u2028😀' }))))
    await log.close()
    const { lines, torn, length, damage } = readLog(readFileSync(file))
    expect([torn, length, damage]).toEqual([0, readFileSync(file).length, undefined])
    expect(lines.map((it) => (it as { n: number }).n)).toEqual(Array.from({ length: 100 }, (_, n) => n))
    expect(lines[7]).toEqual({ n: 7, text: 'ä\n\u2028😀' })
  }
)

test('a log contains a change once it is acknowledged', async () => {
  const file = newFile()
  const log = await openLog(file)
  for (let n = 1; n <= 20; n++) {
    await log.append(change({ n }))
    expect(readLog(readFileSync(file)).lines).toHaveLength(n)
  }
  await log.close()
})

test('a log cut at any byte gives the complete lines before the cut, and continues from there', async () => {
  const { file, lengths, bytes } = await written(5)
  for (let cut = 0; cut <= bytes.length; cut++) {
    const { lines, length, torn, damage } = readLog(bytes.subarray(0, cut))
    const expected = lengths.filter((it) => it <= cut).length - 1
    const at = lengths[expected] as number
    expect([cut, lines.length, length, torn, damage]).toEqual([cut, expected, at, cut - at, undefined])
  }
  truncateSync(file, bytes.length - 3)
  const end = readLog(readFileSync(file))
  const again = new Log(await LogFile.open(file, 'a', end, end.torn), 'never', silent)
  await again.append(change({ n: 'after' }))
  await again.close()
  expect(readLog(readFileSync(file))).toMatchObject({ torn: 0, damage: undefined })
  expect(readLog(readFileSync(file)).lines.at(-1)).toEqual({ n: 'after' })
})

test('a log with one byte changed in any line is damaged there, also in the last one', async () => {
  const { lengths, bytes: whole } = await written(4)
  fc.assert(
    fc.property(fc.nat(whole.length - 2), fc.integer({ min: 1, max: 255 }), (at, mask) => {
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] as number) ^ mask
      const line = lengths.filter((it) => it <= at).length
      const isEnd = lengths.includes(at + 1)
      expect(readLog(bytes).damage).toEqual({ at: lengths[line - 1], line: isEnd ? expect.any(Number) : line })
    })
  )
})

test('a log with missing, doubled or swapped lines is damaged', async () => {
  const { lengths, bytes } = await written(5)
  const line = (n: number) => bytes.subarray(lengths[n], lengths[n + 1])
  const orders = {
    missing: [0, 1, 3, 4],
    'missing first': [1, 2, 3, 4],
    doubled: [0, 1, 2, 2, 3, 4],
    'doubled last': [0, 1, 2, 3, 4, 4],
    swapped: [0, 1, 3, 2, 4],
    'swapped last': [0, 1, 2, 4, 3]
  }
  for (const [name, order] of Object.entries(orders)) {
    const first = order.findIndex((n, at) => n !== at)
    expect([name, readLog(Buffer.concat(order.map(line))).damage]).toEqual([
      name,
      { at: lengths[first], line: first + 1 }
    ])
  }
})

test('a failed write leaves nothing, and waiting changes are rolled back from the last one', async () => {
  const file = newFile()
  const log = await openLog(file)
  await log.append(change({ n: 0 }))
  const before = readFileSync(file)
  const texts: string[] = []
  const end = interceptWrites(async (_, go) => {
    await go(5)
    full()
  })
  const tries = [1, 2, 3].map((n) =>
    log.append(change({ n }), () => void texts.push(`back ${n}`)).catch(({ code }) => void texts.push(`${code} ${n}`))
  )
  await Promise.all(tries)
  expect(texts).toEqual(['back 3', 'back 2', 'back 1', 'ENOSPC 1', 'ENOSPC 2', 'ENOSPC 3'])
  expect(readFileSync(file).equals(before)).toBe(true)
  end()
  await log.append(change({ n: 4 }))
  await log.close()
  expect(readLog(readFileSync(file))).toMatchObject({ lines: [{ n: 0 }, { n: 4 }], damage: undefined })
})

test('a disk that cannot be flushed is reported once, and does not end the process', async () => {
  const messages: string[] = []
  const file = await LogFile.open(newFile(), 'a')
  const log = new Log(file, 'second', { ...silent, failed: ({ message }) => messages.push(message) })
  const { force } = file
  file.force = async () => {
    throw new Error('EIO')
  }
  await log.append(change({ n: 1 }))
  await log.force()
  await log.force()
  file.force = force
  await log.close()
  expect(messages).toEqual(['EIO'])
})

test('an empty file and one without a complete line have no changes', () => {
  expect(readLog(Buffer.alloc(0))).toMatchObject({ lines: [], length: 0, torn: 0 })
  expect(readLog(Buffer.from('deadbeef {"a":'))).toMatchObject({ lines: [], length: 0, torn: 14 })
})
