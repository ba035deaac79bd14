import { TextDecoder } from 'node:util'
import { crc32 } from 'node:zlib'
import type { Entry, ZipFile } from 'yauzl'
import { lazily } from '../../contract/lazy.js'
import type { UploadedFile } from '../../contract/message/body.js'
import { Refusal } from '../../contract/message/refusal.js'
import type { Reason } from '../../contract/types.gen.js'
import { hush } from '../message/contain.js'
import { type Limits, tooLarge } from './limits.js'

const mediaTypes = new Set(['application/zip', 'application/x-zip-compressed', 'application/x-zip', 'multipart/x-zip'])
const metadataName = /^\.[a-z0-9_]+_metadata\.json$/
const nextEntry = 0x02014b50

function yauzl(): typeof import('yauzl') {
  return lazily('yauzl')
}

/** What is left of the limits for all zips of one request. */
interface Budget {
  limits: Limits
  entries: number
  bytes: number
  /** Bytes of the names of entries. */
  names: number
}

/**
 * Unpacks every zip among the values of a field in memory, and adds its entries to the file. It counts the real sizes, and
 * only compares them with the declared ones.
 */
export async function expandZips(fields: readonly unknown[], limits: Limits): Promise<void> {
  const budget = { limits, entries: 0, bytes: 0, names: 0 }
  for (const [index, field] of fields.entries()) if (isZip(field)) await expand(field, index, budget)
}

function isZip(field: unknown): field is UploadedFile {
  // Reading its bytes would join the chunks.
  if (typeof field !== 'object' || field === null || !('bytes' in field)) return false
  const { type, name } = field as UploadedFile
  return mediaTypes.has(type) || name.toLowerCase().endsWith('.zip')
}

async function expand(file: UploadedFile, index: number, budget: Budget): Promise<void> {
  const { buffer, byteOffset, byteLength } = file.bytes
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  const entries: NonNullable<UploadedFile['entries']> = []
  try {
    const zip = await yauzl().fromBufferPromise(bytes, { decodeStrings: false })
    hush(zip)
    // The declared number may be too low, so entries are counted too.
    if (budget.entries + zip.entryCount > budget.limits.zipEntries) throw tooMany(budget.limits)
    for await (const entry of zip.eachEntry()) {
      if (++budget.entries > budget.limits.zipEntries) throw tooMany(budget.limits)
      // The reply has the names, as JSON.
      budget.names += entry.fileName.length
      if (budget.names > budget.limits.json) throw tooLarge('names in the zip', budget.limits.json, 'json')
      const path = pathOf(entry)
      const metadata = !file.metadata && metadataName.test(path) ? [] : undefined
      entries.push({ path, size: await inflate(zip, entry, budget, metadata) })
      if (metadata) file.metadata = { name: path, text: new TextDecoder().decode(Buffer.concat(metadata)) }
    }
    if (hasMore(bytes, Number(zip.readEntryCursor))) throw new Error('the zip has more entries than it declares')
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal('corrupt-zip' as Reason, { index })
  }
  file.entries = entries
}

/** The number of bytes of an entry. Throws if the entry is encrypted or differs from its header. */
async function inflate(zip: ZipFile, entry: Entry, budget: Budget, metadata?: Buffer[]): Promise<number> {
  const { limits } = budget
  let size = 0
  let checksum = 0
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    size += chunk.length
    budget.bytes += chunk.length
    checksum = crc32(chunk, checksum)
    if (budget.bytes > limits.unpacked) throw tooLarge('entries of the zip', limits.unpacked, 'unpacked')
    if (metadata && size > limits.json) throw tooLarge('metadata of the zip', limits.json, 'json')
    metadata?.push(chunk)
  }
  if (checksum !== entry.crc32) throw new Error('the checksum differs')
  return size
}

/** The path in the zip. Nothing is written, so any path is safe. */
function pathOf(entry: Entry): string {
  const raw = entry.fileName as unknown as Buffer
  return yauzl()
    .getFileNameLowLevel(entry.generalPurposeBitFlag, raw, entry.extraFields, false)
    .replace(/\p{Cc}/gu, '')
}

/** Whether another entry follows the last one that the zip declares. */
function hasMore(bytes: Buffer, cursor: number): boolean {
  return cursor + 4 <= bytes.length && bytes.readUInt32LE(cursor) === nextEntry
}

function tooMany(limits: Limits): Refusal {
  return new Refusal('too-large', {
    detail: `The zip has more than ${limits.zipEntries} entries (limits.upload: entries).`
  })
}
