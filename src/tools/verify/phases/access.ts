import { isReading, type Operation } from '../../../engine/contract/model.js'
import type { Asker, Exchange } from '../calls/client.js'
import { callOf, type Input } from '../calls/request.js'
import { conforms, verdict } from '../judge.js'
import { locsOf } from '../learn/readings.js'
import type { KnownRows } from '../rows.js'
import type { Run } from '../run.js'
import { inBatches } from './batches.js'

const unknown: Asker = { header: 'Bearer kcm-verify-no-such-token' }
const unknownTitle = 'an unknown token'

/** A way to send a request without a valid token. `parameter`: the valid token is only in the query. */
interface TokenlessRequest {
  title: string
  as: Asker
  parameter?: string
  method?: string
  /** Changes the path. A server need not know this one. */
  spell?: (target: string) => string
}

/** Headers without a token. */
const nobody: TokenlessRequest[] = [
  { title: 'no token', as: 'nobody' },
  { title: 'a Bearer without a token', as: { header: 'Bearer' } },
  { title: 'another scheme', as: { header: `Basic ${Buffer.from('kcm-verify:none').toString('base64')}` } }
]

/**
 * The valid token in a wrong form. `isOther`: this makes it another token, which no user has. What follows a `~` stays:
 * on this mock it names the sandbox, and the same user is in each of them.
 */
function twisted(token: string): (TokenlessRequest & { isOther?: boolean })[] {
  const [key = ''] = token.split('~')
  const rest = token.slice(key.length)
  const cut = key.slice(0, -1)
  const swapped = key.replace(/[a-z]/gi, (it) => (it === it.toLowerCase() ? it.toUpperCase() : it.toLowerCase()))
  // A hexadecimal number, such as a UUID, is the same in upper and lower case.
  const isNumber = /^[0-9a-f-]*$/i.test(key)
  return [
    { title: 'the good token with the scheme Basic', as: { header: `Basic ${token}` } },
    { title: 'the good token with the scheme Token', as: { header: `Token ${token}` } },
    { title: 'the good token without a scheme', as: { header: token } },
    // A lenient reader of base64 drops a single letter at the end.
    { title: 'the good token and two letters', as: { header: `Bearer ${key}xx${rest}` }, isOther: true },
    { title: 'the good token and a word', as: { header: `Bearer ${token} x` }, isOther: true },
    ...(cut === '' ? [] : [{ title: 'the good token, cut', as: { header: `Bearer ${cut}${rest}` }, isOther: true }]),
    ...(isNumber
      ? []
      : [{ title: 'the good token in the other case', as: { header: `Bearer ${swapped}${rest}` }, isOther: true }]),
    { title: 'the good token in the query, as token', as: 'nobody', parameter: 'token' },
    { title: 'the good token in the query, as access_token', as: 'nobody', parameter: 'access_token' }
  ]
}

/** How the server treats an unknown token. Uses an operation that only reads the caller. */
export async function unknownToken(run: Run): Promise<void> {
  const { reply } = await run.ask('getUserRole', {}, unknown)
  // Only a mock may accept any token.
  const isKnown = run.isMock || run.readings.choices['auth.unknown-token'] === 'admin'
  const choice = reply.status < 300 ? 'admin' : 'refused'
  if (isKnown || choice === 'refused')
    run.answers.add('auth.unknown-token', choice, 'getUserRole with an unknown token')
  for (const { as } of nobody) {
    const { status } = (await run.ask('getUserRole', {}, as)).reply
    if (status >= 300 && status < 500) run.refusals.add(status)
  }
  const lower = await run.ask('getUserRole', {}, { header: `bearer ${run.settings.token}` })
  // Schemes are case-insensitive (RFC 9110, 11.1), but the description does not mention that.
  run.answers.add('auth.scheme-case', lower.reply.status < 300 ? 'any' : 'exact', 'getUserRole with "bearer"')
}

/** Section 5.1: every request carries a token. */
export async function access(run: Run, rows: KnownRows, operation: Operation): Promise<void> {
  const example = Object.values(rows.examplesOf(operation))[0] ?? {}
  const input = run.needs.complete(operation, rows.filled(example, !isReading(operation)))
  const takesAny = run.answers.get('auth.unknown-token') === 'admin'
  const strangers: TokenlessRequest[] = [
    ...nobody,
    ...(takesAny ? [] : [{ title: unknownTitle, as: unknown }]),
    ...(isReading(operation) ? twisted(run.settings.token).filter(({ isOther }) => !(isOther && takesAny)) : [])
  ]
  if (operation.method === 'GET') {
    strangers.push({ title: 'HEAD without a token', as: 'nobody', method: 'HEAD' })
    strangers.push({ title: 'no token, with a letter of the path encoded', as: 'nobody', spell: encoded })
  }
  const asked = await inBatches(strangers, 8, ({ as, parameter, method = operation.method, spell = String }) => {
    const call = callWith(run, operation, input, parameter)
    return run.send({ ...call, method, target: spell(call.target) }, as)
  })
  for (const [{ title, as, method, spell }, exchange] of asked) {
    const { status } = exchange.reply
    if (method !== undefined || spell) {
      // HEAD has no body. A server need not know it, nor another spelling.
      verdict(run, exchange, 'ignored_auth', status >= 300, 'a refusal', { title })
      continue
    }
    const holds = isRefusal(run, exchange)
    // A refusal may be a redirect to a sign-in page.
    if (status >= (holds ? 400 : 300)) conforms(run, exchange, { title })
    verdict(run, exchange, 'ignored_auth', holds, '401 or 403', { title })
    if (holds && as === 'nobody' && (status === 401 || status === 403)) {
      run.answers.add('auth.unauthenticated', String(status), `${operation.id} without a token`)
    }
  }
}

const encoded = (target: string) => target.replace('/api/', '/%61pi/')

function callWith(run: Run, operation: Operation, { query, ...input }: Input, parameter: string | undefined) {
  const { token } = run.settings
  return callOf(operation, { ...input, query: { ...query, ...(parameter !== undefined && { [parameter]: token }) } })
}

/**
 * The description does not give the status for a missing token: 401, 403, one used elsewhere, or a 422 about the
 * header.
 */
function isRefusal(run: Run, exchange: Exchange): boolean {
  const { status } = exchange.reply
  if (status === 401 || status === 403) return true
  if (status === 422) return run.refusals.has(422) || locsOf(exchange).some(([part]) => part === 'header')
  return run.refusals.has(status)
}
