import type { EngineAddress } from '../../mock/replicas/engine.js'

const forms =
  'Give redis://host:6379/0, rediss://host:6379 (TLS) or redis+unix:///path/to/redis.sock, perhaps with a user and a password, and ?prefix=<name>.'

/** Whether `--data` names an engine that several processes share. */
export function isEngine(data: string): boolean {
  return /^(rediss?|valkeys?)(\+[a-z]+)?:/i.test(data)
}

/** Throws an Error that names the good forms. */
export function readEngine(data: string): EngineAddress {
  if (!URL.canParse(data)) throw new Error(`data (--data) ${JSON.stringify(data)} is not an address. ${forms}`)
  const url = new URL(data)
  if (!/^(rediss?|redis\+unix):\/\//i.test(data))
    throw new Error(`data (--data) ${JSON.stringify(data)} is no address of a Redis or Valkey. ${forms}`)
  const { searchParams, username, password, protocol } = url
  const [unknown] = [...searchParams.keys()].filter((it) => it !== 'prefix')
  if (unknown !== undefined) throw new Error(`data (--data) has ?${unknown}=, which is not known. ${forms}`)
  const prefix = searchParams.get('prefix') ?? 'kcm'
  if (!/^[\w.-]{1,64}$/.test(prefix)) {
    throw new Error(`data (--data) has ?prefix=${prefix}: give 1 to 64 letters, digits, and any of _ . -`)
  }
  const isUnix = protocol === 'redis+unix:'
  const number = isUnix ? '' : url.pathname.slice(1)
  if (!/^\d{0,5}$/.test(number)) throw new Error(`data (--data) names the database ${number}: give a number. ${forms}`)
  if (!isUnix && url.hostname === '') throw new Error(`data (--data) names no host. ${forms}`)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const path = decodeURIComponent(url.pathname)
  const socket = isUnix
    ? { path }
    : { host, port: Number(url.port || 6379), ...(protocol === 'rediss:' && { tls: true }) }
  return {
    prefix,
    name: isUnix ? `redis+unix://${path}` : `${protocol}//${url.host}`,
    options: {
      socket,
      ...(number !== '' && { database: Number(number) }),
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) })
    }
  }
}

/** How node:http reaches the address of a process: http://host:port, or unix:/path of a socket. */
export function endpointOf(address: string): { host: string; port: string } | { socketPath: string } {
  if (address.startsWith('unix:')) return { socketPath: address.slice('unix:'.length) }
  const { hostname, port } = new URL(address)
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port }
}
