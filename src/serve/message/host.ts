import { isIP } from 'node:net'

/**
 * Whether a Host header names this machine: an IP address, localhost, a name below it, or an allowed name. Any other
 * name could be a site that points at the loopback address, to reach the mock through a browser. Browsers always send a
 * host.
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

/** The first test of an address takes milliseconds, so names are told apart before it. */
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
