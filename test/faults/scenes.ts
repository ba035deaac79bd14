import { message } from '../doors/listener/wire.js'
import { fileForm, form } from '../fuzz/form.js'
import { message as fuzzMessage } from '../fuzz/message.js'
import { zipOf } from '../zip.js'

/** The actions of a client on one connection: its bytes, and whether it leaves before its answer. */
export interface Scene {
  name: string
  bytes: (string | Buffer)[]
  goesAway?: boolean
}

const json = { 'Content-Type': 'application/json' }
const instruct = 'POST /api/user/projects/1/instructions'
const upload = ['POST', '/api/manage/admin/connector/file/upload'] as const
const role = 'GET /api/get-user-role'
const text = (content: string) => ({ 'x-file': { name: 'a.txt', type: 'text/plain', text: content } })

function uploadOf({ type, body }: { type: string; body: Buffer }, more: [string, string][] = []): Buffer {
  return fuzzMessage(...upload, 'default', { headers: [['Content-Type', type], ...more], body })
}

const files = form({ files: [text('some text'), text('x'.repeat(200_000))], more: 'a text' })
const zip = fileForm('files', 'a.zip', 'application/zip', zipOf([{ path: '.onyx_metadata.json', data: '[]' }]))
const broken = { type: 'multipart/form-data; boundary=fuzz-boundary', body: files.body.subarray(0, 500) }
const faults = ['CONNECTION_RESET_BY_PEER', 'EMPTY_RESPONSE', 'MALFORMED_RESPONSE_CHUNK', 'RANDOM_DATA_THEN_CLOSE']
const half = message(instruct, { ...json, 'Content-Length': '500' }, '{"instructions": "half')
const halfForm = uploadOf(files).subarray(0, 4000)

/** Requests of every kind. */
export const scenes: Scene[] = [
  { name: 'a read', bytes: [message(role)] },
  { name: 'a HEAD', bytes: [message('HEAD /api/get-user-role')] },
  { name: 'a pipeline', bytes: [message(role).repeat(150)] },
  { name: 'a refusal', bytes: [message(role, { Authorization: 'Bearer nobody' })] },
  { name: 'an unknown path', bytes: [message('GET /api/nothing')] },
  { name: 'a redirect', bytes: [message('GET /api/user/projects')] },
  { name: 'a foreign host', bytes: [message(role, { Host: 'example.com' })] },
  { name: 'a page of another origin', bytes: [message(role, { Origin: 'http://example.com' })] },
  { name: 'a preflight', bytes: [message('OPTIONS /api/get-user-role', { Origin: 'http://localhost' })] },
  { name: 'a new sandbox', bytes: [message(role, { 'X-Mock-Sandbox': 'another' })] },
  { name: 'JSON', bytes: [message(instruct, json, '{"instructions": "all"}')] },
  {
    name: 'JSON in chunks',
    bytes: [message(instruct, { ...json, 'Transfer-Encoding': 'chunked' }), '2\r\n{}\r\n', '0\r\n\r\n']
  },
  { name: 'JSON that is none', bytes: [message(instruct, json, '{"instructions": ')] },
  { name: 'JSON that is too large', bytes: [message(instruct, { ...json, 'Content-Length': String(2 ** 30) }, '{')] },
  { name: 'a form', bytes: [uploadOf(files)] },
  { name: 'a form with a wrong end', bytes: [uploadOf(broken)] },
  { name: 'a form with a strange charset', bytes: [uploadOf(charset())] },
  { name: 'a form with bytes for a text', bytes: [uploadOf(octets())] },
  { name: 'a zip', bytes: [uploadOf(zip)] },
  { name: 'a zip that is none', bytes: [uploadOf(fileForm('files', 'a.zip', 'application/zip', Buffer.from('PK')))] },
  { name: 'a delay', bytes: [message(role, { Prefer: 'delay=1' })] },
  { name: 'a forced answer', bytes: [message(role, { Prefer: 'code=401' })] },
  ...faults.map((fault) => ({ name: fault, bytes: [message(role, { Prefer: `fault=${fault}` })] })),
  {
    name: 'a fault in a pipeline',
    bytes: [message(role, { Prefer: 'delay=1' }) + message(role, { Prefer: 'fault=EMPTY_RESPONSE' })]
  },
  { name: 'a fault on a body', bytes: [message(instruct, { ...json, Prefer: 'fault=EMPTY_RESPONSE' }, '{}')] },
  { name: 'control', bytes: [message('GET /__mock/clock')] },
  { name: 'a control write', bytes: [message('PUT /__mock/clock', json, '{"advance": "1s"}')] },
  { name: 'a wrong control write', bytes: [message('PUT /__mock/clock', json, '{"speed": "fast"}')] },
  { name: 'a reset', bytes: [message('POST /__mock/reset', json, '{}')] },
  { name: 'metrics', bytes: [message('GET /__mock/metrics')] },
  { name: 'the state', bytes: [message('GET /__mock/state')] },
  { name: 'the journal', bytes: [message('GET /__mock/requests?unmatched=true')] },
  { name: 'the dashboard', bytes: [message('GET /__mock/')] },
  { name: 'the explorer', bytes: [message('GET /docs')] },
  { name: 'the document', bytes: [message('GET /openapi.json')] },
  { name: 'no HTTP', bytes: ['nothing\r\n\r\n'] },
  { name: 'no HTTP after a request', bytes: [`${message(role, { Prefer: 'delay=1' })}nothing\r\n\r\n`] },
  { name: 'no HTTP in a body', bytes: [message(instruct, { ...json, 'Transfer-Encoding': 'chunked' }), 'zz\r\n'] },
  {
    name: 'too many headers',
    bytes: [message(role, Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`X-${at}`, 'a'])))]
  },
  { name: 'two hosts', bytes: [message(role, { host: 'localhost' })] },
  { name: 'an expectation', bytes: [message(instruct, { ...json, Expect: 'the best' }, '{}')] },
  {
    name: '100 Continue',
    bytes: [message(instruct, { ...json, Expect: '100-continue', 'Content-Length': '2' }), '{}']
  },
  { name: 'CONNECT', bytes: [message('CONNECT localhost:80')] },
  { name: 'an upgrade', bytes: [message(role, { Connection: 'Upgrade', Upgrade: 'websocket' })] },
  { name: 'events', bytes: [message('GET /__mock/events?since=0')], goesAway: true },
  { name: 'events and what they tell', bytes: [message('GET /__mock/events')], goesAway: true },
  { name: 'a client that goes in the line', bytes: ['POST /api/us'], goesAway: true },
  { name: 'a client that goes in the headers', bytes: [`${instruct} HTTP/1.1\r\nHost: local`], goesAway: true },
  { name: 'a client that goes in JSON', bytes: [half], goesAway: true },
  { name: 'a client that goes in a form', bytes: [halfForm], goesAway: true },
  {
    name: 'a client that goes in a refused body',
    bytes: [half.replace('Bearer admin', 'Bearer nobody')],
    goesAway: true
  },
  {
    name: 'a client that goes before the answer',
    bytes: [message(role, { Prefer: 'delay=3600000' }).repeat(3)],
    goesAway: true
  },
  {
    name: 'a client that goes from a control write',
    bytes: [half.replace('/api/user/projects/1/instructions', '/__mock/reset')],
    goesAway: true
  }
]

function charset() {
  const head = 'Content-Disposition: form-data; name="files"\r\nContent-Type: text/plain; charset=koi8-r'
  return { type: 'multipart/form-data; boundary=X', body: Buffer.from(`--X\r\n${head}\r\n\r\nx\r\n--X--\r\n`) }
}

function octets() {
  const head = 'Content-Disposition: form-data; name="files"\r\nContent-Type: application/octet-stream'
  return { type: 'multipart/form-data; boundary=X', body: Buffer.from(`--X\r\n${head}\r\n\r\nx\r\n--X--\r\n`) }
}
