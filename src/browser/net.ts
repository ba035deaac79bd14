import ipaddr from 'ipaddr.js'

/** 4 or 6; 0: the text is not an address. */
export function isIP(text: string): number {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return 4
  return text.includes(':') && ipaddr.IPv6.isValid(text) ? 6 : 0
}

/** Networks, and whether an address is in one of them. */
export class BlockList {
  private readonly networks: [ipaddr.IPv4 | ipaddr.IPv6, number][] = []

  addSubnet(network: string, prefix: number): void {
    this.networks.push([ipaddr.parse(network), prefix])
  }

  check(text: string): boolean {
    if (!ipaddr.isValid(text)) return false
    // An IPv4 address written as IPv6 may be in an IPv4 network.
    const address = ipaddr.process(text)
    return this.networks.some(
      ([network, prefix]) =>
        network.kind() === address.kind() && (address as ipaddr.IPv4).match(network as ipaddr.IPv4, prefix)
    )
  }
}
