import { type Contract, createContract } from '../../engine/contract/contract.js'
import { choose, type LedgerEntry, type Profile, pairsOf, profiles, readLedger } from '../../engine/contract/ledger.js'
import { isObject, type JsonObject, packageVersion } from '../../engine/contract/load.js'
import type { OpenApiDocument, Operation } from '../../engine/contract/model.js'
import { checkNames } from '../../engine/contract/nearest.js'
import { operationsNamed } from '../../engine/contract/openapi/named.js'
import { readUuid } from '../../engine/contract/pydantic/scalars.js'
import { checkFields } from '../../engine/contract/validation/field-choices.js'
import { groupBy } from '../texts.js'
import type { ApiTable, RowIds } from './api.js'
import { Bounds } from './calls/bounds.js'
import { type Asker, Client, isThisMock, type Reply, reach, type SentCall } from './calls/client.js'
import { Stopped } from './calls/patience.js'
import type { Call, Input } from './calls/request.js'
import { tokenBy } from './calls/tokens.js'
import type { Change } from './drift.js'
import { generated } from './inputs/generate.js'
import { judgeInput } from './inputs/inputs.js'
import { checkAnyReply, endOf } from './judge.js'
import { Readings } from './learn/readings.js'
import type { MadeRow, RowSource } from './made.js'
import { access, learnUnknownToken, roles } from './phases/access.js'
import { documentOperations } from './phases/documents.js'
import { learnFields } from './phases/fields.js'
import { hostile } from './phases/hostile.js'
import { missing, wrongMethods } from './phases/missing.js'
import { negative, type Restore } from './phases/negative.js'
import { readingPlay } from './plays/neighbours.js'
import { shownPlay } from './plays/shown.js'
import { harOf } from './report/har.js'
import { type Answer, type CheckResult, type Finding, type NotChecked, Results } from './results.js'
import { KnownRows, namesUnknown } from './rows.js'
import { answered, inBatches, Run } from './run.js'
import { type Play, playAll } from './scene.js'

/** One question to the server. Its reply shows a choice, or none. */
export interface Probe {
  /** The ledger's entry. */
  id: string
  evidence: string
  call: (run: Run) => Call
  as?: Asker
  read: (reply: Reply) => string | undefined
}

/** What an API hands to verify, in addition to its contract and ledger. */
export interface VerifiedApi extends ApiTable {
  /** Its document with its ledger and contract. Absent: the contracts of the package. */
  described?: { document: OpenApiDocument; ledger: readonly LedgerEntry[]; contract: Contract }
  /** Questions that one call without changes can answer. */
  probes: readonly Probe[]
  restoring: Restore
  /** Creates rows that may be changed. */
  prepare: (run: Run, rows: KnownRows) => Promise<void>
  plays: {
    /** What calls leave unchanged. Some faults show only once, so these come first. */
    effects: readonly Play[]
    /** What a second user may not do. */
    foreign: readonly Play[]
    /** All others. Plays that delete rows come last. */
    rules: readonly Play[]
  }
}

/** The options of `verify`. Only `url` has no default. */
export interface VerifyOptions<Kind extends string = string> {
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
  /** Rows to read, by kind. */
  known?: RowIds<Kind>
  /** Rows that may be changed or deleted, by kind. */
  disposable?: RowIds<Kind>
  /** The seed of generated requests. Default 1. */
  seed?: number
  /** Generated requests per operation. Below 10, fewer wrong values are sent, too. Default 10. */
  cases?: number
  /** The initial choices, until the server shows others. Default documented. */
  profile?: Profile
  assume?: { [id: string]: string } | readonly string[]
  /** Milliseconds per request. Default 10000. */
  timeout?: number
  /** The highest number of connections. Default 8. */
  concurrency?: number
  /** The user's own documents (`--with`). */
  documents?: readonly OpenApiDocument[]
  /** The highest number of calls that may change something, refused ones too. Clean-up does not count. Default: no limit. */
  maxWrites?: number
  /** Seconds until no more checks are made. Clean-up may take 5 seconds more. Default: no limit. */
  maxTime?: number
  /** Makes no more checks after the first finding. Default false. */
  failFast?: boolean
  /** Commands of a shell that print the tokens, at the start and after a 401. */
  tokenCommand?: string
  userTokenCommand?: string
  /** Creates and removes rows that the interface cannot create or remove. */
  rows?: RowSource
  /** Ends the run. Its rows are removed, and the exit code is 2. */
  signal?: AbortSignal
  /** Also returns all requests and replies, as an HTTP Archive. Default false. */
  har?: boolean
  /** Called after every check. */
  onCheck?: (result: CheckResult) => void
  /** Called with all created rows, whenever one is created or removed. */
  onMade?: (rows: readonly MadeRow[]) => void
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
  /** With `--learned`: the choices that are others than in earlier runs. */
  changes?: Change[]
  /** The rows that the run created, and whether they are still there. */
  made: MadeRow[]
  /** How many requests were sent again, because their connection ended without an answer, by operation. */
  resent?: { readonly [operation: string]: number }
  /** With `maxWrites: 0`: the calls that a run with more writes makes first, by operation. */
  withheld: { readonly [operation: string]: readonly string[] }
  /** With `har`: an HTTP Archive of the run, without its secrets. */
  har?: object
  /** The start of the run: ISO 8601, UTC. */
  startedAt: string
  /** Milliseconds spent in requests, by operation. */
  durations: { readonly [operation: string]: number }
  /** The number of chosen operations. */
  operations: number
  /** The questions that a document leaves open, for reports. */
  ledger?: readonly LedgerEntry[]
  /** 0: all checks passed. 1: one failed. 2: it could not run, or too few checks ran. */
  exitCode: 0 | 1 | 2
  /** Why it could not run, in a sentence, with exit code 2. */
  problem?: string
}

/**
 * Tests a server against the contracts. Rejects with Unreachable if no server of this interface answers, and with an Error that
 * names the valid values if an option is wrong.
 */
export async function verify(api: VerifiedApi, options: VerifyOptions): Promise<VerifyResult> {
  checkNames(options, ['url', ...optional, ...Object.keys(defaults)])
  const startedAt = new Date().toISOString()
  const all = { ...defaults, ...withValues(options) }
  const { url, profile, headers, mutating, seed, cases, timeout, concurrency, known, documents, ...rest } = all
  const { maxWrites, maxTime, tokenCommand, userTokenCommand, rows: source } = all
  for (const [name, value] of Object.entries({ seed, cases, timeout, concurrency, maxWrites, maxTime })) {
    if (typeof value !== 'number' || Number.isNaN(value)) throw new Error(`${name} is ${value}: give a number.`)
  }
  for (const [name, value, command] of [
    ['token', rest.token, tokenCommand],
    ['userToken', rest.userToken ?? undefined, userTokenCommand]
  ]) {
    if (value !== undefined && command !== undefined) throw new Error(`give ${name} or ${name}Command, not both.`)
  }
  if (source && typeof source.make !== 'function') throw new Error('rows has no function make: export make(kind).')
  if (!profiles.includes(profile)) throw new Error(`profile is ${profile}: give one of ${profiles.join(', ')}.`)
  const { described } = api
  const ledger = described?.ledger ?? readLedger()
  const readings = new Readings(ledger, choose(ledger, profile, pairsOf(rest.assume)), described?.contract)
  for (const [name, rows] of Object.entries({ known, disposable: rest.disposable }))
    checkRows(api, readings.first, name, rows)
  checkUsers(rest.token, rest.userToken)
  if (!described) checkFields(readings.first.documents, readings.choices, api.field)
  const globs = [rest.operations].flat().flatMap((it) => it.split(','))
  const replaced = new Set(documents.flatMap((it) => it.replaced))
  const contracted = [...readings.first.operations.values()]
  const served = contracted.filter(({ id, origin }) => !origin && !replaced.has(id))
  const platform = operationsNamed(served, globs)
  const own = described ? contracted.filter(({ origin }) => origin) : documents.flatMap((it) => it.operations)
  const documented = operationsNamed(own, globs)
  const operations = [...platform, ...documented]
  const bounds = new Bounds({ maxWrites, maxTime, signal: rest.signal })
  const onFinding = rest.failFast ? () => bounds.stop('there is a finding: see --fail-fast') : undefined
  const results = new Results(new Set(operations.map(({ id }) => id)), rest.onCheck, onFinding)
  const sent: SentCall[] = []
  const onSent = all.har ? (it: SentCall) => void sent.push(it) : undefined
  const client = new Client({ url, headers: withValues(headers), timeout, concurrency, bounds, onSent })
  let run: Run
  try {
    if (tokenCommand !== undefined) rest.token = await tokenBy(tokenCommand, '--token-command', bounds.signal)
    if (userTokenCommand !== undefined) {
      rest.userToken = await tokenBy(userTokenCommand, '--user-token-command', bounds.signal)
      checkUsers(rest.token, rest.userToken)
    }
    const entrances = api.entrances.map((id) => readings.operation(id))
    const isMock = await isThisMock(client, entrances)
    const { token = isMock ? api.tokens.admin : described ? '' : undefined } = rest
    const [, ...sandbox] = token?.split('~') ?? []
    const { userToken = isMock ? [api.tokens.user, ...sandbox].join('~') : null } = rest
    if (isMock) checkSandboxes(token, userToken, headers)
    const { body } = await reach(client, token, entrances, api.placed)
    const isAdmin = isObject(body) && typeof body.role === 'string' && /admin/i.test(body.role)
    const tokens = { token: token as string, userToken: userToken ?? undefined }
    const commands = { admin: tokenCommand, user: userTokenCommand }
    const allowed = mutating && maxWrites > 0 ? source : undefined
    const settings = { ...all, ...tokens, headers: withValues(headers), isMock, isAdmin, commands, source: allowed }
    run = new Run(api, client, readings, results, settings, checkAnyReply)
    try {
      const disposable = await withMade(run, api, rest.disposable)
      if (platform.length > 0) await checkAll(run, api, platform, known, disposable)
      const contract = described?.contract ?? createContract(readings.first.documents, readings.choices, documents)
      const isPlayed = ({ id, method }: Operation) =>
        !/GET|HEAD/.test(method) && api.plays.rules.some(({ operations }) => operations.includes(id))
      const single = described ? documented.filter((it) => !isPlayed(it)) : documented
      await orReported(run, single, 'requests', () => documentOperations(run, contract, single))
      if (described) await playScenes(run, await KnownRows.discover(run, known, disposable), api)
    } finally {
      await run.cleanUp()
    }
  } finally {
    client.close()
    bounds.close()
  }
  const withheld = groupBy(bounds.withheld, ({ operation }) => operation.id)
  for (const [id, { length }] of withheld) {
    results.leftOut(id, `${length} calls or more`, 'it changes something: see --max-writes')
  }
  const unmatched = globs
    .filter((it) => operationsNamed(operations, it).length === 0)
    .map(
      (it): NotChecked => ({ operation: it.trim(), subject: 'all', why: 'it is not an operation', kind: 'impossible' })
    )
  const { overloaded } = run.silences
  if (overloaded === undefined) results.countDoubtful()
  const isBroken = overloaded === undefined && results.findings.length > 0
  const problem = isBroken ? undefined : (bounds.problem ?? overloaded ?? problemOf(run, globs.join(), operations))
  return {
    url,
    findings: sorted(results.findings, operations),
    checks: sorted(results.checks, operations),
    answers: run.answers.list(),
    assume: run.answers.choices(),
    notChecked: [...unmatched, ...sorted(results.notChecked, operations)],
    made: run.made.list,
    resent: Object.fromEntries(
      groupBy(client.resent, ({ call }) => call.operation.id).map(([id, { length }]) => [id, length])
    ),
    ...(all.har && { har: harOf(sent, run.redaction, packageVersion()) }),
    withheld: Object.fromEntries(maxWrites === 0 ? withheld.map(([id, some]) => [id, some.map(lineOf)]) : []),
    startedAt,
    durations: client.durations,
    operations: operations.length,
    ...(described && { ledger }),
    exitCode: isBroken ? 1 : problem === undefined ? 0 : 2,
    ...(problem !== undefined && { problem })
  }
}

/** Options that may be left out. */
const optional = ['token', 'userToken', 'tokenCommand', 'userTokenCommand', 'rows', 'signal'] as const

const defaults = {
  headers: {},
  operations: '*',
  mutating: false,
  known: {},
  disposable: {},
  seed: 1,
  cases: 10,
  profile: 'documented',
  assume: [],
  timeout: 10_000,
  concurrency: 8,
  documents: [],
  maxWrites: Infinity,
  maxTime: Infinity,
  failFast: false,
  har: false,
  onCheck: () => undefined,
  onMade: () => undefined
} satisfies { [K in Exclude<keyof VerifyOptions, 'url' | (typeof optional)[number]>]-?: VerifyOptions[K] }

/** Without undefined values, which count as not given. */
function withValues<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}

function sorted<T extends { operation: string }>(items: T[], operations: Operation[]): T[] {
  const order = operations.map(({ id }) => id)
  return [...items].sort((a, b) => order.indexOf(a.operation) - order.indexOf(b.operation))
}

/** Why a run without findings shows nothing. */
function problemOf(run: Run, globs: string, operations: Operation[]): string | undefined {
  const { silences, results, bounds, settings } = run
  if (operations.length === 0) return `"${globs}" matches no operation.`
  if (silences.gone !== undefined) return `${silences.gone}.`
  if (results.shortage !== undefined) return results.shortage
  if (results.checks.length > 0) return undefined
  if (bounds.over !== undefined) return `no check ran: ${bounds.over}.`
  if (settings.mutating) return 'no check ran: see what could not be checked.'
  return 'no check ran. Give --mutating to also make calls that change something.'
}

function lineOf({ method, target, body, parts }: Call): string {
  const text = parts
    ? parts.map(({ name, file, value }) => `${name}=${file?.name ?? value}`).join(', ')
    : `${body ?? ''}`
  return `${method} ${target} ${text.length > 200 ? `${text.slice(0, 200)}…` : text}`.trim()
}

function checkUsers(token: string | undefined, userToken: string | null | undefined): void {
  if (typeof userToken !== 'string' || userToken !== token) return
  throw new Error('userToken is the same as token: give the token of another user, or an empty one for none.')
}

/** The rows that may be changed, with those that the module of `--rows` creates for the chosen operations. */
async function withMade(run: Run, { kinds }: ApiTable, disposable: RowIds): Promise<RowIds> {
  const rows: RowIds = { ...disposable }
  const operations = [...run.readings.first.operations.values()].filter(({ id }) => run.results.isChosen(id))
  for (const [kind, { name, needed = 0, ...calls }] of Object.entries(kinds)) {
    const isNamed = operations.some(({ input: { path, body } }) =>
      [path, body].some((it) => isObject(it?.properties) && name in it.properties)
    )
    for (let count = 0; isNamed && count < needed; count++) {
      const id = await run.make(kind, calls).catch(stopped)
      if (id === undefined) break
      const form = wantedOf(run.readings.first, name, kind, id)
      if (form) run.bounds.fail(`make('${kind}') of the module of --rows returned ${JSON.stringify(id)}, not ${form}.`)
      rows[kind] = [...(rows[kind] ?? []), id]
    }
  }
  return rows
}

function stopped(error: unknown): undefined {
  if (!(error instanceof Stopped)) throw error
}

/** Two users of this mock in two sandboxes would each see only the rows of their own sandbox. */
function checkSandboxes(token = '', userToken: string | null, headers: object): void {
  const isNamed = Object.keys(headers).some((name) => name.toLowerCase() === 'x-mock-sandbox')
  if (isNamed || userToken === null || userToken === '' || token.split('~')[1] === userToken.split('~')[1]) return
  throw new Error('token and userToken name different sandboxes: give both the same, such as admin~box and basic~box.')
}

/** Throws an Error if a kind is unknown, or if an id does not fit its kind. */
function checkRows({ kinds }: ApiTable, contract: Contract, name: string, rows: RowIds): void {
  for (const [kind, ids = []] of Object.entries(rows)) {
    const { name: parameter } = (Object.hasOwn(kinds, kind) && kinds[kind]) || {}
    if (!parameter) {
      throw new Error(`${name} has the kind "${kind}": give one of ${Object.keys(kinds).join(', ')}.`)
    }
    if (!Array.isArray(ids)) throw new Error(`${name}.${kind} is ${JSON.stringify(ids)}: give a list of ids.`)
    for (const id of ids) {
      const form = wantedOf(contract, parameter, kind, id)
      if (form) throw new Error(`${name} is "${kind}=${id}": the id of a ${kind} is ${form}.`)
    }
  }
}

/** The form of a kind's ids if this id does not have it. */
function wantedOf({ operations }: Contract, name: string, kind: string, id: unknown): string | undefined {
  const parameters = [...operations.values()].map(
    (it) => (it.input.path?.properties ?? {}) as Record<string, JsonObject>
  )
  const { type, format } = parameters.find((it) => name in it)?.[name] ?? {}
  if (type === 'integer') return Number.isSafeInteger(id) ? undefined : `an integer, such as ${kind}=7`
  if (format === 'uuid') {
    const isUuid = typeof id === 'string' && typeof readUuid(id) === 'string'
    return isUuid ? undefined : `a UUID, such as ${kind}=a87ff679-a2f3-471d-9181-a67b7542122c`
  }
  return typeof id === 'string' && /.@./.test(id) ? undefined : `an e-mail address, such as ${kind}=ann@example.com`
}

async function checkAll(run: Run, api: VerifiedApi, operations: Operation[], known: RowIds, disposable: RowIds) {
  const { mutating, userToken } = run.settings
  const called = operations.filter((operation) => mutating || operation.isReading)
  for (const { id } of operations.filter((it) => !called.includes(it))) {
    run.results.leftOut(id, 'all calls', 'it changes something: see --mutating')
  }
  await orReported(run, operations, 'how it treats tokens', () => learnUnknownToken(run))
  await orReported(run, operations, 'what the description leaves open', async () => {
    // If two show the same point, the first one counts.
    for (const { id, evidence, call, as, read } of api.probes) {
      const reply = (await answered(() => run.send(call(run), as)))?.value.reply
      const choice = reply && reply.status < 500 ? read(reply) : undefined
      if (choice !== undefined) run.answers.add(id, choice, evidence)
    }
  })
  await orReported(run, [], 'which fields it needs', () => learnFields(run, called))
  await orReported(run, [], 'its OpenAPI document', () => run.readHints())
  const rows = await KnownRows.discover(run, known, disposable)
  if (mutating) await orReported(run, [], 'rows of its own', () => api.prepare(run, rows))
  await playAll(run, rows, [readingPlay(api), ...api.plays.effects])
  for (const operation of called) {
    for (const [subject, phase] of Object.entries({ positive, negative, hostile, access, missing })) {
      await orReported(run, [operation], `${subject} requests`, () => phase(run, rows, operation, api.restoring))
    }
  }
  for (const operation of operations) {
    await orReported(run, [operation], 'other methods', () => wrongMethods(run, rows, operation))
  }
  if (userToken !== undefined) await orReported(run, called, 'as a basic user', () => roles(run, rows, called))
  await playScenes(run, rows, api)
  const { times, waited } = run.patience
  const evidence = `${times} requests had to wait, ${Math.ceil(waited / 1000)} s in total`
  if (times > 0) run.answers.add('limits.rate', 'limited', evidence)
}

async function playScenes(run: Run, rows: KnownRows, api: VerifiedApi): Promise<void> {
  const { foreign, rules } = api.plays
  const hasUser = run.settings.userToken !== undefined
  // The last plays delete rows, so other users' rows come first.
  await playAll(run, rows, [...(hasUser ? foreign : []), shownPlay(api), ...rules])
  for (const { title, operations } of hasUser ? [] : foreign) {
    for (const id of operations) run.results.leftOut(id, title, 'it takes a second user: see --user-token')
  }
}

/** Reports work that cannot continue, and goes to the next. */
async function orReported(run: Run, operations: Operation[], subject: string, work: () => Promise<void>) {
  try {
    await work()
    for (const { id } of operations) run.results.did(id)
  } catch (error) {
    const end = endOf(run, error)
    for (const { id } of operations) run.results.stopped(id, subject, end)
  }
}

/** Valid requests: the examples, and generated ones. Scenes make other changes, and create the rows that stay. */
async function positive(run: Run, rows: KnownRows, operation: Operation): Promise<void> {
  const { creates, mayRefuse } = run.api.operations[operation.id] ?? {}
  if (!operation.isReading && (!creates || run.isLasting(operation.id))) return
  const judged = [...examplesOf(run, rows, operation), ...generatedInputs(run, rows, operation)].filter(
    ([title, input]) => {
      if (!namesUnknown(input)) return true
      run.results.couldNot(operation.id, title, 'no row is known that it could name: give one with --known')
      return false
    }
  )
  const trials = await inBatches(judged, 16, async ([, input]) => run.ask(operation.id, input))
  for (const [[title, input], exchange] of trials) {
    // Another client may have deleted a row in the meantime.
    const reason = input.path && operation.refusals.missing ? 'missing' : mayRefuse?.(input)
    judgeInput(run, exchange, input, { title, mayRefuse: reason })
  }
}

function examplesOf(run: Run, rows: KnownRows, { id }: Operation): [string, Input][] {
  const { example: changed = (it: Input) => it } = run.api.operations[id] ?? {}
  return Object.entries(rows.examplesOf(run.operation(id))).flatMap(([name, example]) => {
    const inputs = rows.ofEach(changed(rows.filled(example, false)))
    return inputs.map((it, index): [string, Input] => [`example ${name}${index > 0 ? ` of row ${index + 1}` : ''}`, it])
  })
}

function generatedInputs(run: Run, rows: KnownRows, { id, form, input }: Operation): [string, Input][] {
  if (form || (!input.query && !input.body) || run.api.operations[id]?.isBound) return []
  const operation = run.operation(id)
  const { path } = rows.exampleOf(operation, false)
  // What is created has to be deleted again.
  const count = run.api.operations[id]?.creates ? run.settings.cases / 2 : run.settings.cases
  const inputs = generated(run.readings.contractOf(id), operation, run.random, Math.ceil(count))
  return inputs.map((it, index) => [`generated ${index + 1}`, { ...rows.filled(it, false), path }])
}
