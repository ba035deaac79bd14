import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Api } from '../engine/api.js'
import { packageRoot } from '../engine/contract/load.js'
import type { Exchange, PageHandler } from '../engine/serve/exchange.js'
import type { Answer, Request } from '../engine/serve/message/message.js'

/** Pages load nothing from other hosts and cannot be framed. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join('; ')

const pageHeaders = {
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache'
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml'
}

interface PagesOptions {
  hasControl: boolean
  /** The platform's OpenAPI document, as JSON. */
  openapi: (exchange: Exchange) => string
  /** The API that the pages name, if it is not Knowledge Chat. */
  api?: Api | undefined
}

/**
 * The web pages in dist/pages: the explorer at /docs and, with the control API, the dashboard at /__mock/. Also serves
 * /openapi.json. Addresses are relative, so that the mock can be mounted anywhere.
 */
export function createPages({ hasControl, openapi, api }: PagesOptions): PageHandler {
  const redirects = new Map([
    ['/', hasControl ? '/__mock/' : '/docs'],
    ['/docs/', '/docs'],
    ...(hasControl ? [['/__mock', '/__mock/'] as const] : [])
  ])
  let files: Map<string, File> | undefined
  let last = { text: '', bytes: Buffer.alloc(0) }

  return (exchange) => {
    const { request, path } = exchange
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    if (path === '/openapi.json') {
      const text = openapi(exchange)
      if (last.text !== text) last = { text, bytes: Buffer.from(text) }
      return unlessKnown(request, last.bytes, { 'Content-Type': 'application/json; charset=utf-8' })
    }
    const target = redirects.get(path)
    if (target !== undefined) {
      return { status: 302, headers: { Location: request.mount + target, 'Content-Length': 0 }, body: '' }
    }
    files ??= new Map([...filesUnder('docs', '/docs'), ...(hasControl ? filesUnder('dashboard', '/__mock/') : [])])
    const file = files.get(path)
    if (!file) return undefined
    const isNamed = api !== undefined && extname(file.path) === '.html'
    if (isNamed) file.bytes ??= named(file, api)
    const isCompressible = /\.(js|css)$/.test(file.path)
    // Undefined in browsers.
    const isCompressed = isCompressible && gzipSync !== undefined && takesGzip(request)
    return unlessKnown(request, isCompressed ? compressedBytesOf(file) : bytesOf(file), {
      ...pageHeaders,
      'Content-Type': types[extname(file.path)] ?? 'text/plain; charset=utf-8',
      ...(isCompressible && { Vary: 'Accept-Encoding' }),
      ...(isCompressed && { 'Content-Encoding': 'gzip' })
    })
  }
}

/** A page that names an API in its root element (`pages/api.ts`). */
function named(file: File, { title, users, examples }: Api): Buffer {
  const data = {
    title,
    users: users.common.join(),
    collection: users.collection,
    token: users.token,
    path: examples.path
  }
  const escaped = (text: string) => text.replace(/[&<>"]/g, (it) => `&#${it.charCodeAt(0)};`)
  const attributes = Object.entries(data).map(([name, text]) => ` data-${name}="${escaped(text)}"`)
  const text = readFileSync(file.path, 'utf8')
  return Buffer.from(
    text
      .replace('<html lang="en"', () => `<html lang="en"${attributes.join('')}`)
      .replaceAll('Knowledge Chat', () => escaped(title))
  )
}

interface File {
  path: string
  bytes?: Buffer
  compressed?: Buffer
}

function bytesOf(file: File): Buffer {
  file.bytes ??= readFileSync(file.path)
  return file.bytes
}

/** Browsers take Brotli only over HTTPS and from their own machine, so it is gzip. */
function compressedBytesOf(file: File): Buffer {
  file.compressed ??= gzipSync(bytesOf(file))
  return file.compressed
}

function takesGzip({ headers }: Request): boolean {
  return /(^|[,\s])gzip\s*(,|$)/.test(String(headers['accept-encoding'] ?? ''))
}

/** The page of a folder at its address, with its other files next to it. */
function filesUnder(name: string, address: string): [string, File][] {
  const folder = join(packageRoot(), 'dist/pages', name)
  const beside = address.endsWith('/') ? `${address}assets/` : `${address}/`
  return readdirSync(folder).map((name) => [
    name === 'index.html' ? address : beside + name,
    { path: join(folder, name) }
  ])
}

/** The versions of files and documents, each hashed once. */
const tags = new WeakMap<Buffer, string>()

function tagOf(bytes: Buffer): string {
  const tag = tags.get(bytes) ?? `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  tags.set(bytes, tag)
  return tag
}

/** Answers 304 if the client has the current version. */
function unlessKnown({ headers }: Request, bytes: Buffer, about: Record<string, string>): Answer {
  const tag = tagOf(bytes)
  const versions = String(headers['if-none-match'] ?? '')
    .split(',')
    .map((it) => it.trim())
  if (versions.some((it) => it === '*' || it.replace(/^W\//, '') === tag)) {
    return { status: 304, headers: { ...about, ETag: tag }, body: '' }
  }
  return { status: 200, headers: { ...about, ETag: tag, 'Content-Length': bytes.length }, body: bytes }
}
