import { isObject } from '../../../engine/contract/load.js'
import type { Operation } from '../../../engine/contract/model.js'
import { unknownNumber } from '../api.js'
import type { Asker, Exchange } from '../calls/client.js'
import { callOf, type Input } from '../calls/request.js'
import { conforms, verdict } from '../judge.js'
import { locsOf } from '../learn/readings.js'
import { type KnownRows, unknownBody } from '../rows.js'
import { inBatches, type Run } from '../run.js'

const unknownToken = 'kcm-verify-no-such-token'
const unknown: Asker = { header: `Bearer ${unknownToken}` }

/** A way to send a request without a valid token. `parameter`: an unknown token is in the query. */
interface TokenlessRequest {
  title: string
  as: Asker
  parameter?: string
  /** `HEAD`, or another spelling of the path. A server need not know it. */
  method?: string
  spell?: (target: string) => string
  /** It has another token, which no user has. */
  isOther?: boolean
}

/** Headers without a token. */
const nobody: TokenlessRequest[] = [
  { title: 'no token', as: 'nobody' },
  { title: 'a Bearer without a token', as: { header: 'Bearer' } },
  { title: 'another scheme', as: { header: `Basic ${Buffer.from('kcm-verify:none').toString('base64')}` } }
]

/** Servers write addresses into their logs, so a real token is never in one. */
const inQuery = ['token', 'access_token'].map((parameter): TokenlessRequest => {
  return { title: `an unknown token in the query, as ${parameter}`, as: 'nobody', parameter, isOther: true }
})

/** The valid token in a wrong form. What follows a `~` stays: on this mock it names the sandbox. */
function twisted(token: string): TokenlessRequest[] {
  const [key = ''] = token.split('~')
  const rest = token.slice(key.length)
  const cut = key.slice(0, -1)
  const swapped = key.replace(/[a-z]/gi, (it) => (it === it.toLowerCase() ? it.toUpperCase() : it.toLowerCase()))
  // A hexadecimal number, such as a UUID, is the same in upper and lower case.
  const isNumber = /^[0-9a-f-]*$/i.test(key)
  const other = (title: string, it: string) => ({ title, as: { header: `Bearer ${it}` }, isOther: true })
  return [
    { title: 'the valid token with the scheme Basic', as: { header: `Basic ${token}` } },
    { title: 'the valid token with the scheme Token', as: { header: `Token ${token}` } },
    { title: 'the valid token without a scheme', as: { header: token } },
    // A lenient reader of base64 drops a single letter at the end.
    other('the valid token and two letters', `${key}xx${rest}`),
    other('the valid token and a word', `${token} x`),
    ...(cut === '' ? [] : [other('the valid token, cut', `${cut}${rest}`)]),
    ...(isNumber ? [] : [other('the valid token in the other case', `${swapped}${rest}`)])
  ]
}

/** How the server treats an unknown token. Uses an operation that only reads the caller. */
export async function learnUnknownToken(run: Run): Promise<void> {
  const { caller } = run.api
  const { status } = (await run.ask(caller, {}, unknown)).reply
  // Only a mock may accept any token.
  const isKnown = run.settings.isMock || run.readings.choices['auth.unknown-token'] === 'admin'
  const choice = status < 300 ? 'admin' : 'refused'
  if (isKnown || choice === 'refused') {
    run.answers.add('auth.unknown-token', choice, `${caller} with an unknown token`)
  }
  for (const { as } of nobody) {
    const refused = (await run.ask(caller, {}, as)).reply.status
    if (refused >= 300 && refused < 500) run.refusals.add(refused)
  }
  const lower = (await run.ask(caller, {}, { header: `bearer ${run.settings.token}` })).reply.status
  // Schemes are case-insensitive (RFC 9110, 11.1), but the description does not mention that.
  run.answers.add('auth.scheme-case', lower < 300 ? 'any' : 'exact', `${caller} with "bearer"`)
}

/** Section 5.1: every request carries a token. */
export async function access(run: Run, rows: KnownRows, operation: Operation): Promise<void> {
  const { query, ...input } = run.needs.complete(operation, rows.exampleOf(operation, !operation.isReading))
  const takesAny = run.answers.get('auth.unknown-token') === 'admin'
  const { entrances } = run.api
  // A server usually reads its tokens in one place, so only some operations get all wrong forms.
  const isSample = entrances.includes(operation.id) || !entrances.some((id) => run.results.isChosen(id))
  const [none, ...empty] = nobody as [TokenlessRequest, ...TokenlessRequest[]]
  const strangers = [
    none,
    ...(isSample || !operation.isReading ? [{ title: 'an unknown token', as: unknown, isOther: true }] : []),
    ...(isSample ? empty : []),
    ...(isSample && operation.isReading ? [...twisted(run.settings.token), ...inQuery] : [])
  ]
    .filter(({ isOther }) => !(isOther && takesAny))
    .slice(0, 3 * run.most)
  if (isSample && operation.method === 'GET') {
    strangers.push({ title: 'HEAD without a token', as: 'nobody', method: 'HEAD' })
    strangers.push({ title: 'no token, with a letter of the path encoded', as: 'nobody', spell: encoded })
  }
  const trials = await inBatches(strangers, 8, ({ as, parameter, method = operation.method, spell = String }) => {
    const token = parameter === undefined ? {} : { [parameter]: unknownToken }
    const call = callOf(operation, { ...input, query: { ...query, ...token } })
    return run.send({ ...call, method, target: spell(call.target) }, as)
  })
  for (const [{ title, as, method, spell }, exchange] of trials) {
    const { status } = exchange.reply
    if (method !== undefined || spell) {
      // HEAD has no body.
      verdict(run, exchange, 'ignored_auth', status >= 300, 'a refusal', { title })
      continue
    }
    const passes = isRefusal(run, exchange)
    // A refusal may be a redirect to a sign-in page.
    if (status >= (passes ? 400 : 300)) conforms(run, exchange, { title })
    verdict(run, exchange, 'ignored_auth', passes, '401 or 403', { title })
    if (passes && as === 'nobody' && (status === 401 || status === 403)) {
      run.answers.add('auth.unauthenticated', String(status), `${operation.id} without a token`)
    }
  }
}

/** The path with its first letter encoded. */
const encoded = (target: string) => target.replace(/^\/(\w)/, (_, letter) => `/%${letter.charCodeAt(0).toString(16)}`)

/** The description gives no status for a missing token: 401, 403, one used elsewhere, or a 422 about the header. */
function isRefusal(run: Run, exchange: Exchange): boolean {
  const { status } = exchange.reply
  if (status === 401 || status === 403 || run.refusals.has(status)) return true
  return status === 422 && locsOf(exchange).some(([part]) => part === 'header')
}

/** Section 5.2: paths that are for administrators. */
const adminPath = '/admin/'

/** Section 5.2. The roles of an operation are left open, so only what no choice of auth.roles allows is a finding. */
export async function roles(run: Run, rows: KnownRows, operations: Operation[]): Promise<void> {
  const roleOf = ({ reply }: Exchange) => (isObject(reply.body) ? reply.body.role : undefined)
  const mine = roleOf(await run.ask(run.api.caller, {}))
  const theirs = await run.ask(run.api.caller, {}, 'user')
  const role = roleOf(theirs)
  if (theirs.reply.status >= 300 || typeof role !== 'string') {
    const why = `the second user has no role (${run.redaction.reply(theirs.reply)})`
    for (const { id } of operations) run.results.couldNot(id, 'refused to other users', why)
    return
  }
  const isOther = role !== mine || !/admin|owner|super/i.test(role)
  const expected = 'a role that is not that of an administrator'
  verdict(run, theirs, 'admin_only', isOther, expected, { title: "the second user's role" })
  const results: { operation: Operation; exchange: Exchange; isDenied: boolean }[] = []
  for (const operation of operations.filter(({ path }) => path.includes(adminPath))) {
    let exchange = await run.exactly(operation.id, brokenInput(operation), 'user')
    // It is hidden from this user. Users who may call it get a 422.
    const isHidden = exchange.reply.status === 404
    // A server may check the input before the role.
    if (exchange.reply.status === 422) exchange = await run.ask(operation.id, harmless(run, rows, operation), 'user')
    const { status } = exchange.reply
    // Some servers hide operations that the user may not call.
    const isAbsent = status === 404 && operation.isReading && !operation.path.includes('{')
    const isDenied = isHidden || status === 401 || status === 403 || isAbsent
    if (isDenied || conforms(run, exchange, { title: 'as a basic user' }, 'missing')) {
      results.push({ operation, exchange, isDenied })
    }
  }
  const contract = run.readings.first
  const refuses = (choice: string, { access }: Operation) =>
    contract.access[access[choice] ?? 'anyone']?.roles?.includes(run.api.userRole) === false
  const deviating = (choice: string) =>
    results.filter(({ operation, isDenied }) => refuses(choice, operation) !== isDenied).length
  // A curator may be an administrator.
  const isOff = run.settings.isMock || run.readings.choices['auth.roles'] === 'off' || /curator/i.test(role)
  const choices = ['paths', 'admins', 'matrix', ...(isOff ? ['off'] : [])]
  const [nearest, next] = choices.sort((a, b) => deviating(a) - deviating(b)) as [string, string]
  // Calls of a basic user cannot tell choices apart that differ only for curators.
  if (results.length > 1 && deviating(nearest) < deviating(next)) {
    run.answers.add('auth.roles', nearest, 'what a basic user may call')
  }
  for (const { operation, exchange, isDenied } of results) {
    verdict(run, exchange, 'admin_only', !refuses(nearest, operation) || isDenied, '403', { title: 'as a basic user' })
    if (!isDenied || operation.method !== 'GET') continue
    const call = callOf(operation, run.needs.complete(operation, harmless(run, rows, operation)))
    const spellings = { 'a letter of the path encoded': '/%61dmin/', 'two slashes': '//admin/' }
    for (const [how, part] of Object.entries(spellings)) {
      const spelled = await run.send({ ...call, target: call.target.replace(adminPath, part) }, 'user')
      const title = `as a basic user, with ${how}`
      verdict(run, spelled, 'admin_only', spelled.reply.status >= 300, '403, or 404', { title })
    }
  }
}

/** An input that is rejected with 422 for every user, so that nothing is changed. */
function brokenInput({ input, examples }: Operation): Input {
  const example = Object.values(examples)[0] ?? {}
  const path = Object.fromEntries(Object.keys(example.path ?? {}).map((name) => [name, 'none']))
  return { path, body: input.body && 'none' }
}

/** An input with missing rows, or one that creates nothing. */
function harmless(run: Run, rows: KnownRows, operation: Operation): Input {
  const { harmless: input } = run.api.operations[operation.id] ?? {}
  if (input) return input
  const example = rows.exampleOf(operation, !operation.isReading)
  if (operation.isReading) return example
  const path = Object.fromEntries(Object.keys(example.path ?? {}).map((name) => [name, unknownNumber]))
  return { ...example, path, body: unknownBody(run, operation) ?? example.body }
}
