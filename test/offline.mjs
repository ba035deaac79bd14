// Loaded before a program (node --import): ends it with 99 if it contacts another machine.
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

const isLocal = (host) => host === undefined || host === 'localhost' || host === '::1' || /^127\./.test(host)
const refuse = (what) => {
  process.stderr.write(`asked for ${what}\n`)
  process.exit(99)
}

const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function (...args) {
  const [options] = net._normalizeArgs(Array.isArray(args[0]) ? args[0] : args)
  if (options.path === undefined && !isLocal(options.host)) refuse(options.host)
  return connect.apply(this, args)
}
for (const place of [dns, dns.promises]) {
  for (const name of Object.keys(place).filter((it) => /^(lookup|resolve)/.test(it))) {
    const ask = place[name]
    place[name] = (host, ...rest) => (isLocal(host) || net.isIP(host) ? ask(host, ...rest) : refuse(host))
  }
}
syncBuiltinESMExports()
