import { invalidAt, startTestMock } from '../mock.js'
import { type ZipEntry, zipOf } from '../zip.js'
import { unchanged } from './unchanged.js'

const mock = await startTestMock()
const tight = await startTestMock({ assume: { 'limits.upload': 'files:2,total:1,json:1,entries:10,unpacked:1' } })

const upload = '/api/manage/admin/connector/file/upload'
const privateKey = '/api/manage/admin/credential/private-key/1'
const multipart = 'multipart/form-data; boundary=X'

interface Part {
  head: string
  content: string | Uint8Array
}

function fileNamed(name: string, content: string | Uint8Array = 'text', field = 'files'): Part {
  return { head: `name="${field}"; filename="${name}"`, content }
}

function text(name: string, content: string): Part {
  return { head: `name="${name}"`, content }
}

/** A form with these parts, as it is sent. */
function formOf(...parts: Part[]): Buffer {
  const bytes = parts.flatMap(({ head, content }) => [
    `--X\r\nContent-Disposition: form-data; ${head}\r\n\r\n`,
    content,
    '\r\n'
  ])
  return Buffer.concat([...bytes, '--X--\r\n'].map((it) => Buffer.from(it as string)))
}

async function send(method: string, path: string, body: RequestInit['body'], type = multipart, to = mock) {
  const response = await fetch(to.url + path, {
    method,
    body,
    headers: { Authorization: 'Bearer admin', ...(type && { 'Content-Type': type }) },
    duplex: 'half',
    signal: AbortSignal.timeout(300_000)
  } as RequestInit)
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
}

/** The status and the body of an upload that is refused. */
function refused(body: RequestInit['body'], type = multipart, to = mock) {
  return unchanged(to, async () => {
    const answer = await send('POST', upload, body, type, to)
    return [answer.status, answer.body]
  })
}

const invalid = [422, invalidAt(['body'], 'Invalid multipart data.')]
const noFiles = [422, { detail: [{ type: 'missing', loc: ['body', 'files'], msg: 'Field required' }] }]

test('a form may have a semicolon after its boundary', async () => {
  const answer = await send('POST', upload, formOf(fileNamed('a.txt')), `${multipart};`)
  expect(answer.status).toBe(200)
})

test.each([
  ['without a boundary', 'multipart/form-data', formOf(), [422, invalidAt(['body'], 'Missing boundary in multipart.')]],
  ['with another boundary', 'multipart/form-data; boundary=Y', formOf(fileNamed('a')), invalid],
  ['with an endless boundary', `multipart/form-data; boundary=${'x'.repeat(5000)}`, formOf(fileNamed('a')), invalid],
  ['of garbage', multipart, 'garbage', invalid],
  ['of random bytes', multipart, Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919) % 256)), invalid],
  ['that is cut in a file', multipart, formOf(fileNamed('a.txt')).subarray(0, -12), invalid],
  ['that is cut in a head', multipart, formOf(fileNamed('a.txt')).subarray(0, 30), invalid],
  ['with an endless head', multipart, `--X\r\nContent-Disposition: form-data; ${'x'.repeat(1e6)}`, invalid],
  ['with endless headers', multipart, `--X\r\n${'X-A: b\r\n'.repeat(1e5)}`, invalid],
  ['with a part without a name', multipart, formOf({ head: 'filename="a"', content: 'x' }), invalid],
  ['with NUL in a head', multipart, formOf(fileNamed('a\0b')), invalid],
  ['that is empty', multipart, '', noFiles],
  ['without parts', multipart, formOf(), noFiles],
  ['that is JSON', 'application/json', '{"files": ["a"]}', noFiles],
  ['that is urlencoded', 'application/x-www-form-urlencoded', 'files=a', noFiles],
  ['without a media type', '', Buffer.from('files=a'), noFiles]
])('a form: %s is refused', async (_, type, body, answer) => {
  expect(await refused(body, type)).toEqual(answer)
})

test('a form has texts in text fields, and files in file fields', async () => {
  const item = {
    type: 'value_error',
    loc: ['body', 'files', 1],
    msg: "Value error, Expected UploadFile, received: <class 'str'>"
  }
  expect(await refused(formOf(fileNamed('a'), text('files', 'a text')))).toEqual([422, { detail: [item] }])
  const swapped = formOf(
    fileNamed('a', '{}', 'credential_json'),
    text('uploaded_file', 'a text'),
    fileNamed('b', 'x', 'field_key'),
    text('type_definition_key', '')
  )
  const answer = await unchanged(mock, () => send('PUT', privateKey, swapped))
  expect(answer.status).toBe(422)
  expect(answer.body.detail.map(({ type, loc }: { type: string; loc: string[] }) => [loc[1], type])).toEqual([
    ['credential_json', 'string_type'],
    ['uploaded_file', 'value_error'],
    ['field_key', 'string_type'],
    ['type_definition_key', 'missing']
  ])
})

test('a form uses only the last part of a path as a file name, and __proto__ as a field', async () => {
  const names = ['../../etc/passwd', 'C:\\\\windows\\\\evil.dll', '/', '..', 'a%00.txt', '<script>.txt', 'größe.md']
  const strange = ['__proto__', 'constructor', 'toString', 'files[]', 'files[0]', 'a[__proto__][admin]']
  const parts = [...names.map((name) => fileNamed(name)), ...strange.map((name) => text(name, 'x'))]
  const { status, headers, body } = await send('POST', upload, formOf(...parts))
  expect([status, body.file_names]).toEqual([
    200,
    ['passwd', 'evil.dll', 'file', 'file', 'a%00.txt', '<script>.txt', 'größe.md']
  ])
  expect(headers.get('x-mock-violations')).toBe(String(strange.length))
  expect(({} as Record<string, unknown>).admin).toBeUndefined()

  const key = formOf(
    text('credential_json', '{"constructor": {"a": 1}}'),
    fileNamed('key.pfx', 'secret', 'uploaded_file'),
    text('field_key', '__proto__'),
    text('type_definition_key', 'any')
  )
  const stored = await send('PUT', privateKey, key)
  expect([stored.status, Object.keys(stored.body.credential_json)]).toEqual([
    200,
    expect.arrayContaining(['constructor', '__proto__'])
  ])
  const kept = mock.sandbox.rows.credentials.get(1)?.credential_json as object
  expect(Object.getOwnPropertyDescriptor(kept, '__proto__')?.value).toBe('c2VjcmV0')
})

test('a form with thousands of fields is refused', async () => {
  const fields = (count: number) => Array.from({ length: count }, (_, at) => text(`f${at}`, 'x'))
  const detail = 'Too many fields. Maximum number of fields is 1000.'
  expect(await refused(formOf(...fields(5000)))).toEqual([422, invalidAt(['body'], detail)])
  expect(await refused(formOf(...fields(1000)))).toEqual(noFiles)
})

const files = (count: number) => Array.from({ length: count }, (_, at) => fileNamed(`${at}.txt`))
const mebibyte = 2 ** 20

test('an upload over a limit is refused with 21 files', async () => {
  const detail = 'There are more than 20 files (limits.upload: files).'
  expect(await refused(formOf(...files(21)))).toEqual([413, { detail }])
  expect((await send('POST', upload, formOf(...files(20)))).body.file_names).toHaveLength(20)
})

test('an upload over a limit is refused if its files are too large together, or a text is too large', async () => {
  const detail = 'The files are larger than 1048576 bytes together (limits.upload: total).'
  const half = new Uint8Array(mebibyte / 2)
  for (const parts of [
    [fileNamed('a', new Uint8Array(mebibyte + 1))],
    [fileNamed('a', half), fileNamed('b', new Uint8Array(mebibyte / 2 + 1))],
    [fileNamed('a', new Uint8Array(32 * mebibyte))]
  ]) {
    expect(await refused(formOf(...parts), multipart, tight)).toEqual([413, { detail }])
  }
  expect(
    (await send('POST', upload, formOf(fileNamed('a', half), fileNamed('b', half)), multipart, tight)).status
  ).toBe(200)
  const long = formOf(fileNamed('a'), text('more', 'x'.repeat(mebibyte + 1)))
  const texts = 'The form fields are larger than 1048576 bytes together (limits.upload: json).'
  expect(await refused(long, multipart, tight)).toEqual([413, { detail: texts }])
})

test('an upload over a limit is refused in chunks too', async () => {
  async function* endless() {
    yield Buffer.from('--X\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n')
    for (let count = 0; count < 40; count++) yield Buffer.alloc(mebibyte)
    yield Buffer.from('\r\n--X--\r\n')
  }
  const [status] = await refused(endless() as unknown as RequestInit['body'], multipart, tight)
  expect(status).toBe(413)
})

const zip = (bytes: Uint8Array, name = 'docs.zip') => formOf(fileNamed(name, bytes))
const many = (count: number): ZipEntry[] => Array.from({ length: count }, (_, at) => ({ path: `${at}.txt` }))
const corrupt = [422, invalidAt(['body', 'files', 0], 'File is not a zip file')]
const good = { path: 'good.txt', data: 'good' }

test.each<[string, Uint8Array]>([
  ['is empty', Buffer.alloc(0)],
  ['is none', Buffer.from('no zip')],
  ['is cut', zipOf([good]).subarray(0, -30)],
  ['lacks its beginning', zipOf([good]).subarray(40)],
  ['has an encrypted entry', zipOf([good, { ...good, flags: 0x801 }])],
  ['says that an entry is smaller', zipOf([{ path: 'a', data: 'a'.repeat(9999), declares: { size: 10 } }])],
  ['says that an entry is larger', zipOf([{ path: 'a', data: 'abc', declares: { size: 2 ** 31 } }])],
  ['has a wrong checksum', zipOf([{ path: 'a', data: 'abc', declares: { checksum: 1 } }])],
  ['declares fewer entries than it has', zipOf(many(3), 2)],
  ['declares more entries than it has', zipOf(many(3), 5000)]
])('a zip that %s is refused', async (_, bytes) => {
  expect(await refused(zip(bytes))).toEqual(corrupt)
})

test('a zip that is small and unpacks to a lot is refused before it is unpacked', async () => {
  const bomb = zipOf([{ path: 'zeros', data: Buffer.alloc(64 * 2 ** 20) }])
  expect(bomb.length).toBeLessThan(100_000)
  const form = zip(bomb)
  const before = process.memoryUsage().arrayBuffers
  const answer = await refused(form, multipart, tight)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 2 ** 20)
  const detail = 'The entries of the zip are larger than 1048576 bytes together (limits.upload: unpacked).'
  expect(answer).toEqual([413, { detail }])
})

test('a zip with one entry too many is refused', async () => {
  const detail = (limit: number) => `The zip has more than ${limit} entries (limits.upload: entries).`
  expect(await refused(zip(zipOf(many(10_001))))).toEqual([413, { detail: detail(10_000) }])
  expect(await refused(zip(zipOf(many(11))), multipart, tight)).toEqual([413, { detail: detail(10) }])
  const { body } = await send('POST', upload, zip(zipOf(many(10))), multipart, tight)
  expect(body.file_names).toHaveLength(10)
})

test('a zip cannot lead outside by its names, and a zip inside it is a file', async () => {
  const inner = zipOf([good])
  const paths = ['../../etc/passwd', '/abs/olute.txt', 'a/../../b.txt', '__proto__', 'nul\0.txt', 'dir/', '.hidden/x']
  const entries = [
    ...paths.map((path) => ({ path, data: path.endsWith('/') ? '' : 'x' })),
    { path: 'in.zip', data: inner }
  ]
  const { status, body } = await send('POST', upload, zip(zipOf(entries)))
  expect([status, body.zip_metadata]).toEqual([200, {}])
  expect(body.file_names).toEqual(['olute.txt', '__proto__', 'nul.txt', 'in.zip'])
  expect(body.file_paths).toHaveLength(body.file_names.length)
})

test('a zip may have metadata that names anything, but only as JSON', async () => {
  const metadata = (data: string) => zip(zipOf([good, { path: '.wiki_metadata.json', data }]))
  const { status, body } = await send('POST', upload, metadata('{"__proto__": {"admin": true}, "constructor": 1}'))
  expect([status, JSON.stringify(body.zip_metadata)]).toEqual([200, '{"__proto__":{"admin":true},"constructor":1}'])
  for (const data of ['{', 'null', '7', '["a"]', '[{}]', '['.repeat(1e5)]) {
    expect((await refused(metadata(data)))[0]).toBe(422)
  }
  expect(({} as Record<string, unknown>).admin).toBeUndefined()
})

test('a zip is refused together with other files', async () => {
  const two = formOf(fileNamed('a.zip', zipOf([good])), fileNamed('b.zip', zipOf([good])))
  expect((await refused(two))[0]).toBe(422)
})
