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
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json'
}

interface PagesOptions {
  hasControl: boolean
  /** The platform's OpenAPI document, as JSON. */
  openapi: (exchange: Exchange) => string
  /** The pages of the dashboard that only some mocks have. */
  more: () => readonly string[]
  /** The API that the pages name, if it is another one than they do. */
  api?: Api | undefined
}

/**
 * The web pages in dist/pages: the dashboard at /__mock/, if there is the control API, its explorer at /docs, and the manual at
 * /guide/. Also serves /openapi.json and, for agents, /llms.txt with the manual's Markdown. Addresses are relative, so that the
 * mock can be mounted anywhere.
 */
export function createPages({ hasControl, openapi, more, api }: PagesOptions): PageHandler {
  const redirects = new Map([
    ['/', hasControl ? '/__mock/' : '/docs'],
    ['/docs/', '/docs'],
    ['/guide', '/guide/'],
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
    files ??= filesAt(hasControl)
    const file = files.get(path)
    if (!file) return undefined
    if (extname(file.path) === '.html' && !path.startsWith('/guide/')) {
      file.bytes ??= pageBytes(file, { hasControl, more, api })
    }
    if (path === '/llms.txt') file.bytes ??= listOf(file)
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

/** A page that says in its root element what it is of: an API (`pages/api.ts`), a mock with the manual or without control. */
function pageBytes(file: File, { hasControl, more, api }: Omit<PagesOptions, 'openapi'>): Buffer {
  const data = {
    ...(api && {
      title: api.title,
      users: api.users.common.join(),
      collection: api.users.collection,
      token: api.users.token,
      path: api.examples.path,
      row: api.examples.row
    }),
    manual: 'guide/',
    more: more().join(' '),
    ...(!hasControl && { control: 'off' })
  }
  const escaped = (text: string) => text.replace(/[&<>"]/g, (it) => `&#${it.charCodeAt(0)};`)
  const attributes = Object.entries(data).map(([name, text]) => ` data-${name}="${escaped(text)}"`)
  const root = (tag: string) => `${api ? '<html lang="en"' : tag}${attributes.join('')}`
  const text = readFileSync(file.path, 'utf8').replace(/<html[^>]*/, root)
  return Buffer.from(api ? text.replace(/(?<=<title>)[^<]*/, () => `${escaped(api.title)} mock`) : text)
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

/** The files by their paths. Both pages have the same, except for their HTML. A mock in a browser has none. */
function filesAt(hasControl: boolean): Map<string, File> {
  const pages = join(packageRoot(), 'dist/pages')
  const dashboard = join(pages, 'dashboard')
  const assets = readdirSync(dashboard).filter((name) => name !== 'index.html')
  if (assets.length === 0) return new Map()
  const files = new Map<string, File>([['/docs', { path: join(pages, 'docs/index.html') }], ...manual()])
  if (hasControl) files.set('/__mock/', { path: join(dashboard, 'index.html') })
  for (const name of assets) {
    const file = { path: join(dashboard, name) }
    files.set(`/docs/${name}`, file)
    if (hasControl) files.set(`/__mock/assets/${name}`, file)
  }
  return files
}

/** The manual, and the same for agents: its Markdown, and a list of its pages. */
function manual(): [string, File][] {
  const root = packageRoot()
  const filesOf = (folder: string): [string, File][] =>
    readdirSync(join(root, folder)).map((name) => [`/guide/${name}`, { path: join(root, folder, name) }])
  return [
    ...filesOf('dist/pages/guide'),
    ...filesOf('docs'),
    ['/guide/', { path: join(root, 'dist/pages/guide/index.html') }],
    ['/llms.txt', { path: join(root, 'llms.txt') }]
  ]
}

/** The list for agents, whose links lead to files of the package there. */
function listOf({ path }: File): Buffer {
  return Buffer.from(readFileSync(path, 'utf8').replaceAll('](docs/', '](guide/'))
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
