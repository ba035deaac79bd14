import { BlockList } from 'node:net'
import { once } from '../../../../engine/contract/once.js'
import { Invalid } from '../../../../engine/contract/pydantic/explain.js'
import type { WebContent } from '../../types.gen.js'
import { type Context, Refusal, type Rules } from '../rule.js'
import { pageText } from './page-text.js'

/** The longest host name and label (RFC 1035, section 2.3.4). */
const maxHost = 253
const maxLabel = 63

/** The longest user part. URL takes quadratic time in the number of @ signs. */
const maxUser = 255

/** Servers need not support longer addresses (RFC 9110, section 4.1), so none has a page. */
const maxUrl = 8000

/** The address of a page that could exist. Hosts under .invalid never do (RFC 2606). */
function readableAddress(url: string): URL | undefined {
  const host = url.length > maxUrl ? undefined : hostIn(url)
  // The host is checked first: URL takes quadratic time in its labels to convert it to ASCII.
  const address = host !== undefined && canBeHost(host) && URL.canParse(url) ? new URL(url) : undefined
  if (!address || !canBeHost(address.hostname)) return undefined
  return isUnder(address.hostname, ['invalid']) ? undefined : address
}

/** Networks without public pages, and the addresses of metadata services outside of them. */
const privateNetworks = once(() => {
  const networks = new BlockList()
  for (const [network, prefix] of [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['168.63.129.16', 32],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16]
  ] as const) {
    networks.addSubnet(network, prefix)
    // The same network in an address of IPv6: NAT64 (RFC 6052) and 6to4 (RFC 3056).
    const [a, b, c, d] = network.split('.').map((part) => Number(part).toString(16).padStart(2, '0'))
    networks.addSubnet(`64:ff9b::${a}${b}:${c}${d}`, 96 + prefix, 'ipv6')
    networks.addSubnet(`2002:${a}${b}:${c}${d}::`, 16 + prefix, 'ipv6')
  }
  for (const [network, prefix] of [
    ['::', 127],
    ['fc00::', 7],
    ['fe80::', 10]
  ] as const) {
    networks.addSubnet(network, prefix, 'ipv6')
  }
  return networks
})

/** Names of this machine, its network or its metadata service. */
const privateNames = [
  ...['localhost', 'internal', 'metadata', 'metadata.goog', 'metadata.azure.com', 'instance-data'],
  ...['kubernetes.default', 'svc', 'svc.cluster.local']
]

/** Whether a host is in a private network. URL has normalized the spelling of numbers already. */
function isPrivate(host: string): boolean {
  if (host.startsWith('[')) return privateNetworks().check(host.slice(1, -1), 'ipv6')
  return /^[\d.]+$/.test(host) ? privateNetworks().check(host) : isUnder(host, privateNames)
}

function isUnder(host: string, names: string[]): boolean {
  const name = withoutDot(host)
  return names.some((it) => name === it || name.endsWith(`.${it}`))
}

/** The host of an address, before URL converts it. */
function hostIn(url: string): string | undefined {
  const authority = /^[\0- ]*https?:[\\/]*([^\\/?#]*)/i.exec(url.replace(/[\t\n\r]/g, ''))?.[1]
  const user = authority?.lastIndexOf('@') ?? -1
  if (user > maxUser) return undefined
  const host = authority?.slice(user + 1).replace(/:\d*$/, '')
  try {
    return host && decodeURIComponent(host)
  } catch {
    return undefined
  }
}

function withoutDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host
}

function canBeHost(host: string): boolean {
  const name = withoutDot(host)
  return name.length <= maxHost && name.split(/[.\u3002\uff0e\uff61]/).every((label) => [...label].length <= maxLabel)
}

/** Web content: E18. No page is ever fetched. */
export const webRules: Rules<'web'> = {
  /** E18: the readable pages, in the requested order. */
  openUrls({ body }, context) {
    const addresses = body.urls.map((url) => url.trim()).filter((url) => url !== '')
    if (addresses.length === 0) throw invalid('urls must include at least one non-empty value', body.urls)
    if (addresses.length < body.urls.length && context.assume('web.blank-urls') === 'refused') {
      const blank = body.urls.findIndex((url) => url.trim() === '')
      throw invalid('a URL must not be blank', body.urls[blank], blank)
    }
    checkCount(context, addresses.length)
    const once = [...new Set(addresses)]
    const urls = once.length < addresses.length && context.assume('web.same-urls') === 'once' ? once : addresses
    return {
      results: urls.flatMap((url, position) => page(context, url, position + 1)),
      provider_type: 'service_web_crawler'
    }
  }
}

/** 2.13 */
function page(context: Context, url: string, position: number): WebContent[] {
  const choice = context.assume('web.content')
  const address = readableAddress(url)
  if (!address) return []
  if (isPrivate(address.hostname) && context.assume('web.private-addresses') === 'left-out') return []
  const content = choice === 'generated' ? pageText(address, `${context.seed} ${url}`) : ''
  const document_citation_number = context.assume('web.citation-number') === 'minus-one' ? -1 : position
  return [{ document_citation_number, content, unique_identifier_to_strip_away: url, type: 'open_url' }]
}

function invalid(text: string, input: unknown, ...place: number[]): Invalid {
  const problem = { type: 'value_error', loc: ['body', 'urls', ...place], msg: `Value error, ${text}`, input }
  return new Invalid([{ ...problem, ctx: { error: {} } }])
}

function checkCount(context: Context, count: number): void {
  const limit = 1000
  if (count > limit && context.assume('web.limit') !== 'none') throw new Refusal('too-many-urls', { count, limit })
}
