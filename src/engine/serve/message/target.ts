import { isIP } from 'node:net'
import type { Request } from './message.js'

/** The path, query and host of a request. */
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

/** Whether an address is a loopback address. */
export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(127\.|::1$|::ffff:127\.|localhost$)/i.test(address)
}
