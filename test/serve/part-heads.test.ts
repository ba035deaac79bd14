import { ask, message, Wire } from '../doors/listener/wire.js'
import { invalidAt, startTestMock } from '../mock.js'
import { unchanged } from './unchanged.js'

const mock = await startTestMock()
const visited = await startTestMock({ public: true })

const upload = 'POST /api/manage/admin/connector/file/upload'
const privateKey = 'PUT /api/manage/admin/credential/private-key/1'

interface Part {
  disposition?: string
  headers?: string[]
  content?: string
}

const file: Part = { disposition: 'form-data; name="files"; filename="a.txt"', content: 'text' }

function formOf(...parts: Part[]): string {
  const made = parts.map(({ disposition, headers = [], content = 'x' }) => {
    const all = [...(disposition === undefined ? [] : [`Content-Disposition: ${disposition}`]), ...headers]
    return `--X\r\n${all.map((line) => `${line}\r\n`).join('')}\r\n${content}\r\n`
  })
  return `${made.join('')}--X--\r\n`
}

function send(start: string, body: string, type = 'multipart/form-data; boundary=X', url = mock.url) {
  return ask(url, message(start, { 'Content-Type': type }, body))
}

const texts = (charset: string, content = 'caf\u00e9'): Part[] => [
  { disposition: 'form-data; name="name"', headers: [`Content-Type: text/plain; charset=${charset}`], content },
  { disposition: 'form-data; name="credential_json"', content: '{}' },
  { disposition: 'form-data; name="uploaded_file"; filename="a.pfx"' },
  { disposition: 'form-data; name="field_key"', content: 'key' },
  { disposition: 'form-data; name="type_definition_key"', content: 'any' }
]

describe('a field with a charset', () => {
  test.each(['windows-1250', 'iso-8859-2', 'koi8-r', 'utf-16', 'hex', 'nonsense', '"a b"'])(
    '%s is refused by its name, and others are still answered',
    async (charset) => {
      const { status, body } = await unchanged(mock, () => send(privateKey, formOf(...texts(charset))))
      const detail = 'The form field "name" has an unsupported charset: send UTF-8, ISO-8859-1 or UTF-16LE.'
      expect([status, body]).toEqual([422, invalidAt(['body'], detail)])
      expect((await send(privateKey, formOf(...texts(charset)), undefined, visited.url)).status).toBe(422)
    }
  )

  test.each(['utf-8', 'UTF8', 'us-ascii'])('%s is read', async (charset) => {
    const { status, body } = await send(privateKey, formOf(...texts(charset, 'plain')))
    expect([status, body.name]).toEqual([200, 'plain'])
  })
})

test.each<[string, Part, string]>([
  ['with an unknown charset', { ...file, headers: ['Content-Type: text/plain; charset=koi8-r'] }, 'a.txt'],
  ['in an encoding that forms have not', { ...file, headers: ['Content-Transfer-Encoding: base64'] }, 'a.txt'],
  ['with an invalid media type', { ...file, headers: ['Content-Type: ;;'] }, 'a.txt'],
  ['with two types', { ...file, headers: ['Content-Type: a/b', 'Content-Type: c/d'] }, 'a.txt'],
  ['with two dispositions', { ...file, headers: ['Content-Disposition: form-data; name="name"'] }, 'a.txt'],
  ['with two names', { disposition: 'form-data; name="files"; name="name"; filename="a"' }, 'a'],
  ['with two file names', { disposition: 'form-data; name="files"; filename="a"; filename="b"' }, 'a'],
  ['with an extended name', { disposition: 'form-data; name="files"; filename*=UTF-8\'\'%e2%82%ac' }, '\u20ac'],
  ['with both names', { disposition: 'form-data; name="files"; filename="a"; filename*=UTF-8\'\'b' }, 'b'],
  ['with a folded header', { disposition: 'form-data;\r\n name="files";\r\n filename="a"' }, 'a']
])('a part: %s is a file', async (_, part, name) => {
  const { status, body } = await send(upload, formOf(part))
  expect([status, body.file_names]).toEqual([200, [name]])
})

test.each<[string, Part]>([
  ['without a disposition', { headers: ['Content-Type: text/plain'] }],
  ['without headers', {}],
  ['that is an attachment', { disposition: 'attachment; name="files"; filename="a"' }],
  ['with a name in an unknown charset', { disposition: "form-data; name*=koi8-r''files; filename=a" }],
  ['with a truncated extended name', { disposition: 'form-data; name="files"; filename*=UTF-8\'\'%e' }],
  ['with an extended name in koi8-r', { disposition: 'form-data; name="files"; filename*=koi8-r\'\'%e2' }],
  ['without a name', { disposition: 'form-data' }],
  ['with an empty name', { disposition: 'form-data; name=""; filename="a"' }],
  ['with an endless name', { disposition: 'form-data; name="files; filename=a' }],
  ['with an invalid header', { ...file, headers: ['nonsense'] }],
  ['with thousands of headers', { ...file, headers: Array.from({ length: 3000 }, (_, at) => `X-${at}: a`) }]
])('a part: %s is refused, or no file', async (_, part) => {
  const { status } = await unchanged(mock, () => send(upload, formOf(part)))
  expect(status).toBe(422)
})

test('a part with bytes but no file name is a text', async () => {
  const part = { disposition: 'form-data; name="files"', headers: ['Content-Type: application/octet-stream'] }
  const { status, body } = await send(upload, formOf(part))
  expect([status, body.detail[0].msg]).toEqual([422, "Value error, Expected UploadFile, received: <class 'str'>"])
})

test('the connection is usable after a large form was refused', async () => {
  const part = { ...file, content: 'x'.repeat(200_000) }
  const forms = [formOf(part, { disposition: 'form-data' }), formOf({ disposition: 'form-data' }, part)]
  for (const body of forms) {
    const wire = Wire.open(mock.url)
    const headers = { 'Content-Type': 'multipart/form-data; boundary=X' }
    void wire.send(message(upload, headers, body) + message('GET /api/get-user-role'))
    const { status, headers: own } = await wire.reply()
    expect(status).toBe(422)
    if (own.connection !== 'close') expect((await wire.reply()).status).toBe(200)
    wire.destroy()
  }
})

const unusable = [
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=b b',
  'multipart/form-data;;boundary=b',
  'multipart/form-data; boundary="b',
  'multipart/form-data; boundary=b;',
  'multipart/form-data; charset; boundary=b',
  'multipart/form-data; boundary=\u00e9'
]
test.each(unusable)('a form of which the Content-Type is %s is refused', async (type) => {
  const { status } = await unchanged(mock, () => send(upload, formOf(file), type))
  expect(status).toBe(422)
})

test.each(unusable)('a form of which the Content-Type is %s does no harm when its client leaves', async (type) => {
  for (const url of [mock.url, visited.url]) {
    const wire = Wire.open(url)
    await wire.send(message(upload, { 'Content-Type': type, 'Content-Length': '5000' }, '--b\r\nContent'))
    wire.destroy()
    await wire.closed()
    expect((await ask(url, message('GET /api/get-user-role'))).status).toBe(200)
  }
})
