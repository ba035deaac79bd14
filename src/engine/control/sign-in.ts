import { Refusal } from '../contract/message/refusal.js'
import type { Invalid } from '../contract/pydantic/explain.js'
import type { Operations } from '../contract/types.gen.js'
import { sandboxName } from '../sandbox/sandbox.js'
import { tokensToName, userWith } from '../serve/admit.js'
import type { Exchange } from '../serve/exchange.js'
import { enteredMark } from '../serve/message/caller.js'
import { isLocal } from '../serve/message/cors.js'
import { type AnswerHeaders, goneSignal, type Reply } from '../serve/message/message.js'
import type { Store } from '../store/rows.js'
import { invalid } from './rule.js'

type Query = Operations['enterSandbox']['input']['query']

export interface SignInDoor {
  cookie: string
  /** Whether the cookie counts no matter who set it. */
  trustsCookie: boolean
  corsOrigin: readonly string[]
  /** Whether a request came over TLS. */
  isSecure: (exchange: Exchange) => boolean
  /** The rows of a sandbox, or the rows that it would start with. */
  rowsOf: (sandbox: string) => Store
  /** Whether others use the default sandbox. Then links must not replace its state. */
  isShared: boolean
  scenarios: () => string[]
  /** Plays a scenario in a sandbox. `gone` aborts when no client waits for the end. */
  play: (sandbox: string, scenario: string, gone: AbortSignal) => Promise<unknown>
}

/**
 * Signs a browser in with a cookie and redirects it. It gives no more access than a token with the same names. Without
 * a scenario it creates no sandbox: the first request there does.
 */
export async function signIn(door: SignInDoor, exchange: Exchange, query: Query): Promise<Reply> {
  // Forms send empty fields too.
  const fields: Query = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))
  const { user, anonymous = false, sandbox, scenario, to } = fields
  if (sandbox !== undefined && !sandboxName.test(sandbox)) throw new Refusal('bad-sandbox', { name: sandbox })
  const target = to === undefined ? `${exchange.request.mount}/` : targetOf(to, exchange.host, door.corsOrigin)
  const place = sandbox ?? exchange.place
  // The scenario may create the user.
  if (scenario !== undefined) {
    if (door.isShared && place === 'default') {
      throw invalid(['query', 'sandbox'], 'Choose a sandbox of your own: everybody here shares the default one.')
    }
    const names = door.scenarios()
    if (!names.includes(scenario)) {
      throw invalid(['query', 'scenario'], `There is no scenario "${scenario}".`, names)
    }
    await door.play(place, scenario, goneSignal(exchange.request))
  }
  if (anonymous && user !== undefined) {
    throw invalid(['query', 'anonymous'], 'Give user or anonymous, and not both.')
  }
  const { api } = exchange.contract
  const key = anonymous ? '' : (user ?? (api.users.common[0] as string))
  const rows = door.rowsOf(place)
  if (!anonymous && !userWith(api, rows, key)) {
    const tokens = exchange.tellsTokens ? tokensToName(api, rows) : undefined
    throw invalid(['query', 'user'], `No user of this sandbox has the key "${key}".`, tokens)
  }
  const token = sandbox === undefined ? key : `${key}~${sandbox}`
  // Browsers drop a cookie with such a name if it is not Secure.
  const isSecure = door.isSecure(exchange) || needsTls(door.cookie)
  // Browsers only send Secure cookies to pages of another site.
  const sameSite = isSecure && !target.startsWith('/') ? 'None' : 'Lax'
  const attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}${token === '' ? '; Max-Age=0' : ''}`
  const mark = anonymous || door.trustsCookie ? '' : enteredMark
  const headers: AnswerHeaders = { Location: target, 'Set-Cookie': `${door.cookie}=${token}${mark}; ${attributes}` }
  return { status: 303, headers: headers as Record<string, string>, body: undefined }
}

/** Whether browsers accept a cookie of this name only over TLS (RFC 6265bis, 4.1.3). */
export function needsTls(cookie: string): boolean {
  return /^__(host|secure)-/i.test(cookie)
}

/** The base that is used to parse an address before it is known to be a path of this host. */
const anyHost = 'http://this.invalid'

/** The redirect target: a path here, or an address of an allowed origin. Others would make an open redirect. */
function targetOf(to: string, host: string | undefined, origins: readonly string[]): string {
  // Browsers drop control characters and read a backslash as a slash, so they would see a different address.
  if (/[\p{Cc}\\]/u.test(to)) throw badTarget('It has a backslash or a control character.')
  const url = URL.canParse(to, anyHost) ? new URL(to, anyHost) : undefined
  if (!url) throw badTarget('It is not a URL.')
  if (url.origin === anyHost) {
    const path = url.pathname + url.search + url.hash
    // A path may begin with two slashes after its dots are resolved, and then names a host.
    if (to.startsWith('/') && !path.startsWith('//')) return path
    throw badTarget('It is not a path that begins with one slash.')
  }
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw badTarget('It must be an http or https URL without user and password.')
  }
  const isAllowed = url.host === host || origins.includes(url.origin) || (origins.includes('*') && isLocal(url.origin))
  if (!isAllowed) throw badTarget(`--cors-origin does not list ${url.origin}.`)
  return url.href
}

function badTarget(why: string): Invalid {
  const good = 'Give a path of this host, such as /docs, or a URL whose origin --cors-origin lists.'
  return invalid(['query', 'to'], `${why} ${good}`)
}
