/** Where the engine is: a parsed `--data redis://…`. */
export interface EngineAddress {
  /** The connection options of @redis/client. */
  options: { socket: object; [name: string]: unknown }
  prefix: string
  /** The nodes of a cluster, or the sentinels. */
  nodes?: { host: string; port: number }[]
  /** The sentinels' name for the primary. */
  sentinel?: string
  /** The login for sentinels. That for the primary is in the options. */
  login?: { username: string | undefined; password: string | undefined }
  /** For messages, without a password. */
  name: string
}

const forms =
  'Give redis://host:6379/0, rediss://host:6379 (TLS), redis+unix:///path/to/redis.sock, redis+sentinel://host:26379,host:26379/<name of the primary>/0 or redis+cluster://host:6379,host:6379, perhaps with a user and a password, and ?prefix=<name> (for sentinels also &sentinel-user= and &sentinel-password=).'

/** Whether `--data` names an engine that several processes share. Any other URL is rejected, not used as a folder. */
export function isEngine(data: string): boolean {
  return /^((rediss?|valkeys?)(\+[a-z]+)?:|[a-z][a-z\d+.-]+:\/\/)/i.test(data)
}

/** Throws an Error that names the valid forms. */
export function readEngine(data: string): EngineAddress {
  // URL does not read lists of hosts.
  const [, scheme = '', hosts = ''] = /^([a-z+]+):\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(data) ?? []
  const kind = /^rediss?(?:\+(sentinel|cluster))?$|^redis\+(unix)$/i.exec(scheme)
  const isUnix = kind?.[2] !== undefined
  const isList = kind?.[1] !== undefined
  const first = isList ? (hosts.split(',', 1)[0] as string) : hosts
  const plain = data.replace(hosts, first)
  if (!kind || !URL.canParse(plain))
    throw new Error(
      `data (--data) ${JSON.stringify(data)} is neither a folder nor the address of a Redis or Valkey. ${forms}`
    )
  const url = new URL(plain)
  const { searchParams, username, password } = url
  const isSentinel = kind[1]?.toLowerCase() === 'sentinel'
  const names = ['prefix', ...(isSentinel ? ['sentinel-user', 'sentinel-password'] : [])]
  const [unknown] = [...searchParams.keys()].filter((it) => !names.includes(it))
  if (unknown !== undefined) throw new Error(`data (--data) has ?${unknown}=, which is not known. ${forms}`)
  const prefix = searchParams.get('prefix') ?? 'kcm'
  if (!/^[\w.-]{1,64}$/.test(prefix)) {
    throw new Error(`data (--data) has ?prefix=${prefix}: give 1 to 64 letters, digits, and any of _ . -`)
  }
  const parts = isUnix ? [] : url.pathname.slice(1).split('/')
  const sentinel = isSentinel ? decodeURIComponent(parts.shift() ?? '') : undefined
  if (sentinel === '') throw new Error(`data (--data) names no primary after the sentinels. ${forms}`)
  const number = parts.join('/')
  if (!/^\d{0,5}$/.test(number) || (isList && !isSentinel && number !== ''))
    throw new Error(`data (--data) names the database ${number}: give a number, and none for a cluster. ${forms}`)
  if (!isUnix && url.hostname === '') throw new Error(`data (--data) names no host. ${forms}`)
  const path = decodeURIComponent(url.pathname)
  const nodes = isUnix ? [] : hosts.split(',').map((it) => nodeIn(it, isSentinel ? 26379 : 6379))
  const [node] = nodes
  const tls = /^rediss/i.test(scheme) && { tls: true }
  return {
    prefix,
    name: isUnix ? `redis+unix://${path}` : `${scheme}://${hosts}${isSentinel ? `/${sentinel}` : ''}`,
    ...(isList && { nodes }),
    ...(sentinel !== undefined && {
      sentinel,
      login: {
        username: searchParams.get('sentinel-user') ?? undefined,
        password: searchParams.get('sentinel-password') ?? undefined
      }
    }),
    options: {
      socket: isUnix ? { path } : { ...(!isList && node), ...tls },
      ...(number !== '' && { database: Number(number) }),
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) })
    }
  }
}

/** Throws an Error that names the valid forms. */
function nodeIn(text: string, port: number): { host: string; port: number } {
  if (!URL.canParse(`http://${text}`)) {
    throw new Error(`data (--data) has ${JSON.stringify(text)} in its list of hosts. ${forms}`)
  }
  const { hostname, port: ownPort } = new URL(`http://${text}`)
  // URL drops the default port of http.
  const own = /:80$/.test(text) ? 80 : Number(ownPort || port)
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: own }
}
