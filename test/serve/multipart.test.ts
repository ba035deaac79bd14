import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { NodeRequest } from '../../src/doors/listener/node-request.js'
import { send } from '../../src/doors/listener/send.js'
import { Refusal } from '../../src/engine/contract/message/refusal.js'
import { type Limits, limitsOf, UploadBudget } from '../../src/engine/serve/body/limits.js'
import { readMultipart } from '../../src/engine/serve/read.js'

/** A bare server that reads one form per request, and answers with the result or the reason of its failure. */
let limits: Limits = limitsOf('standard')
const budget = new UploadBudget(2 ** 30)
let last: Promise<unknown> = Promise.resolve()
const server = createServer((message, response) => {
  const request = new NodeRequest(message, response)
  last = read(request).then((answer) => {
    send(request, { status: 'reason' in answer ? 400 : 200, headers: {}, body: JSON.stringify(answer) })
    return answer
  })
})

async function read(request: NodeRequest): Promise<object> {
  try {
    const form = await readMultipart(
      request,
      { lists: new Set(['files']), whichCounts: () => 'last' },
      limits,
      budget.open(request)
    )
    return {
      form,
      own: Object.keys(form),
      contents: Object.values(form).flat().map(contentOf)
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { reason: error.reason, ...error.values }
  }
}

function contentOf(value: unknown): string {
  return typeof value === 'string' ? value : Buffer.from((value as { bytes: Uint8Array }).bytes).toString('latin1')
}

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
beforeEach(() => {
  limits = limitsOf('standard')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

// biome-ignore lint/suspicious/noExplicitAny: an answer is a form or a refusal
async function post(body: RequestInit['body'], headers: Record<string, string> = {}): Promise<any> {
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    body,
    headers,
    duplex: 'half'
  } as RequestInit)
  return response.json()
}

const boundary = 'X'
const multipart = { 'Content-Type': `multipart/form-data; boundary=${boundary}` }

/** A body with these parts, each a head and a content. */
function bodyOf(...parts: [head: string, content: string][]): Buffer {
  const text = parts.map(
    ([head, content]) => `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`
  )
  return Buffer.from(`${text.join('')}--${boundary}--\r\n`)
}

function formOf(fields: [string, string | Blob, string?][]): FormData {
  const form = new FormData()
  for (const [name, value, file] of fields) {
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, value, file)
  }
  return form
}

test('texts and files arrive with their names, media types and bytes', async () => {
  const bytes = Buffer.from([0, 255, 13, 10, 45, 45])
  const { form, contents } = await post(
    formOf([
      ['name', 'größe'],
      ['uploaded_file', new Blob([bytes], { type: 'application/x-pkcs12' }), 'schlüssel "1".pfx']
    ])
  )
  expect(form).toEqual({
    name: 'größe',
    uploaded_file: { name: 'schlüssel "1".pfx', type: 'application/x-pkcs12', size: 6 }
  })
  expect(contents[1]).toBe(bytes.toString('latin1'))
})

test('the last of a repeated field counts, an empty text is absent, and a list is always an array', async () => {
  const fields: [string, string | Blob, string?][] = [
    ['name', 'first'],
    ['name', 'second'],
    ['field_key', 'a'],
    ['field_key', ''],
    ['files', new Blob(['1']), 'a.txt'],
    ['files', ''],
    ['files', 'text'],
    ['files', new Blob(['2']), 'a.txt']
  ]
  const { form, contents } = await post(formOf(fields))
  const file = { name: 'a.txt', type: 'application/octet-stream', size: 1 }
  expect(form).toEqual({ name: 'second', files: [file, 'text', file] })
  expect(contents).toEqual(['second', '1', 'text', '2'])
})

test('an empty file input is absent', async () => {
  const { form } = await post(bodyOf(['name="files"; filename=""', '']), multipart)
  expect(form).toEqual({})
})

test.each([
  ['filename="../../etc/passwd"', 'passwd'],
  ['filename="C:\\\\dir\\\\evil.txt"', 'evil.txt'],
  ['filename=".."', 'file'],
  ['filename="dir/"', 'file'],
  ["filename*=utf-8''a%00b%2F..%2Fc%0Ad.txt", 'cd.txt']
])('the file name %s is reduced to a base name', async (head, name) => {
  const { form } = await post(bodyOf([`name="f"; ${head}`, 'x']), multipart)
  expect(form.f.name).toBe(name)
})

test('field names with a meaning in JavaScript are ordinary fields', async () => {
  const heads = ['__proto__', 'constructor', 'toString', 'a[__proto__][b]', 'a[1]', 'files[]']
  const { form, own } = await post(bodyOf(...heads.map((it): [string, string] => [`name="${it}"`, it])), multipart)
  expect(own).toEqual(heads)
  expect(form['a[1]']).toBe('a[1]')
  expect(({} as Record<string, unknown>).b).toBeUndefined()
})

test('a field name with a huge index costs no time', async () => {
  const answer = await post(bodyOf(['name="a[4294967290]"', 'x'], ['name="a[b]"', 'y']), multipart)
  expect(answer).toEqual({ reason: 'unreadable-body', detail: 'Invalid multipart data.' })
})

test('a body of another media type, or without one, is a form without fields', async () => {
  expect((await post('{"name":"a"}', { 'Content-Type': 'application/json' })).form).toEqual({})
  expect((await post('', multipart)).form).toEqual({})
})

test.each<[string, string, string, string]>([
  ['lacks a boundary', 'multipart/form-data', 'x', 'Missing boundary in multipart.'],
  [
    'has no end',
    multipart['Content-Type'],
    '--X\r\nContent-Disposition: form-data; name="a"\r\n\r\nx',
    'Invalid multipart data.'
  ],
  [
    'ends in a file',
    multipart['Content-Type'],
    '--X\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\nx',
    'Invalid multipart data.'
  ],
  ['ends in a head', multipart['Content-Type'], '--X\r\nContent-Disp', 'Invalid multipart data.'],
  ['is garbage', multipart['Content-Type'], 'garbage', 'Invalid multipart data.'],
  ['has a part without a name', multipart['Content-Type'], bodyOf(['x=y', 'z']).toString(), 'Invalid multipart data.'],
  [
    'has a head with a control character',
    multipart['Content-Type'],
    bodyOf(['name="a\u0000"', 'z']).toString(),
    'Invalid multipart data.'
  ],
  [
    'has a head of 20 kB',
    multipart['Content-Type'],
    bodyOf([`name="a"; x="${'y'.repeat(20_000)}"`, 'z']).toString(),
    'Invalid multipart data.'
  ],
  [
    'has a field name of 300 characters',
    multipart['Content-Type'],
    bodyOf([`name="${'y'.repeat(300)}"`, 'z']).toString(),
    'Invalid multipart data.'
  ]
])('a body that %s is refused', async (_, type, body, detail) => {
  expect(await post(body, { 'Content-Type': type })).toEqual({ reason: 'unreadable-body', detail })
})

test('a compressed body is refused', async () => {
  const answer = await post('x', { ...multipart, 'Content-Encoding': 'gzip' })
  expect(answer).toMatchObject({ reason: 'unsupported-encoding', encoding: 'gzip' })
})

test('one file too many is refused', async () => {
  const files = (count: number) =>
    Array.from({ length: count }, (_, i): [string, Blob, string] => ['files', new Blob(['x']), `${i}`])
  expect((await post(formOf(files(20)))).form.files).toHaveLength(20)
  expect(await post(formOf(files(21)))).toMatchObject({
    reason: 'too-large',
    detail: 'There are more than 20 files (limits.upload: files).'
  })
})

test('the total size of files is limited while they arrive', async () => {
  limits = limitsOf('files:9,total:1,json:1,entries:9,unpacked:9')
  const half = new Blob([Buffer.alloc(512 * 1024)])
  const fits = formOf([
    ['files', half, 'a'],
    ['files', half, 'b']
  ])
  expect((await post(fits)).form.files).toHaveLength(2)
  const refused = {
    reason: 'too-large',
    detail: 'The files are larger than 1048576 bytes together (limits.upload: total).'
  }
  expect(
    await post(
      formOf([
        ['files', half, 'a'],
        ['files', half, 'b'],
        ['files', new Blob(['x']), 'c']
      ])
    )
  ).toMatchObject(refused)

  // The client writes to its end before it reads.
  const chunk = Buffer.alloc(1024 * 1024)
  async function* huge() {
    yield Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n`)
    for (let i = 0; i < 16; i++) yield chunk
    yield Buffer.from(`\r\n--${boundary}--\r\n`)
  }
  expect(await post(huge() as unknown as RequestInit['body'], multipart)).toMatchObject(refused)
})

test('the size of each text and of all texts together is limited', async () => {
  limits = limitsOf('files:9,total:9,json:1,entries:9,unpacked:9')
  const refused = {
    reason: 'too-large',
    detail: 'The form fields are larger than 1048576 bytes together (limits.upload: json).'
  }
  const text = (size: number) => 'x'.repeat(size)
  expect((await post(formOf([['name', text(1024 * 1024)]]))).contents[0]).toHaveLength(1024 * 1024)
  expect(await post(formOf([['name', text(1024 * 1024 + 1)]]))).toMatchObject(refused)
  expect(
    await post(
      formOf([
        ['a', text(600_000)],
        ['b', text(600_000)],
        ['c', text(600_000)]
      ])
    )
  ).toMatchObject(refused)
})

test('the number of fields is limited, also without uploads', async () => {
  limits = limitsOf('none')
  const fields = (count: number) => formOf(Array.from({ length: count }, (_, i): [string, string] => [`f${i}`, 'x']))
  expect((await post(fields(1000))).own).toHaveLength(1000)
  expect(await post(fields(1001))).toMatchObject({
    reason: 'unreadable-body',
    detail: 'Too many fields. Maximum number of fields is 1000.'
  })
})

test('an upload that the client breaks off is refused, and the next one is read', async () => {
  const { port } = server.address() as AddressInfo
  for (const start of [
    '',
    '--X\r\nContent-Disp',
    '--X\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nsome bytes'
  ]) {
    const requested = once(server, 'request')
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${multipart['Content-Type']}\r\nContent-Length: 5000\r\n\r\n${start}`
    )
    const [request, response] = (await requested) as [IncomingMessage, ServerResponse]
    socket.destroy()
    expect(await last).toMatchObject({ reason: 'unreadable-body' })
    expect(await read(new NodeRequest(request, response))).toMatchObject({ reason: 'unreadable-body' })
  }
  expect((await post(formOf([['name', 'a']]))).form).toEqual({ name: 'a' })
})

test('a request that is already over is refused at once', async () => {
  const requested = once(server, 'request')
  const posted = post(formOf([['name', 'a']]))
  const [request, response] = (await requested) as [IncomingMessage, ServerResponse]
  await posted
  expect(await read(new NodeRequest(request, response))).toMatchObject({ reason: 'unreadable-body' })
})
