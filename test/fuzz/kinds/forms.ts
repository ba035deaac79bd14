import type { Random } from '../../property/random.js'
import type { Generator } from '../case.js'
import { filePart } from '../form.js'
import { chunked, type Headers, message } from '../message.js'
import { text } from '../values.js'

const upload = ['POST', '/api/manage/admin/connector/file/upload'] as const
const replaceKey = ['PUT', '/api/manage/admin/credential/private-key/1'] as const
const edge = 'X'

/** A form: its boundary, the heads, names and number of its parts, what is around them. */
export const sendForm: Generator = (random, sandbox) => {
  const [method, target] = random.chance(0.7) ? upload : replaceKey
  const isBroken = random.chance(0.5)
  const [type, body] = isBroken ? random.pick(broken)(random) : ['multipart/form-data; boundary=X', strange(random)]
  const inChunks = random.chance(0.2)
  const headers: Headers = [['Content-Type', type]]
  if (inChunks) headers.push(['Transfer-Encoding', 'chunked'])
  const bytes = message(method, target, sandbox, { headers, body: inChunks ? chunked(random, body) : body })
  return { isWrong: isBroken, method, bytes }
}

const good = () =>
  Buffer.concat([filePart('files', 'a.txt', 'text/plain', Buffer.from('text'), edge), Buffer.from('--X--\r\n')])

/** Bodies that are not forms. */
const broken: ((random: Random) => [type: string, body: Buffer])[] = [
  () => ['multipart/form-data', good()],
  () => ['multipart/form-data; boundary=', good()],
  () => ['multipart/form-data; boundary=other', good()],
  () => ['multipart/form-data; boundary="X', Buffer.from('--Y\r\n')],
  (random) => [`multipart/form-data; boundary=${'x'.repeat(random.pick([71, 1000]))}`, good()],
  (random) => ['multipart/form-data; boundary=X', good().subarray(0, random.int(1, 90))],
  () => ['multipart/form-data; boundary=X', Buffer.from('--X\r\nContent-Disposition: form-data\r\n\r\nx\r\n--X--\r\n')],
  () => ['multipart/form-data; boundary=X', many(1100)],
  () => ['multipart/form-data; boundary=X', parts([`name="${'n'.repeat(300)}"`, 'x'])],
  () => ['multipart/form-data; boundary=X', parts([`name="a"; x="${'y'.repeat(20_000)}"`, 'x'])],
  () => ['multipart/form-data; boundary=X', parts(['name="a\u0000"', 'x'])],
  (random) => ['multipart/form-data; boundary=X', Buffer.concat([files(random, 21), Buffer.from('--X--\r\n')])],
  () => ['multipart/mixed; boundary=X', good()],
  () => ['application/x-www-form-urlencoded', Buffer.from('files=a&files=b')]
]

/** Forms with strange parts. */
function strange(random: Random): Buffer {
  const names = [
    '__proto__',
    'constructor',
    'files[__proto__]',
    'files[]',
    'files[7]',
    'a[99999]',
    '../files',
    'files',
    'name',
    ''
  ]
  const heads = Array.from({ length: random.int(0, 5) }, (): [string, string] => {
    const name = random.chance(0.8) ? random.pick(names) : quoted(text(random))
    const file = random.pick([
      '',
      '',
      `; filename="${quoted(text(random))}"`,
      '; filename="../../etc/passwd"',
      `; filename*=UTF-8''%2e%2e%2f${random.pick(['a', '%00', '%ff'])}`
    ])
    return [`name="${name}"${file}`, text(random)]
  })
  const before = random.chance(0.1) ? Buffer.from('before\r\n'.repeat(random.int(1, 2000))) : Buffer.alloc(0)
  const after = random.chance(0.1) ? Buffer.from('after\r\n'.repeat(random.int(1, 2000))) : Buffer.alloc(0)
  return Buffer.concat([before, files(random, random.int(0, 3)), parts(...heads), after])
}

function files(random: Random, count: number): Buffer {
  const one = () => {
    const bytes = Buffer.alloc(random.pick([0, 1, 1000, 20_000]), random.int(0, 255))
    return filePart(
      'files',
      quoted(text(random)).slice(0, 100),
      random.pick(['text/plain', 'x', '', 'a/b; c="d"']),
      bytes,
      edge
    )
  }
  return Buffer.concat(Array.from({ length: count }, one))
}

function many(count: number): Buffer {
  return parts(...Array.from({ length: count }, (_, at): [string, string] => [`name="f${at}"`, 'x']))
}

function parts(...heads: [head: string, content: string][]): Buffer {
  const made = heads.map(([head, content]) => `--X\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`)
  return Buffer.from(`${made.join('')}--X--\r\n`)
}

function quoted(name: string): string {
  return name.replace(/[\r\n"]/g, '_')
}
