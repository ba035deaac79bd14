import type { Request } from './message.js'

/** The sender of a request, as far as known. */
export interface Client {
  address: string
  /** Whether the request came over TLS, to the mock or to a proxy before it. */
  isSecure: boolean
}

/**
 * The sender of a request: the other end of the connection or, behind trusted proxies, the client of the first proxy.
 * Each proxy adds an address at the end of X-Forwarded-For, after anything that the client wrote there.
 */
export function clientOf({ peer, headers }: Request, proxies: number): Client {
  const told = (name: string) => (proxies > 0 ? listed(headers[name]) : [])
  const addresses = told('x-forwarded-for')
  const [scheme] = told('x-forwarded-proto')
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

/**
 * The part of an address that a client cannot change: the first 64 bits of IPv6, because a client has all of the rest.
 */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!plain.includes(':')) return plain
  const [before = [], after = []] = plain.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const zeros = plain.includes('::') ? 8 - before.length - after.length : 0
  return [...before, ...Array<string>(Math.max(0, zeros)).fill('0'), ...after].slice(0, 4).join(':')
}
