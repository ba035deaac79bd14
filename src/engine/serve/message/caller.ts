import { timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { DocumentApi } from '../../api.js'
import { decode } from '../../contract/match.js'
import type { Request } from './message.js'
import { keyIn } from './tokens.js'

export interface Target {
  host: string | undefined
  path: string
  search: string
}

/** An absolute target names the host itself, and the header is then ignored (RFC 9112, 3.2.2). */
export function readTarget({ target: url, headers }: Pick<Request, 'target' | 'headers'>): Target {
  const absolute = url.startsWith('/') ? null : /^https?:\/\/([^/?]*)/i.exec(url)
  const origin = absolute ? url.slice(absolute[0].length) : url
  const mark = origin.indexOf('?')
  const path = mark < 0 ? origin : origin.slice(0, mark)
  return {
    host: absolute ? absolute[1] : headers.host,
    path: path === '' ? '/' : path,
    search: mark < 0 ? '' : origin.slice(mark + 1)
  }
}

const controlPrefix = '/__mock'

export function isControlPath(path: string): boolean {
  return path.startsWith(controlPrefix) && (path.length === controlPrefix.length || path[controlPrefix.length] === '/')
}

/**
 * Whether a Host header names this machine: an IP address, localhost, a name below it, or an allowed name. Any other name
 * could be a site that points to the loopback address, to reach the mock through a browser. Browsers always send a host.
 */
export function createHostCheck(allowed: readonly string[]): (host: string | undefined) => boolean {
  const names = new Set(allowed.map((name) => name.toLowerCase()))
  let lastGood: string | undefined
  return (host) => {
    if (host === undefined || host === lastGood) return true
    const name = hostName(host)
    const good =
      name === 'localhost' || name.endsWith('.localhost') || names.has(name) || names.has('*') || isAddress(name)
    if (good) lastGood = host
    return good
  }
}

/** The first test of an address takes milliseconds, so names are sorted out before it. */
function isAddress(name: string): boolean {
  return /^[\d.]+$|:/.test(name) && isIP(name) !== 0
}

function hostName(host: string): string {
  const bracketed = /^\[([^\]]*)\](:\d*)?$/.exec(host)
  return (bracketed?.[1] ?? host.replace(/:\d*$/, '')).toLowerCase()
}

export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(127\.|::1$|::ffff:127\.|localhost$)/i.test(address)
}

/** The user and sandbox of a request. Both may be absent. */
export interface Caller {
  /** A user's key, or a token of a real service. */
  key: string | undefined
  sandbox: string | undefined
  /** The source of the key. Without a key: the last place that was searched. */
  by: 'header' | 'cookie' | 'anonymous' | undefined
  /** Who it is without the cookie. Set if a choice decides whether the cookie counts (auth.cookie). */
  withoutCookie?: Caller
}

export type CallerOf = (request: Pick<Request, 'headers' | 'target'>, path: string) => Caller

export interface SignIn {
  /** The cookie with the token if there is no Authorization header. */
  cookie: string
  /** Whether the cookie counts no matter who set it. */
  trustsCookie: boolean
  /** The user of requests without a token. Undefined: none. */
  anonymous: string | undefined
  /** Whether tokens may name a sandbox. Tokens of a real service may not. */
  namesSandboxes: boolean
  /** Where the document of an API has its keys. With them, `Authorization` also takes `Token <key>`, a name or a key alone. */
  keys?: DocumentApi['keys'] | undefined
}

/** The cookie if no option names one. */
export const usualCookie = 'kcm-token'

/** What follows the token in a cookie that `/__mock/enter` has set. No sandbox has such a name. */
export const enteredMark = '~.entered'

/**
 * Reads the user and the sandbox. A token is a user's key, with a sandbox after a tilde. X-Mock-Sandbox overrides that. A
 * token that begins with the tilde names a sandbox and no user. Browsers send cookies automatically, so the control API
 * ignores them.
 */
export function createCallerOf({ cookie, trustsCookie, anonymous, namesSandboxes, keys }: SignIn): CallerOf {
  const cookieIn = createCookieReader(cookie)
  const schemes = keys ? documentSchemes : /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i

  const callerOf = (token: string | undefined, header: string | undefined, by: Caller['by']): Caller => {
    const tilde = token !== undefined && namesSandboxes ? token.indexOf('~') : -1
    if (token === undefined || tilde < 0) return { key: token, sandbox: header, by }
    const sandbox = header ?? token.slice(tilde + 1)
    return tilde === 0 ? unnamed(sandbox) : { key: token.slice(0, tilde), sandbox, by }
  }
  const unnamed = (sandbox: string | undefined): Caller => ({
    key: anonymous,
    sandbox,
    by: anonymous === undefined ? undefined : 'anonymous'
  })

  return ({ headers, target }, path) => {
    const header = headers['x-mock-sandbox'] as string | undefined
    const { authorization } = headers
    if (authorization !== undefined) {
      const [, token, basic] = schemes.exec(authorization) ?? []
      const name = basic === undefined ? undefined : Buffer.from(basic, 'base64').toString().split(':')[0]
      return callerOf(token ?? name, header, 'header')
    }
    if (isControlPath(path)) return callerOf(undefined, header, undefined)
    const key = keys && keyIn(keys, headers, target)
    if (key !== undefined) return callerOf(key, header, 'header')
    const value = headers.cookie === undefined ? undefined : cookieIn(headers.cookie)
    if (value === undefined) return unnamed(header)
    const isEntered = value.endsWith(enteredMark)
    const token = isEntered ? value.slice(0, -enteredMark.length) : value
    const caller = callerOf(isToken.test(token) ? token : undefined, header, 'cookie')
    return trustsCookie || isEntered ? caller : { ...caller, withoutCookie: unnamed(caller.sandbox) }
  }
}

/** `Bearer <key>`, `Token <key>` or the key alone, and the name in `Basic`. */
const documentSchemes = /^(?:(?:(?:Bearer|Token|ApiKey) +)?([A-Za-z0-9\-._~+/]+=*)|Basic +([A-Za-z0-9+/]+=*)) *$/i

/** The sandbox of a request: the one that a call of the control API names, or that of the caller. */
export function sandboxOf(request: Request, callerOf: CallerOf): string | undefined {
  const { path, search } = readTarget(request)
  return (isControlPath(path) ? namedIn(request, path, search) : undefined) ?? callerOf(request, path).sandbox
}

function namedIn({ headers }: Request, path: string, search: string): string | undefined {
  if (path === '/__mock/mcp') return headers['mcp-session-id'] as string | undefined
  if (path === '/__mock/enter') return new URLSearchParams(search).get('sandbox') || undefined
  const inPath = /^\/__mock\/sandboxes\/([^/]+)$/.exec(path)?.[1]
  return inPath === undefined ? undefined : decode(inPath)
}

const isToken = /^[A-Za-z0-9\-._~+/]+=*$/

/** Reads a cookie of a Cookie header: the first of its name, unquoted and decoded. An empty value counts as none. */
function createCookieReader(name: string): (header: string) => string | undefined {
  const pattern = new RegExp(`(?:^|;)[ \\t]*${name.replace(/[^\w-]/g, '\\$&')}=([^;]*)`)
  return (header) => {
    const value = pattern
      .exec(header)?.[1]
      ?.trim()
      .replace(/^"(.*)"$/, '$1')
    return value === undefined || value === '' ? undefined : decode(value)
  }
}

const form = 'Send Authorization: Bearer <user>.'
const letters = 'It may have letters, digits and - . _ ~ + / with = at its end.'

/** Why a request has no user, as the end of a sentence. */
export function whyNobody(by: Caller['by'], cookie: string, header: string | undefined): string {
  if (by === 'cookie')
    return `the value of the cookie ${cookie} has characters that are not allowed in a token. ${letters}`
  if (header === undefined) {
    return `there is no Authorization header, and no cookie ${cookie} that counts (auth.cookie). Send Authorization: Bearer <user>, for example Bearer admin.`
  }
  const [scheme = '', ...rest] = header.trim().split(/ +/)
  if (scheme === '') return `the Authorization header is empty. ${form}`
  if (scheme.toLowerCase() !== 'bearer') {
    return rest.length === 0
      ? `the Authorization header has no scheme before the token. ${form}`
      : `the scheme of the Authorization header is not Bearer. ${form}`
  }
  if (rest.length === 0) return `no token follows Bearer in the Authorization header. ${form}`
  if (rest.length > 1) return `more than one word follows Bearer in the Authorization header. ${form}`
  return `the token in the Authorization header has characters that are not allowed in a token. ${letters}`
}

/** The sender of a request, as far as known. */
interface Client {
  address: string
  /** Whether the request came over TLS, to the mock or to a proxy before it. */
  isSecure: boolean
}

/**
 * The sender of a request: the other end of the connection or, behind trusted proxies, the client of the first proxy.
 * Each proxy adds an address at the end of X-Forwarded-For, after anything that the client wrote there.
 */
export function clientOf({ peer, headers }: Request, proxies: number): Client {
  const values = (name: string) => (proxies > 0 ? listed(headers[name]) : [])
  const addresses = values('x-forwarded-for')
  const [scheme] = values('x-forwarded-proto')
  return {
    address: addresses.at(-proxies) ?? addresses[0] ?? peer.address ?? 'unknown',
    isSecure: peer.isEncrypted || scheme === 'https'
  }
}

function listed(header: string | string[] | undefined): string[] {
  return String(header ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** The part of an address that a client cannot change: of IPv6 the first 64 bits, because it has all the rest. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!plain.includes(':')) return plain
  const [before = [], after = []] = plain.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const zeros = plain.includes('::') ? 8 - before.length - after.length : 0
  return [...before, ...Array<string>(Math.max(0, zeros)).fill('0'), ...after].slice(0, 4).join(':')
}

/** Compares a text with the secret, in constant time. */
export function isSecret(text: unknown, secret: string): boolean {
  if (typeof text !== 'string') return false
  const [a, b] = [Buffer.from(text), Buffer.from(secret)]
  return a.length === b.length && timingSafeEqual(a, b)
}
