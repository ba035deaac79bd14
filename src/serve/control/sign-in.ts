import { Invalid } from '../../contract/pydantic/explain.js'
import { Refusal } from '../../contract/refusal.js'
import type { Operations } from '../../contract/types.gen.js'
import { sandboxName } from '../../mock/sandbox/sandbox.js'
import { wrong } from '../../rules/control/problems.js'
import type { Store } from '../../store/rows.js'
import { keysToName } from '../admit.js'
import type { Exchange } from '../exchange.js'
import { isLocal } from '../message/cors.js'
import type { AnswerHeaders, Reply } from '../message/message.js'

type Query = Operations['enterSandbox']['input']['query']

/** What signs browsers in. */
export interface SignInDoor {
  cookie: string
  corsOrigin: readonly string[]
  /** Whether a request came over TLS. */
  isSecure: (exchange: Exchange) => boolean
  /** The rows of a sandbox, or those that it would start with. */
  rowsOf: (sandbox: string) => Store
  /** Whether others use the default sandbox, so that no link may change it as a whole. */
  isShared: boolean
  /** The names of the scenarios. */
  scenarios: () => string[]
  /** Plays one in a sandbox. */
  play: (sandbox: string, scenario: string) => Promise<unknown>
}

/**
 * Signs a browser in by a cookie, and sends it on. It opens nothing that a token with the same names does not. Without a
 * scenario it makes no sandbox: the first request there does.
 */
export async function signIn(door: SignInDoor, exchange: Exchange, query: Query): Promise<Reply> {
  const { user = 'admin', sandbox, scenario, to = '/' } = given(query)
  if (sandbox !== undefined && !sandboxName.test(sandbox)) throw new Refusal('bad-sandbox', { name: sandbox })
  const target = targetOf(to, exchange.host, door.corsOrigin)
  // The scenario may be what makes the user.
  if (scenario !== undefined) await playScenario(door, scenario, sandbox)
  checkUser(door, exchange, user, sandbox)
  const token = sandbox === undefined ? user : `${user}~${sandbox}`
  const isSecure = door.isSecure(exchange)
  // Browsers send a page of another site no cookie but a Secure one.
  const sameSite = isSecure && !target.startsWith('/') ? 'None' : 'Lax'
  const attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`
  const headers: AnswerHeaders = { Location: target, 'Set-Cookie': `${door.cookie}=${token}; ${attributes}` }
  return { status: 303, headers: headers as Record<string, string>, body: undefined }
}

/** A form sends fields that nobody filled in. */
function given(query: Query): Query {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))
}

function checkUser(door: SignInDoor, { tellsTokens }: Exchange, user: string, sandbox = 'default'): void {
  const rows = door.rowsOf(sandbox)
  if (rows.users.first('byKey', user)) return
  const known = tellsTokens ? keysToName(rows) : undefined
  throw new Invalid([wrong(['query', 'user'], `No user of this sandbox has the key "${user}".`, known)])
}

async function playScenario(door: SignInDoor, name: string, sandbox = 'default'): Promise<void> {
  const { scenarios, play, isShared } = door
  if (isShared && sandbox === 'default') {
    throw new Invalid([
      wrong(['query', 'sandbox'], 'Name a sandbox of your own: the default one is for all who come here.')
    ])
  }
  const known = scenarios()
  if (!known.includes(name)) {
    throw new Invalid([wrong(['query', 'scenario'], `There is no scenario "${name}".`, known)])
  }
  await play(sandbox, name)
}

/** Who reads an address as a path of this host, before it is known to be one. */
const anyHost = 'http://this.invalid'

/** Where the browser goes: a path of this host, or an address of an origin that may call. Else a link led astray. */
function targetOf(to: string, host: string | undefined, origins: readonly string[]): string {
  // Browsers drop some of these, and take a backslash for a slash: what they read is not what stands there.
  if (/[\p{Cc}\\]/u.test(to)) throw badTarget('It has a backslash or a control character.')
  const url = URL.canParse(to, anyHost) ? new URL(to, anyHost) : undefined
  if (!url) throw badTarget('It is no address.')
  if (url.origin === anyHost) {
    const path = url.pathname + url.search + url.hash
    // Once its dots are resolved, a path may begin with two slashes, which name a host.
    if (to.startsWith('/') && !path.startsWith('//')) return path
    throw badTarget('It is no path that begins with one slash.')
  }
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw badTarget('It is no address of a page.')
  }
  const isAllowed = url.host === host || origins.includes(url.origin) || (origins.includes('*') && isLocal(url.origin))
  if (!isAllowed) throw badTarget(`${url.origin} is no origin that --cors-origin names.`)
  return url.href
}

function badTarget(why: string): Invalid {
  const good = 'Give a path of this host, such as /docs, or an address of an origin of --cors-origin.'
  return new Invalid([wrong(['query', 'to'], `${why} ${good}`)])
}
