import type { UploadedFile } from '../../src/engine/contract/message/body.js'
import { Refusal } from '../../src/engine/contract/message/refusal.js'
import type { Reason } from '../../src/engine/contract/types.gen.js'
import { type Limits, limitsOf } from '../../src/engine/serve/body/limits.js'
import { expandZips } from '../../src/engine/serve/body/zip.js'
import { type ZipEntry, zipOf } from '../zip.js'

const standard = limitsOf('standard')
const corrupt = new Refusal('corrupt-zip' as Reason, { index: 0 })

function fileOf(bytes: Uint8Array, name = 'docs.zip', type = 'application/octet-stream'): UploadedFile {
  return { name, sentName: name, type, bytes }
}

async function expanded(entries: ZipEntry[], limits: Partial<Limits> = {}, count?: number): Promise<UploadedFile> {
  const file = fileOf(zipOf(entries, count))
  await expandZips([file], { ...standard, ...limits })
  return file
}

async function refused(entries: ZipEntry[], limits: Partial<Limits> = {}, count?: number): Promise<Refusal> {
  const error = await expanded(entries, limits, count).catch((it) => it)
  expect(error).toBeInstanceOf(Refusal)
  return error
}

test('entries have their paths and counted sizes, deflated or stored', async () => {
  const { entries, metadata } = await expanded([
    { path: 'guides/' },
    { path: 'guides/größe.md', data: '# größe' },
    { path: 'raw.bin', data: 'abc', stored: true },
    { path: 'empty.txt' },
    { path: '/etc/passwd', data: 'x' },
    { path: '../../up.txt', data: 'y' },
    { path: 'windows\\style.txt', data: 'z' },
    { path: 'nul\0.txt', data: 'n' }
  ])
  expect(entries).toEqual([
    { path: 'guides/', size: 0 },
    { path: 'guides/größe.md', size: 9 },
    { path: 'raw.bin', size: 3 },
    { path: 'empty.txt', size: 0 },
    { path: '/etc/passwd', size: 1 },
    { path: '../../up.txt', size: 1 },
    { path: 'windows/style.txt', size: 1 },
    { path: 'nul.txt', size: 1 }
  ])
  expect(metadata).toBeUndefined()
})

test('the metadata file at the root is read, but not one in a folder', async () => {
  const deep = { path: 'a/.wiki_metadata.json', data: '[]' }
  expect((await expanded([deep])).metadata).toBeUndefined()
  const { metadata } = await expanded([
    deep,
    { path: '.wiki_metadata.json', data: '{"a":"ü"}' },
    { path: '.b_metadata.json' }
  ])
  expect(metadata).toEqual({ name: '.wiki_metadata.json', text: '{"a":"ü"}' })
})

test('a zip is recognised by its name or its media type, and all other fields remain unchanged', async () => {
  const bytes = zipOf([{ path: 'a', data: '1' }])
  const byName = fileOf(bytes, 'A.ZIP')
  const byType = fileOf(bytes, 'a.bin', 'application/x-zip-compressed')
  const neither = fileOf(bytes, 'a.docx', 'application/vnd.openxmlformats')
  await expandZips([byName, byType, neither, 'a.zip', { name: 'x.zip', type: 'application/zip' }], standard)
  expect(byName.entries).toEqual([{ path: 'a', size: 1 }])
  expect(byType.entries).toEqual([{ path: 'a', size: 1 }])
  expect(neither.entries).toBeUndefined()
})

test('a file that is not a zip, or only half of one, is corrupt', async () => {
  const whole = zipOf([{ path: 'a', data: 'some text that goes on' }])
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from('PK'),
    Buffer.alloc(5000),
    whole.subarray(0, whole.length - 9),
    whole.subarray(9)
  ]) {
    await expect(expandZips([fileOf(bytes)], standard)).rejects.toEqual(corrupt)
  }
})

test.each<[string, ZipEntry]>([
  ['is encrypted', { path: 'a', data: 'abc', flags: 0x801 }],
  ['is strongly encrypted', { path: 'a', data: 'abc', flags: 0x841 }],
  ['says it is smaller', { path: 'a', data: 'a'.repeat(5000), declares: { size: 10 } }],
  ['says it is larger', { path: 'a', data: 'abc', declares: { size: 10 } }],
  ['says it is larger, stored', { path: 'a', data: 'abc', stored: true, declares: { size: 10 } }],
  ['has another checksum', { path: 'a', data: 'abc', declares: { checksum: 7 } }],
  ['is packed in an unknown way', { path: 'a', data: 'abc', declares: { method: 12 } }],
  ['is not deflated but says so', { path: 'a', data: 'abc', stored: true, declares: { method: 8 } }]
])('a zip is corrupt whose entry %s', async (_, entry) => {
  expect(await refused([{ path: 'good', data: 'good' }, entry])).toEqual(corrupt)
})

test('a zip with fewer or more entries than it declares is corrupt', async () => {
  const two = [{ path: 'a' }, { path: 'b' }]
  expect(await refused(two, {}, 1)).toEqual(corrupt)
  expect(await refused(two, {}, 3)).toEqual(corrupt)
})

test('too many entries in all zips of the request are refused', async () => {
  const two = [{ path: 'a' }, { path: 'b' }]
  await expanded(two, { zipEntries: 2 })
  const { reason, values } = await refused(two, { zipEntries: 1 })
  expect(reason).toBe('too-large')
  expect(values.detail).toBe('The zip has more than 1 entries (limits.upload: entries).')
  const both = expandZips([fileOf(zipOf(two)), fileOf(zipOf(two))], { ...standard, zipEntries: 3 })
  await expect(both).rejects.toMatchObject({ reason: 'too-large' })
})

test('unpacking stops at the limit, however small the zip is', async () => {
  const bomb = { path: 'zeros', data: Buffer.alloc(16 * 1024 * 1024) }
  const file = fileOf(zipOf([bomb, bomb]))
  expect(file.bytes.length).toBeLessThan(50_000)
  const limits = { ...standard, unpacked: 24 * 1024 * 1024 }
  await expect(expandZips([file], limits)).rejects.toMatchObject({
    reason: 'too-large',
    values: { detail: 'The entries of the zip are larger than 25165824 bytes together (limits.upload: unpacked).' }
  })
  const metadata = { ...bomb, path: '.x_metadata.json' }
  await expect(expanded([metadata])).rejects.toMatchObject({ reason: 'too-large' })
})

test('the names in all zips, which the reply contains, share the limit of JSON', async () => {
  const long = ['a', 'b', 'c'].map((letter) => ({ path: letter.repeat(60_000), data: '' }))
  const limits = { ...standard, json: 150_000 }
  const [two, three] = [fileOf(zipOf(long.slice(1))), fileOf(zipOf(long))]
  await expandZips([two], limits)
  expect(two.entries?.map(({ path }) => path.length)).toEqual([60_000, 60_000])
  await expect(expandZips([three], limits)).rejects.toMatchObject({
    reason: 'too-large',
    values: { detail: 'The names in the zip are larger than 150000 bytes together (limits.upload: json).' }
  })
  // Two zips of one form share the limit.
  await expect(expandZips([two, fileOf(zipOf(long.slice(1)))], limits)).rejects.toMatchObject({ reason: 'too-large' })
})

test('a damaged zip is refused, and nothing else happens', async () => {
  const whole = zipOf([
    { path: 'a.txt', data: 'some text' },
    { path: 'b.txt', data: 'more text', stored: true }
  ])
  for (let at = 0; at < whole.length; at++) {
    for (const value of [0x00, 0xff, (whole[at] as number) ^ 1]) {
      const bytes = Buffer.from(whole)
      bytes[at] = value
      const file = fileOf(bytes)
      const error = await expandZips([file], standard).catch((it) => it)
      if (error) expect(error).toBeInstanceOf(Refusal)
      else expect(file.entries?.map((entry) => entry.size)).toEqual([9, 9])
    }
  }
})
