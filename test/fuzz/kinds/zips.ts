import type { Random } from '../../property/random.js'
import { type ZipEntry, zipOf } from '../../zip.js'
import type { Generator } from '../case.js'
import { fileForm } from '../form.js'
import { message } from '../message.js'

/** A zip: bombs, lies, names that lead elsewhere, zips in zips, encrypted or broken ones, thousands of entries. */
export const sendZip: Generator = (random, sandbox) => {
  const isBroken = random.chance(0.5)
  const zip = isBroken ? random.pick(broken)(random) : random.pick(strange)(random)
  const name = random.pick(['a.zip', '../../a.zip', 'a.ZIP', 'a'])
  const { type, body } = fileForm('files', isBroken ? 'a.zip' : name, 'application/zip', zip)
  const bytes = message('POST', '/api/manage/admin/connector/file/upload', sandbox, {
    headers: [['Content-Type', type]],
    body
  })
  return { isWrong: isBroken, method: 'POST', bytes }
}

const some = (random: Random): ZipEntry[] =>
  Array.from({ length: random.int(1, 5) }, (_, at) => ({ path: `f${at}.txt`, data: 'x'.repeat(random.int(0, 3000)) }))

const broken: ((random: Random) => Buffer)[] = [
  (random) => zipOf([...some(random), { path: 'lie', data: 'xx', declares: { checksum: random.int(0, 2 ** 31) } }]),
  (random) => zipOf([{ path: 'lie', data: 'xxxx', declares: { size: random.pick([0, 1, 5, 2 ** 31, 2 ** 32 - 1]) } }]),
  () => zipOf([{ path: 'secret', data: 'x', flags: 0x801 }]),
  () => zipOf([{ path: 'odd', data: 'x', declares: { method: 99 } }]),
  (random) => zipOf(some(random), random.pick([100, 65_535])),
  (random) => cut(random, zipOf(some(random))),
  () => Buffer.from('PK\x05\x06no zip'),
  () => Buffer.alloc(0),
  () => zipOf(Array.from({ length: 10_001 }, (_, at) => ({ path: String(at), stored: true })))
]

let bomb: Buffer | undefined
/** 64 MiB of nothing in 64 kB. */
const bombOf = (): Buffer => {
  bomb ??= zipOf([{ path: 'bomb', data: Buffer.alloc(64 * 1024 * 1024) }])
  return bomb
}

const strange: ((random: Random) => Buffer)[] = [
  (random) => zipOf(some(random)),
  () =>
    zipOf(
      ['../../etc/passwd', '/etc/passwd', 'C:\\x', '..\\x', 'a/../../b', 'nul\u0000l', '__proto__', ''].map((path) => ({
        path,
        data: 'x'
      }))
    ),
  (random) => zipOf([{ path: 'inner.zip', data: zipOf(some(random)) }]),
  (random) =>
    zipOf([
      {
        path: `.${random.pick(['onyx', 'x'])}_metadata.json`,
        data: random.pick(['{', '[]', '{"__proto__":1}', '[{"filename":7}]'])
      }
    ]),
  (random) => zipOf(Array.from({ length: random.pick([100, 1000]) }, (_, at) => ({ path: `${at}`, stored: true }))),
  (random) => (random.chance(0.02) ? bombOf() : zipOf([{ path: 'small', data: Buffer.alloc(2 ** 20) }])),
  () => zipOf([])
]

function cut(random: Random, zip: Buffer): Buffer {
  return zip.subarray(0, random.int(1, zip.length - 23))
}
