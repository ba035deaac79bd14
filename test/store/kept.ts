import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { ServerOptions } from '../../src/doors/options/table.js'
import { type OpenServer, startMock } from '../../src/doors/program/server.js'
import { LogFile, readLog } from '../../src/engine/keep/log-file.js'
import { call, testNow } from '../mock.js'

const running: OpenServer[] = []
afterAll(async () => {
  for (const mock of running) await mock.close()
})

export const newFolder = () => mkdtempSync(join(tmpdir(), 'kcm-data-'))

/** A mock that keeps its state in a folder, closed after the tests of the file. */
export async function open(data: string, options: ServerOptions = {}): Promise<OpenServer> {
  const mock = await startMock({ port: 0, data, fixtures: 'empty', now: testNow, strict: true, ...options })
  running.push(mock)
  return mock
}

export async function close(mock: OpenServer): Promise<void> {
  running.splice(running.indexOf(mock), 1)
  await mock.close()
}

export const session = (description: string, as = 'admin') => ({ as, body: { description } })
export const create = '/api/chat/create-chat-session'

export async function names(url: string, as = 'admin'): Promise<string[]> {
  const { body } = await call(url, 'GET', '/api/chat/get-user-chat-sessions', { as })
  return body.sessions.map((it: { name: string }) => it.name)
}

export async function control(url: string, method: string, path: string, body?: unknown, as = 'admin') {
  return call(url, method, `/__mock${path}`, { as, ...(body === undefined ? {} : { body }) })
}

export const log = (data: string) => join(data, 'log')
export const mark = (data: string) => join(data, 'log.mark')

export function records(data: string): Record<string, unknown>[] {
  return readLog(readFileSync(log(data))).lines.flat() as Record<string, unknown>[]
}

/** A log of these records. */
export function logOf(lines: unknown[]): string {
  let checksum = 0
  const texts = lines.map((line) => {
    const json = JSON.stringify(line)
    checksum = crc32(json, checksum)
    return `${checksum.toString(16).padStart(8, '0')} ${json}\n`
  })
  return texts.join('')
}

type WriteSome = (bytes: Buffer, at: number) => Promise<number>

/**
 * Passes writes into log files through `write`, which may fail or wait. `file` is the name of the file; `go` writes. Returns
 * the function that ends this.
 */
export function interceptWrites(write: (file: string, go: (bytes?: number) => Promise<number>) => Promise<number>) {
  const inside = LogFile.prototype as unknown as { writeSome: WriteSome }
  const { writeSome } = inside
  inside.writeSome = function (this: LogFile, bytes, at) {
    return write(this.file, (some) => writeSome.call(this, bytes.subarray(0, some ?? bytes.length), at))
  }
  return () => {
    inside.writeSome = writeSome
  }
}

/** Fails as on a full disk. */
export function full(): never {
  throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
}
