import { knowledgeChat } from '../../apis/knowledge-chat/api.js'
import { type Contract, createContract } from '../../engine/contract/contract.js'
import { choose, type Profile, pairsOf, profiles, readLedger } from '../../engine/contract/ledger.js'
import { isObject, type JsonObject } from '../../engine/contract/load.js'
import { isReading, type OpenApiDocument, type Operation } from '../../engine/contract/model.js'
import { checkNames } from '../../engine/contract/nearest.js'
import { operationsNamed } from '../../engine/contract/openapi/named.js'
import { readUuid } from '../../engine/contract/pydantic/scalars.js'
import { checkFields } from '../../engine/contract/validation/field-choices.js'
import { Client, type Exchange } from './calls/client.js'
import { Stopped } from './calls/patience.js'
import { isThisMock, mockTokens, reach } from './calls/reach.js'
import { callOf, type Input } from './calls/request.js'
import { generated, Random } from './inputs/generate.js'
import { judgeInput } from './inputs/inputs.js'
import { conforms, verdict } from './judge.js'
import { kindOfName, kinds, type RowIds, type RowKind, unknownNumber } from './kinds.js'
import { checkAnyReply } from './learn/any-reply.js'
import { Hints } from './learn/needs.js'
import { Readings } from './learn/readings.js'
import { access, unknownToken } from './phases/access.js'
import { inBatches } from './phases/batches.js'
import { documentOperations } from './phases/documents.js'
import { learnFields } from './phases/fields.js'
import { hostile } from './phases/hostile.js'
import { missing } from './phases/missing.js'
import { negative } from './phases/negative.js'
import { probe } from './phases/probes.js'
import { type Answer, type CheckResult, type Finding, type NotChecked, Results } from './results.js'
import { KnownRows, namesUnknown, unknownEmail } from './rows.js'
import { Run } from './run.js'
import { leaveOut, playEffects, playScenes } from './scenes/index.js'

/** Operations that create something each time. Operations that change rows are called by scenes. */
const making = new Set(['createChatSession', 'createCredential', 'uploadConnectorFiles', 'inviteUsers'])

/** Valid requests: the examples of the contract, and some that are generated from its schemas. */
async function positive(run: Run, rows: KnownRows, operation: Operation): Promise<void> {
  if (!isReading(operation) && !(run.settings.mutating && making.has(operation.id))) return
  const inputs = [...examplesOf(run, rows, operation), ...generatedInputs(run, rows, operation)]
  const judged = inputs.filter(([title, input]) => {
    if (!namesUnknown(input)) return true
    run.results.couldNot(operation.id, title, 'no row is known that it could name: give one with --known')
    return false
  })
  const asked = await inBatches(judged, 16, async ([, input]) => run.ask(operation.id, input))
  for (const [[title, input], exchange] of asked) {
    judgeInput(run, exchange, input, { title, ...mayRefuse(operation, input) })
  }
}

function examplesOf(run: Run, rows: KnownRows, { id }: Operation): [string, Input][] {
  return Object.entries(rows.examplesOf(run.operation(id))).flatMap(([name, example]) => {
    const input = rows.filled(example, false)
    // The session of this id may exist since an earlier run.
    const isIncognito = isObject(input.body) && 'incognito_session_id' in input.body
    const inputs = isIncognito ? [{ ...input, body: { incognito: true } }] : rows.ofEach(input)
    return inputs.map((it, index): [string, Input] => [`example ${name}${index > 0 ? ` of row ${index + 1}` : ''}`, it])
  })
}

function generatedInputs(run: Run, rows: KnownRows, operation: Operation): [string, Input][] {
  if (operation.form || (!operation.input.query && !operation.input.body)) return []
  if (operation.id === 'openUrls' || operation.id === 'validateTool' || operation.id === 'inviteUsers') return []
  const { path } = rows.filled(Object.values(rows.examplesOf(run.operation(operation.id)))[0] ?? {}, false)
  const { readings, random, settings } = run
  const inputs = generated(readings.contractOf(operation.id), run.operation(operation.id), random, settings.cases)
  return inputs.map((input, index) => [`generated ${index + 1}`, { ...rows.filled(input, false), path }])
}

/** Incognito sessions may be turned off, and another client may have deleted a row in the meantime. */
function mayRefuse({ id, refusals }: Operation, { path, body }: Input): { mayRefuse?: string } {
  if (path && refusals.missing) return { mayRefuse: 'missing' }
  return id === 'createChatSession' && isObject(body) && body.incognito === true ? { mayRefuse: 'incognito-off' } : {}
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Methods that a path does not have. Without `--mutating`, only GET. The named rows do not exist. */
async function wrongMethods(run: Run, rows: KnownRows, operation: Operation): Promise<void> {
  const served = [...run.readings.first.operations.values()].filter((it) => it.path === operation.path)
  if (served[0]?.id !== operation.id) return
  const wrong = methods.filter((method) => !served.some((it) => it.method === method))
  const { body: _body, ...input } = rows.filled(Object.values(rows.examplesOf(operation))[0] ?? {}, true)
  for (const method of wrong) {
    if (method !== 'GET' && !run.settings.mutating) {
      const why = 'only calls that change nothing are made: see --mutating'
      run.results.leftOut(operation.id, `the method ${method}`, why)
      continue
    }
    const { target, headers } = callOf(operation, input)
    const call = { operation, method, target, headers: { Accept: headers.Accept as string } }
    const exchange = await run.send(call)
    const { status } = exchange.reply
    const holds = (status >= 400 && status < 500) || status === 501
    const title = `${method} ${operation.path}`
    verdict(run, exchange, 'unsupported_method', holds, '405 with Allow, or another refusal', { title })
  }
}

/** The options of `verify`. Only `url` has no default. */
export interface VerifyOptions {
  /** The base address, such as http://127.0.0.1:4010. A path before /api is kept. */
  url: string
  /** An administrator's token. Default: admin for this mock. Required for other servers. */
  token?: string
  /**
   * The token of a second user who is not an administrator. Null: none, and checks with two users are left out.
   * Default: basic for this mock, in the sandbox of the token, otherwise null.
   */
  userToken?: string | null
  /** Headers for every request. Their values are secrets and are not shown. */
  headers?: { [name: string]: string }
  /** Globs of operation ids, such as `*Credential`. Default all. */
  operations?: string | readonly string[]
  /** Also makes calls that change something. Default false. */
  mutating?: boolean
  /** Rows to read, by kind: `{connector: [3]}`. */
  known?: RowIds
  /** Rows that may be changed or deleted, by kind. */
  disposable?: RowIds
  /** The seed of generated requests. Default 1. */
  seed?: number
  /** Generated requests per operation. Default 10. */
  cases?: number
  /** The initial choices, until the server shows others. Default documented. */
  profile?: Profile
  assume?: { [id: string]: string } | readonly string[]
  /** Milliseconds per request. Default 10000. */
  timeout?: number
  /** The highest number of connections. Default 8. */
  concurrency?: number
  /** The user's own documents (`--with`). */
  own?: readonly OpenApiDocument[]
  /** Called after every check. */
  onCheck?: (result: CheckResult) => void
}

const names: { [K in keyof VerifyOptions]-?: true } = {
  assume: true,
  cases: true,
  concurrency: true,
  disposable: true,
  headers: true,
  known: true,
  mutating: true,
  onCheck: true,
  operations: true,
  own: true,
  profile: true,
  seed: true,
  timeout: true,
  token: true,
  url: true,
  userToken: true
}

/** The result of a run. */
export interface VerifyResult {
  url: string
  /** Broken contracts, by operation. */
  findings: Finding[]
  /** Every check that was made, by operation. */
  checks: CheckResult[]
  /** The server's decisions on points that the description leaves open. Never findings. */
  answers: Answer[]
  /** The choices that make the mock act like the server, for `startMock({assume})`. */
  assume: { readonly [id: string]: string }
  notChecked: NotChecked[]
  /** The start of the run: ISO 8601, UTC. */
  startedAt: string
  /** Milliseconds spent in requests, by operation. */
  durations: { readonly [operation: string]: number }
  /** The number of chosen operations. */
  operations: number
  /** 0: all checks passed. 1: one failed. 2: it could not run, or too few checks ran. */
  exitCode: 0 | 1 | 2
  /** Why it could not run, in a sentence, with exit code 2. */
  problem?: string
}

/**
 * Tests a server against the contracts. Rejects with Unreachable if no server of this interface answers, and with an Error that
 * names the valid values if an option is wrong.
 */
export async function verify(options: VerifyOptions): Promise<VerifyResult> {
  checkNames(options, Object.keys(names))
  const startedAt = new Date().toISOString()
  const { url, mutating = false, seed = 1, cases = 10 } = options
  const headers = given(options.headers) as Record<string, string>
  const { profile = 'documented', assume = [], timeout = 10_000, concurrency = 8 } = options
  for (const [name, value] of Object.entries({ seed, cases, timeout, concurrency })) {
    if (!Number.isFinite(value)) throw new Error(`${name} is ${value}: give a number.`)
  }
  if (!profiles.includes(profile)) throw new Error(`profile is ${profile}: give one of ${profiles.join(', ')}.`)
  const ledger = readLedger()
  const readings = new Readings(ledger, choose(ledger, profile, pairsOf(assume)))
  const [known, disposable] = [given(options.known), given(options.disposable)]
  checkGiven(readings.first, { ...options, known, disposable })
  checkFields(readings.first.documents, readings.choices, knowledgeChat.examples.field)
  const { own = [] } = options
  const beside = createContract(readings.first.documents, readings.choices, own)
  const replaced = new Set(own.flatMap((it) => it.replaced))
  const globs = [options.operations ?? '*'].flat().flatMap((it) => it.split(','))
  const platform = operationsNamed(readings.first.operations.values(), globs).filter(({ id }) => !replaced.has(id))
  const ownRows = own.flatMap((it) => it.operations)
  const owned = operationsNamed(ownRows, globs)
  const operations = [...platform, ...owned]
  const results = new Results(new Set(operations.map(({ id }) => id)), options.onCheck ?? (() => undefined))
  const client = new Client({ url, headers, timeout, concurrency })
  let run: Run | undefined
  try {
    // If one does not answer, the next is asked. An operation that hangs is a finding of its checks.
    const doors = ['getUserRole', 'listChatSessions', 'listProjects'].map((id) => readings.operation(id))
    const isMock = await isThisMock(client, doors)
    const { token = isMock ? mockTokens.token : undefined } = options
    const [, ...sandbox] = token?.split('~') ?? []
    const usual = isMock ? [mockTokens.userToken, ...sandbox].join('~') : null
    const { userToken = usual } = options
    checkSandboxes(isMock, token, userToken, headers)
    const { role } = await reach(client, url, token, doors)
    const tokens = { token: token as string, userToken: userToken ?? undefined }
    const settings = { url, ...tokens, headers, mutating, seed, cases }
    run = new Run(client, readings, results, new Random(seed), settings, checkAnyReply)
    Object.assign(run, { isMock, isAdmin: /admin/i.test(role ?? '') })
    if (platform.length > 0) await checkAll(run, platform, known, disposable)
    await orTold(run, owned, 'requests', () => documentOperations(run as Run, beside, owned))
  } finally {
    client.close()
  }
  const useless = globs
    .filter((it) => operationsNamed(operations, it).length === 0)
    .map((it): NotChecked => ({ operation: it.trim(), subject: 'all', why: 'it is no operation', kind: 'impossible' }))
  const { silences, answers } = run
  const overloaded = silences.overloaded
  if (overloaded === undefined) results.believe()
  const isBroken = overloaded === undefined && results.findings.length > 0
  const problem = isBroken ? undefined : (overloaded ?? problemOf(run, globs.join(), operations))
  return {
    url,
    findings: sorted(results.findings, operations),
    checks: sorted(results.checks, operations),
    answers: answers.list(),
    assume: answers.choices(),
    notChecked: [...useless, ...sorted(results.notChecked, operations)],
    startedAt,
    durations: client.durations,
    operations: operations.length,
    exitCode: isBroken ? 1 : problem === undefined ? 0 : 2,
    ...(problem !== undefined && { problem })
  }
}

/** Why a run without findings shows nothing. */
function problemOf({ silences, results }: Run, globs: string, operations: Operation[]): string | undefined {
  if (operations.length === 0) return `"${globs}" matches no operation.`
  if (silences.gone !== undefined) return `${silences.gone}.`
  if (results.shortage !== undefined) return results.shortage
  if (results.checks.length > 0) return undefined
  return 'no check ran. Give --mutating to also make calls that change something.'
}

/** Two users of this mock in two sandboxes would each see only the rows of their own sandbox. */
function checkSandboxes(isMock: boolean, token = '', userToken: string | null, headers: object): void {
  const isNamed = Object.keys(headers).some((name) => name.toLowerCase() === 'x-mock-sandbox')
  if (!isMock || isNamed || userToken === null || userToken === '') return
  if (token.split('~')[1] === userToken.split('~')[1]) return
  throw new Error('token and userToken name different sandboxes: give both the same, such as admin~box and basic~box.')
}

async function checkAll(run: Run, operations: Operation[], known: RowIds, disposable: RowIds): Promise<void> {
  const { mutating, userToken } = run.settings
  const called = operations.filter((operation) => mutating || isReading(operation))
  leaveOut(run, operations)
  await orTold(run, operations, 'how it treats tokens', () => unknownToken(run))
  await orTold(run, operations, 'what the description leaves open', () => probe(run))
  await orTold(run, [], 'which fields it needs', () => learnFields(run, called))
  await orTold(run, [], 'its OpenAPI document', async () => {
    run.hints = await Hints.read(run)
  })
  const rows = await KnownRows.discover(run, known, disposable)
  await playEffects(run, rows)
  for (const operation of called) {
    for (const [subject, phase] of Object.entries({ positive, negative, hostile, access, missing })) {
      await orTold(run, [operation], `${subject} requests`, () => phase(run, rows, operation))
    }
  }
  for (const operation of operations) {
    await orTold(run, [operation], 'other methods', () => wrongMethods(run, rows, operation))
  }
  if (userToken !== undefined) await orTold(run, called, 'as a basic user', () => roles(run, rows, called))
  await playScenes(run, rows)
  await orTold(run, [], 'the end', () => run.cleanUp())
  const { times, waited } = run.patience
  const evidence = `${times} requests were told to wait, which took ${Math.ceil(waited / 1000)} s in all`
  if (times > 0) run.answers.add('limits.rate', 'limited', evidence)
}

/** Reports work that cannot continue, and goes to the next. */
async function orTold(run: Run, operations: Operation[], subject: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
    for (const { id } of operations) run.results.did(id)
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
    const why = error.message || 'a request of it was not answered'
    for (const { id } of operations) run.results.couldNot(id, subject, why, error.isLost)
  }
}

/** Without undefined values, which count as not given. */
function given<T extends object>(values: T | undefined): T {
  return Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => value !== undefined)) as T
}

function sorted<T extends { operation: string }>(items: T[], operations: Operation[]): T[] {
  const order = operations.map(({ id }) => id)
  return [...items].sort((a, b) => order.indexOf(a.operation) - order.indexOf(b.operation))
}

interface RoleAnswer {
  operation: Operation
  exchange: Exchange
  isDenied: boolean
}

/**
 * Section 5.2 and E29. The description does not give the roles of each operation, so only what no choice of auth.roles
 * allows is a finding.
 */
async function roles(run: Run, rows: KnownRows, operations: Operation[]): Promise<void> {
  const roleOf = ({ reply }: Exchange) => (reply.body as { role?: unknown } | undefined)?.role
  const mine = roleOf(await run.ask('getUserRole', {}))
  const theirs = await run.ask('getUserRole', {}, 'user')
  const role = roleOf(theirs)
  if (theirs.reply.status >= 300 || typeof role !== 'string') {
    const why = `the second user has no role (${run.redaction.reply(theirs.reply)})`
    for (const { id } of operations) run.results.couldNot(id, 'refused to other users', why)
    return
  }
  const isOther = role !== mine || !/admin|owner|super/i.test(role)
  const expected = 'the role of somebody who is no administrator, as the second user is said to be'
  verdict(run, theirs, 'admin_only', isOther, expected, { title: "the second user's role" })
  const asked: RoleAnswer[] = []
  for (const operation of operations.filter(({ path }) => path.includes('/admin/'))) {
    let exchange = await run.exactly(operation.id, brokenInput(operation), 'user')
    // It is hidden from this user. Users who may call it get a 422.
    const isHidden = exchange.reply.status === 404
    // A server may check the input before the role.
    if (exchange.reply.status === 422) exchange = await run.ask(operation.id, harmless(run, rows, operation), 'user')
    const isDenied = isHidden || isRefused(exchange)
    if (isDenied || conforms(run, exchange, { title: 'as a basic user' }, 'missing')) {
      asked.push({ operation, exchange, isDenied })
    }
  }
  const contract = run.readings.first
  const refuses = (choice: string, { access }: Operation) =>
    contract.access[access[choice] ?? 'anyone']?.roles?.includes('basic') === false
  const deviating = (choice: string) =>
    asked.filter(({ operation, isDenied }) => refuses(choice, operation) !== isDenied)
  // 5.2: paths with /admin/ are for administrators. A curator may be one.
  const isOff = run.isMock || run.readings.choices['auth.roles'] === 'off' || /curator/i.test(role)
  const choices = ['paths', 'admins', 'matrix', ...(isOff ? ['off'] : [])].sort(
    (a, b) => deviating(a).length - deviating(b).length
  )
  const [nearest, next] = choices as [string, string]
  // Calls of a basic user cannot tell choices apart that differ only for curators.
  const isClear = deviating(nearest).length < deviating(next).length
  if (asked.length > 1 && isClear) run.answers.add('auth.roles', nearest, 'what a basic user may call')
  for (const { operation, exchange, isDenied } of asked) {
    const holds = !refuses(nearest, operation) || isDenied
    verdict(run, exchange, 'admin_only', holds, '403', { title: 'as a basic user' })
    if (!isDenied || operation.method !== 'GET') continue
    const call = callOf(operation, run.needs.complete(operation, harmless(run, rows, operation)))
    const spellings = { 'a letter of the path encoded': '/%61dmin/', 'two slashes': '//admin/' }
    for (const [how, part] of Object.entries(spellings)) {
      const spelled = await run.send({ ...call, target: call.target.replace('/admin/', part) }, 'user')
      const title = `as a basic user, with ${how}`
      verdict(run, spelled, 'admin_only', spelled.reply.status >= 300, '403, or 404', { title })
    }
  }
}

function isRefused({ reply, call }: Exchange): boolean {
  if (reply.status === 403 || reply.status === 401) return true
  // Some servers hide operations that the user may not call.
  return reply.status === 404 && isReading(call.operation) && !call.operation.path.includes('{')
}

/** An input that is rejected with 422 for every user, so that nothing is changed. */
function brokenInput({ input, examples }: Operation) {
  const example = Object.values(examples)[0] ?? {}
  const path = Object.fromEntries(Object.keys(example.path ?? {}).map((name) => [name, 'none']))
  return input.body ? { path: input.path ? path : undefined, body: 'none' } : { path }
}

/** An input with missing rows, or one that creates nothing. */
function harmless(run: Run, rows: KnownRows, operation: Operation): Input {
  const example = rows.filled(Object.values(rows.examplesOf(operation))[0] ?? {}, true)
  if (operation.id === 'inviteUsers') return { body: { emails: [] } }
  if (isReading(operation)) return rows.filled(example, false)
  const unknown = Object.keys(example.path ?? {}).map((name): [string, number] => [name, unknownNumber])
  return operation.id === 'deleteUser'
    ? { body: { user_email: unknownEmail(run) } }
    : { ...example, path: Object.fromEntries(unknown) }
}

/** Throws an Error if an id does not fit its kind, or if both users have the same token. */
export function checkGiven(contract: Contract, { known = {}, disposable = {}, token, userToken }: VerifyOptions): void {
  for (const [name, given] of Object.entries({ known, disposable })) checkRows(contract, name, given)
  if (typeof userToken === 'string' && userToken === token) {
    throw new Error('userToken is the same as token: give the token of another user, or an empty one for none.')
  }
}

function checkRows(contract: Contract, name: string, given: RowIds): void {
  for (const [word, ids] of Object.entries(given)) {
    const kind = kinds.find((it) => it === word)
    if (!kind) throw new Error(`${name} has the kind "${word}": give one of ${kinds.join(', ')}.`)
    for (const id of ids) {
      const wanted = wantedOf(contract, kind, id)
      if (wanted) throw new Error(`${name} is "${kind}=${id}": the id of a ${kind} is ${wanted}.`)
    }
  }
}

/** The form of the kind's ids if this id does not have it. */
function wantedOf({ operations }: Contract, kind: RowKind, id: unknown): string | undefined {
  const fields = [...operations.values()].flatMap((it) =>
    Object.entries((it.input.path?.properties ?? {}) as JsonObject)
  )
  const { type, format } = (fields.find(([field]) => kindOfName[field] === kind)?.[1] ?? {}) as JsonObject
  if (type === 'integer') return Number.isSafeInteger(id) ? undefined : `an integer, such as ${kind}=7`
  if (format === 'uuid') {
    const isUuid = typeof id === 'string' && typeof readUuid(id) === 'string'
    return isUuid ? undefined : `a UUID, such as ${kind}=a87ff679-a2f3-471d-9181-a67b7542122c`
  }
  return typeof id === 'string' && /.@./.test(id) ? undefined : `an e-mail address, such as ${kind}=ann@example.com`
}
