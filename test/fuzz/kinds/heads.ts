import type { Random } from '../../property/random.js'
import type { Generator } from '../case.js'
import { chunked, type Headers, message } from '../message.js'
import { text } from '../values.js'

const upload = ['POST', '/api/manage/admin/connector/file/upload'] as const
const replaceKey = ['PUT', '/api/manage/admin/credential/private-key/1'] as const

/** A form with strange heads: the Content-Type of the whole, and the headers of its parts. */
export const sendHeads: Generator = (random, sandbox) => {
  const [method, target] = random.chance(0.6) ? upload : replaceKey
  const [type, edge] = random.chance(0.3) ? random.pick(types) : ['multipart/form-data; boundary=X', 'X']
  const body = Buffer.from(formOf(random, edge))
  const headers: Headers = [['Content-Type', type]]
  const inChunks = random.chance(0.2)
  if (inChunks) headers.push(['Transfer-Encoding', 'chunked'])
  const bytes = message(method, target, sandbox, { headers, body: inChunks ? chunked(random, body) : body })
  return { isWrong: false, method, bytes }
}

/** The Content-Type of a form, and the boundary that a kind reader finds in it. */
const types: [type: string, edge: string][] = [
  ['multipart/form-data; boundary=', ''],
  ['multipart/form-data; boundary=b b', 'b'],
  ['multipart/form-data;;boundary=b', 'b'],
  ['multipart/form-data; boundary="b', 'b'],
  ['multipart/form-data; boundary="b\\"', 'b'],
  ['multipart/form-data; boundary=b; boundary=c', 'c'],
  ['multipart/form-data; boundary=""', ''],
  ['multipart/form-data; boundary="b b"', 'b b'],
  ['multipart/form-data; charset=utf-16; boundary=b', 'b'],
  ['multipart/form-data; charset; boundary=b', 'b'],
  ['multipart/form-data; boundary=b;', 'b'],
  ['multipart/form-data ; boundary=b', 'b'],
  ['MULTIPART/FORM-DATA; BOUNDARY=b', 'b'],
  ["multipart/form-data; boundary*=utf-8''b", 'b'],
  ['multipart/form-data; boundary=\u00e9', '\u00e9'],
  ['multipart/form-data; boundary=--', '--'],
  ['multipart/form-data, multipart/form-data; boundary=b', 'b'],
  [`multipart/form-data; boundary=${'b'.repeat(70)}`, 'b'.repeat(70)]
]

const charsets = [
  ...['utf-8', 'UTF8', 'windows-1250', 'iso-8859-2', 'koi8-r', 'utf-16', 'utf-16le', 'ucs2', 'latin1', 'us-ascii'],
  ...['hex', 'base64', 'binary', 'nonsense', '"a b"', '', '"', '__proto__', 'constructor', 'x'.repeat(300)]
]
const encodings = ['7bit', '8bit', 'binary', 'base64', 'quoted-printable', 'gzip', '', 'x'.repeat(300)]
const names = ['name="files"', 'name="name"', 'name="credential_json"', 'name="uploaded_file"', 'name=files', 'name=']
const oddNames = [
  '',
  'name=""',
  'name',
  "name*=utf-8''files",
  'name="a"; name="files"',
  'name="\\"',
  'name="files',
  'NAME=files'
]
const fileNames = [
  ...['', 'filename="a.txt"', 'filename=""', 'filename=a', 'filename="a', 'filename', 'filename="a"; filename="b"'],
  ...[
    "filename*=UTF-8''%e2%82%ac",
    "filename*=utf-8''%e",
    "filename*=koi8-r''%c1",
    "filename*=''",
    'filename*=x',
    "filename*=UTF-8''%00"
  ],
  ...['filename="a"; filename*=UTF-8\'\'b', 'filename="%22%0d%0a"', 'filename="a.zip"', 'filename="\\"']
]
const partTypes = [
  'text/plain',
  'application/octet-stream',
  'application/zip',
  '',
  ';;',
  'a',
  'a/b; c',
  'multipart/mixed; boundary=Y'
]

function formOf(random: Random, edge: string): string {
  const parts = Array.from({ length: random.int(0, 4) }, () => {
    const content = random.chance(0.1) ? `--${edge}${random.pick(['', '-', 'x', '\r'])}` : text(random)
    return `--${edge}\r\n${headOf(random)}\r\n\r\n${content}\r\n`
  })
  const end = random.chance(0.9) ? `--${edge}--${random.pick(['\r\n', '', 'x', '\r\n\r\n'])}` : ''
  return `${random.chance(0.1) ? 'before\r\n' : ''}${parts.join('')}${end}`
}

function headOf(random: Random): string {
  const disposition = [
    random.pick(['form-data', 'form-data', 'form-data', 'attachment', 'FORM-DATA', '']),
    random.pick(random.chance(0.8) ? names : oddNames),
    random.pick(fileNames)
  ]
  const lines = random.chance(0.97) ? [`Content-Disposition: ${disposition.filter(Boolean).join('; ')}`] : []
  const charset = random.chance(0.6) ? `; charset=${random.pick(charsets)}` : ''
  if (random.chance(0.7)) lines.push(`Content-Type: ${random.pick(partTypes)}${charset}`)
  if (random.chance(0.4)) lines.push(`Content-Transfer-Encoding: ${random.pick(encodings)}`)
  if (random.chance(0.1)) lines.push(random.pick(lines))
  if (random.chance(0.1))
    lines.push(random.pick(['nonsense', ': a', ' folded', 'A\u0000: b', 'X: \u00ff', `X: ${'y'.repeat(17_000)}`]))
  if (random.chance(0.02)) lines.push(...Array.from({ length: 2100 }, () => 'X: y'))
  return random.chance(0.05) ? lines.join('\n') : lines.join('\r\n')
}
