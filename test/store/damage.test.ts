import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { readLog } from '../../src/engine/keep/log-file.js'
import { ended, ready, start } from '../cli.js'
import { call, testNow } from '../mock.js'
import { close, create, log, mark, names, newFolder, open, session } from './kept.js'

/** A folder that was closed, with three sessions. */
async function written(): Promise<string> {
  const data = newFolder()
  const mock = await open(data)
  for (const name of ['One', 'Two', 'Three']) await call(mock.url, 'POST', create, session(name))
  await close(mock)
  return data
}

/** Its lines, each with its end. */
function linesOf(data: string): Buffer[] {
  const bytes = readFileSync(log(data))
  const lines: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0x0a, at) + 1
    lines.push(bytes.subarray(at, end))
    at = end
  }
  return lines
}

function put(data: string, lines: Buffer[]): void {
  writeFileSync(log(data), Buffer.concat(lines))
}

/** The message of a start about a folder, which it must not change. */
async function refusal(data: string): Promise<string> {
  const files = () =>
    readdirSync(data)
      .filter((name) => !name.startsWith('lock'))
      .map((name) => [name, readFileSync(join(data, name), 'latin1')])
  const before = files()
  const error = await open(data).then(
    () => new Error('it started'),
    (it: Error) => it
  )
  expect(files()).toEqual(before)
  return error.message
}

test('a log with an unfinished write is cut there, the rest is saved and reported, and the mock starts', async () => {
  const data = newFolder()
  // Killed, so that the end of the log is not marked.
  const child = start(['--port', '0', '--data', data, '--fixtures', 'empty', '--sync', 'never'])
  const done = ended(child)
  const url = await ready(child)
  for (const name of ['Whole', 'Torn']) await call(url, 'POST', create, session(name))
  child.kill('SIGKILL')
  await done
  const whole = readFileSync(log(data))
  truncateSync(log(data), whole.length - 10)
  const { length } = readLog(readFileSync(log(data)))

  const again = start(['--port', '0', '--data', data, '--fixtures', 'empty', '--now', testNow])
  const end = ended(again)
  const next = await ready(again)
  expect(await names(next)).toEqual(['Whole'])
  await call(next, 'POST', create, session('After'))
  again.kill('SIGTERM')
  const cut = join(data, 'log.cut-1')
  expect((await end).stderr).toContain(
    `${log(data)}: cut off ${whole.length - 10 - length} bytes of a write that was not finished. They are in ${cut}.`
  )
  expect(readFileSync(cut)).toEqual(whole.subarray(length, whole.length - 10))
  const third = await open(data)
  expect((await names(third.url)).sort()).toEqual(['After', 'Whole'])
})

test('a log with an unfinished write saves each piece that was cut off', async () => {
  const data = await written()
  for (const text of ['deadbeef {"op":"ro', 'x']) {
    writeFileSync(log(data), text, { flag: 'a' })
    await close(await open(data, { onProblem: () => {} }))
  }
  expect(['log.cut-1', 'log.cut-2'].map((name) => readFileSync(join(data, name), 'utf8'))).toEqual([
    'deadbeef {"op":"ro',
    'x'
  ])
})

test.each<[string, (lines: Buffer[]) => Buffer[], number]>([
  ['a line in the middle', (lines) => lines.with(2, flipped(lines[2])), 3],
  ['the last line, whole', (lines) => lines.with(-1, flipped(lines.at(-1))), -1],
  ['the last two lines, whole', (lines) => lines.with(-1, flipped(lines.at(-1))).with(-2, flipped(lines.at(-2))), -2],
  ['a missing line', (lines) => lines.toSpliced(3, 1), 4],
  ['a repeated line', (lines) => lines.toSpliced(3, 0, lines[3] as Buffer), 5],
  ['two lines that are swapped', (lines) => lines.with(3, lines[4] as Buffer).with(4, lines[3] as Buffer), 4],
  ['damage before a write that was not finished', (lines) => [...lines.with(2, flipped(lines[2])), Buffer.from('x')], 3]
])('a damaged log is refused unchanged, with the place and what to do: %s', async (_, change, line) => {
  const data = await written()
  const lines = linesOf(data)
  put(data, change(lines))
  const number = line > 0 ? line : lines.length + 1 + line
  const at = Buffer.concat(change(lines).slice(0, number - 1)).length
  const text = await refusal(data)
  expect(text).toContain(
    `${log(data)} is damaged at byte ${at}, line ${number}: the line is broken, or does not follow`
  )
  expect(text).toContain(`(truncate -s ${at} ${log(data)}) and delete ${mark(data)}.`)
  // As the message says: with the rest cut off, the part before it is there.
  truncateSync(log(data), at)
  rmSync(mark(data))
  await expect(open(data)).resolves.toBeDefined()
})

test.each<[string, (lines: Buffer[]) => Buffer[]]>([
  ['it is empty', () => []],
  ['its last line is missing', (lines) => lines.slice(0, -1)],
  ['its last line is not whole', (lines) => lines.with(-1, (lines.at(-1) as Buffer).subarray(0, -3))]
])(
  'a damaged log is refused unchanged, with the place and what to do: a log of which less is there than was written: %s',
  async (_, change) => {
    const data = await written()
    const whole = statSync(log(data)).size
    put(data, change(linesOf(data)))
    const { length } = readLog(readFileSync(log(data)))
    expect(await refusal(data)).toContain(`it has ${length} bytes, but at least ${whole} were written`)
    rmSync(mark(data))
    await expect(open(data, { onProblem: () => {} })).resolves.toBeDefined()
  }
)

test('a damaged log is refused unchanged, with the place and what to do: a missing log', async () => {
  const data = await written()
  rmSync(log(data))
  expect(await refusal(data)).toMatch(/it has 0 bytes, but at least.* Or start again: move .* away\.$/)
})

test('a damaged log is refused unchanged, with the place and what to do: the log of another folder', async () => {
  const [data, other] = [await written(), await written()]
  copyFileSync(log(other), log(data))
  expect(await refusal(data)).toContain('it is not the log that was written')
})

test('a damaged log is refused unchanged, with the place and what to do: a mark without content', async () => {
  const data = await written()
  writeFileSync(mark(data), '')
  expect(await refusal(data)).toBe(`${mark(data)} is damaged. Delete it to go on without this check of the log.`)
})

test.each<[string, (log: string) => void]>([
  ['deleted', (log) => rmSync(log)],
  ['moved', (log) => renameSync(log, `${log}.moved`)],
  [
    'replaced by a copy',
    (log) => {
      copyFileSync(log, `${log}.copy`)
      renameSync(`${log}.copy`, log)
    }
  ],
  [
    'deleted, and has another name',
    (log) => {
      linkSync(log, `${log}.link`)
      rmSync(log)
    }
  ]
])('a log that was changed from outside accepts no more changes when it was %s', async (_, change) => {
  const data = newFolder()
  const mock = await open(data)
  await call(mock.url, 'POST', create, session('One'))
  change(log(data))
  const { status, body } = await call(mock.url, 'POST', create, session('Two'))
  const message = `${log(data)} was moved, deleted or replaced while`
  expect([status, body.detail]).toEqual([507, expect.stringContaining(message)])
  expect(await names(mock.url)).toEqual(['One'])
})

test('a log that was changed from outside accepts no more changes when a second process started because the lock was deleted', async () => {
  const data = newFolder()
  const first = await open(data)
  await call(first.url, 'POST', create, session('One'))
  for (const name of readdirSync(data).filter((it) => it.startsWith('lock'))) rmSync(join(data, name))
  const second = await open(data)
  await call(second.url, 'POST', create, session('Two'))
  const { status, body } = await call(first.url, 'POST', create, session('Three'))
  expect([status, body.detail]).toEqual([507, expect.stringContaining(`${log(data)} was changed by something else`)])
  await call(second.url, 'POST', create, session('Four'))
  await close(first)
  await close(second)
  expect((await names((await open(data)).url)).sort()).toEqual(['Four', 'One', 'Two'])
})

test('a folder that cannot be used is refused with the reason: a file instead of the folder', async () => {
  const file = join(newFolder(), 'file')
  writeFileSync(file, '')
  await expect(open(file)).rejects.toThrow(`${file} is a file. Give --data another folder.`)
})

test('a folder that cannot be used is refused with the reason: a folder that cannot be created', async () => {
  const file = join(newFolder(), 'file')
  writeFileSync(file, '')
  await expect(open(join(file, 'in', 'it'))).rejects.toThrow(/it cannot be created \(ENOTDIR\)\. Give --data another/)
  await expect(open('/proc/kcm')).rejects.toThrow(/^\/proc\/kcm cannot be created \(E\w+\)\. Give --data another/)
})

test.each(['log', 'log.new', 'log.mark', 'log.mark.new'])(
  'a folder that cannot be used is refused with the reason: a folder or a pipe in the place of %s',
  async (name) => {
    const [data, path] = [newFolder(), join(newFolder(), name)]
    mkdirSync(join(data, name))
    await expect(open(data)).rejects.toThrow(`${join(data, name)} is a folder, not a file. Move it away.`)
    execFileSync('mkfifo', [path])
    await expect(open(dirname(path))).rejects.toThrow(`${path} is a pipe or a device, not a file. Move it away.`)
  }
)

test('a log that was emptied right after a kill is noticed', async () => {
  const data = newFolder()
  const child = start(['--port', '0', '--data', data, '--fixtures', 'empty'])
  const done = ended(child)
  await call(await ready(child), 'POST', create, session('One'))
  child.kill('SIGKILL')
  await done
  truncateSync(log(data), 0)
  expect(await refusal(data)).toContain('it has 0 bytes, but at least')
})

function flipped(line: Buffer | undefined): Buffer {
  const copy = Buffer.from(line as Buffer)
  copy[20] = (copy[20] as number) ^ 1
  return copy
}
