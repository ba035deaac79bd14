import { invalidAt, startTestMock, type TestMock } from '../mock.js'
import { type ZipEntry, zipOf } from '../zip.js'
import { putConnector, putCredential, putPair } from './associations.js'

const mock = await startTestMock({ fixtures: 'empty' })
const observed = await startTestMock({ fixtures: 'empty', profile: 'observed' })
const stored = await startTestMock({ fixtures: 'empty', assume: { 'upload.zip': 'stored' } })
const small = await startTestMock({
  fixtures: 'empty',
  assume: { 'limits.upload': 'files:2,total:1,json:1,entries:2,unpacked:1' }
})
const sevenSources = await startTestMock({ fixtures: 'empty', assume: { 'sources.values': 'named-seven' } })

test('reading a connector (E15) returns it with the credentials of its associations, each once and in order', async () => {
  const { prune_freq: _never, indexing_start: _anytime, ...shown } = putConnector(mock, 1)
  putConnector(mock, 2)
  for (const [id, credential] of [
    [1, 7],
    [2, 3],
    [3, 5],
    [4, 3]
  ] as const) {
    putCredential(mock, credential, 'admin')
    putPair(mock, id, { connector_id: 1, credential_id: credential })
  }
  for (const as of ['admin', 'basic']) {
    const { status, body } = await mock.call('GET', '/api/manage/connector/1', { as })
    expect([status, body]).toEqual([200, { ...shown, credential_ids: [3, 5, 7] }])
  }
  expect((await mock.call('GET', '/api/manage/connector/2')).body.credential_ids).toEqual([])
})

test('reading a connector (E15) returns a StatusResponse for a missing one', async () => {
  const { status, headers, body } = await mock.call('GET', '/api/manage/connector/99')
  expect([status, body]).toEqual([200, { success: false, message: 'Connector 99 does not exist', data: 99 }])
  expect(headers.get('x-mock-assumed')).toContain('connector.missing')
})

test('reading a connector (E15) is a 404 for a missing one with connector.missing=404', async () => {
  const { status, body } = await observed.call('GET', '/api/manage/connector/99')
  expect([status, body]).toEqual([404, { detail: 'Connector 99 does not exist' }])
})

test('reading a connector (E15) is refused for another source with sources.values=named-seven', async () => {
  putConnector(sevenSources, 1, { source: 'slack' })
  expect((await sevenSources.call('GET', '/api/manage/connector/1')).body.success).toBe(false)
})

const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)

function upload(
  on: TestMock,
  files: (string | Uint8Array | { name: string; bytes: Uint8Array; type?: string })[],
  as = 'admin'
) {
  const form = new FormData()
  for (const file of files) {
    if (typeof file === 'string') form.append('files', new Blob(['text']), file)
    else if (file instanceof Uint8Array) form.append('files', new Blob([file]), 'docs.zip')
    else form.append('files', new Blob([file.bytes], { type: file.type }), file.name)
  }
  return on.call('POST', '/api/manage/admin/connector/file/upload', { as, form })
}

const metadataZip = (data: string, more: ZipEntry[] = []) => zipOf([{ path: '.wiki_metadata.json', data }, ...more])

test('uploading files (E17) returns a path for every file, and keeps equal names', async () => {
  const { status, body } = await upload(mock, ['a.md', 'a.md', 'größe.csv'])
  expect([status, body]).toEqual([
    200,
    { file_paths: [uuid, uuid, uuid], file_names: ['a.md', 'a.md', 'größe.csv'], zip_metadata: {} }
  ])
  expect(new Set(body.file_paths).size).toBe(3)
})

test('uploading files (E17) counts a zip as the files in it, without folders and hidden ones', async () => {
  const zip = zipOf([
    { path: 'guides/' },
    { path: 'guides/start.md', data: 'a' },
    { path: 'guides/.draft.md', data: 'b' },
    { path: '__MACOSX/._start.md', data: 'c' },
    { path: '.git/config', data: 'd' },
    { path: '../outside.md', data: 'e' },
    { path: 'prices.csv', data: 'f' }
  ])
  const { headers, body } = await upload(mock, [
    'before.txt',
    { name: 'x', bytes: zip, type: 'application/zip' },
    'after.txt'
  ])
  expect(body.file_names).toEqual(['before.txt', 'start.md', 'prices.csv', 'after.txt'])
  expect(body.file_paths).toHaveLength(4)
  expect(body.zip_metadata).toEqual({})
  expect(headers.get('x-mock-assumed')).toContain('upload.zip')
})

test('uploading files (E17) returns zip_metadata as the object in the metadata file, or its list by file name', async () => {
  const object = { 'a.md': { link: 'https://a.example.com' } }
  expect((await upload(mock, [metadataZip(JSON.stringify(object))])).body.zip_metadata).toEqual(object)
  const list = '[{"filename":"a.md","link":"l"},{"filename":"__proto__","tag":1}]'
  const { text, body } = await upload(mock, [metadataZip(list, [{ path: 'a.md', data: 'x' }])])
  expect(body.file_names).toEqual(['a.md'])
  expect(text).toContain(
    '"zip_metadata":{"a.md":{"filename":"a.md","link":"l"},"__proto__":{"filename":"__proto__","tag":1}}'
  )
})

test.each(['{', '7', 'null', '["a.md"]', '[null]', '[{"link":"l"}]', '[{"filename":7}]'])(
  'metadata %s is refused',
  async (data) => {
    const { status, body } = await upload(mock, [metadataZip(data)])
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'files', 0]])
    expect(body.detail[0].msg).toMatch(/^Value error, Unable to load \.wiki_metadata\.json: ./)
    expect((await upload(observed, [metadataZip(data)])).body.detail).toMatch(
      /^Unable to load \.wiki_metadata\.json: ./
    )
  }
)

test('uploading files (E17) refuses metadata with more values than a body may have', async () => {
  const wide = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [i, i])))
  const { status, body } = await upload(mock, [metadataZip(wide(20_001))])
  const detail = '.wiki_metadata.json has more than 20000 values.'
  expect([status, body]).toEqual([413, { detail }])
  expect((await upload(mock, [metadataZip(wide(20_000))])).status).toBe(200)
})

test('uploading files (E17) refuses metadata that nests too deep for an answer', async () => {
  const deep = `[{"filename":"a.md","tag":${'['.repeat(9999)}${']'.repeat(9999)}}]`
  const { status, body } = await upload(mock, [metadataZip(deep)])
  const text = 'Unable to load .wiki_metadata.json: it is nested too deeply'
  expect([status, body]).toEqual([422, invalidAt(['body', 'files', 0], text)])
})

test('uploading files (E17) refuses a second zip', async () => {
  const zip = zipOf([{ path: 'a.md', data: 'a' }])
  const { status, body } = await upload(mock, ['a', zip, zip])
  expect([status, body.detail[0].loc]).toEqual([422, ['body', 'files', 2]])
  expect(body.detail[0].msg).toMatch(/^Value error, Only one zip file is allowed/)
  const running = await upload(observed, [zip, zip])
  expect([running.status, running.body.detail]).toEqual([400, expect.stringMatching(/^Only one zip file is allowed/)])
})

test('uploading files (E17) refuses a corrupt zip with a 422 at its place, and a 400 under the profile observed', async () => {
  const files = ['a', Buffer.from('no zip')]
  const text = 'File is not a zip file'
  const answers = [await upload(mock, files), await upload(observed, files)]
  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [422, invalidAt(['body', 'files', 1], text)],
    [400, { detail: text }]
  ])
})

test('uploading files (E17) treats a zip like any other file with upload.zip=stored', async () => {
  const { body } = await upload(stored, [metadataZip('{"a":1}'), Buffer.from('no zip')])
  expect(body).toEqual({ file_paths: [uuid, uuid], file_names: ['docs.zip', 'docs.zip'], zip_metadata: {} })
})

test('uploading files (E17) refuses a request over a limit with a 413 that names the limit, and nothing with limits.upload=none', async () => {
  const mebibyte = Buffer.alloc(1024 * 1024)
  const over: [Parameters<typeof upload>[1], string][] = [
    [['a', 'b', 'c'], 'files'],
    [[{ name: 'a', bytes: mebibyte }, 'b'], 'total'],
    [[zipOf([{ path: 'a' }, { path: 'b' }, { path: 'c' }])], 'entries'],
    [
      [
        zipOf([
          { path: 'a', data: mebibyte },
          { path: 'b', data: 'x' }
        ])
      ],
      'unpacked'
    ]
  ]
  for (const [files, limit] of over) {
    const { status, headers, body } = await upload(small, files)
    expect([status, body.detail]).toEqual([413, expect.stringContaining(`(limits.upload: ${limit})`)])
    expect(headers.get('x-mock-assumed')).toContain('limits.upload')
    expect((await upload(observed, files)).status).toBe(200)
  }
})

test('uploading files (E17) names the file that is a text', async () => {
  const form = new FormData()
  form.append('files', new Blob(['x']), 'a.md')
  form.append('files', 'text')
  const { status, body } = await mock.call('POST', '/api/manage/admin/connector/file/upload', { form })
  expect([status, body.detail]).toEqual([
    422,
    [
      {
        type: 'value_error',
        loc: ['body', 'files', 1],
        msg: "Value error, Expected UploadFile, received: <class 'str'>"
      }
    ]
  ])
  const empty = await mock.call('POST', '/api/manage/admin/connector/file/upload', { form: new FormData() })
  expect([empty.status, empty.body.detail[0].loc]).toEqual([422, ['body', 'files']])
})

test('uploading files (E17) refuses basic users', async () => {
  expect((await upload(mock, ['a'], 'basic')).status).toBe(403)
  expect((await upload(mock, ['a'], 'curator')).status).toBe(200)
})
