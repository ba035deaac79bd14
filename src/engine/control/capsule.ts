import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Contract } from '../contract/contract.js'
import { isJsonType } from '../contract/json.js'
import { isObject, type Json, type JsonObject } from '../contract/load.js'
import { isPkcs12, type UploadedFile } from '../contract/message/body.js'
import { blank, blanked, createRowRedaction, type Redaction, withoutSecrets } from '../contract/message/redaction.js'
import { Refusal } from '../contract/message/refusal.js'
import type { CollectionRow, Operation } from '../contract/model.js'
import type { Expectation, Operations, Scenario, ScenarioStep } from '../contract/types.gen.js'
import { type Journal, numberOf } from '../journal/journal.js'
import { redactBody, redactHeader, redactUrl } from '../journal/redact.js'
import {
  type AnyCall,
  type Gaps,
  isCall,
  type Origin,
  type RecordedCall,
  type RecordedControlCall,
  type Stage
} from '../sandbox/calls.js'
import { Clock, timestamp } from '../sandbox/clock.js'
import type { Steps } from '../store/steps.js'
import type { ControlContext } from './rule.js'
import { callsByBody } from './scenarios/check-scenario.js'
import { canBeSent, requestOfCall } from './scenarios/request.js'
import { readState } from './state/whole-state.js'

/**
 * A scenario that leads from the start of a sandbox to now, or to an exchange. Changes made meanwhile are not in it. A loaded
 * state is a start in between.
 */
export function* readCapsule(
  { query: { uploads = 'digest', exchange } }: Operations['getCapsule']['input'],
  context: ControlContext
): Steps<Scenario> {
  const { sandbox, contract } = context
  const { clock, journal } = sandbox
  const { gaps, stages: allStages } = sandbox.calls
  const [now, speed] = [clock.now, clock.speed]
  const stages = exchange === undefined ? allStages : [stageOf(exchange, allStages, sandbox)]
  const [{ origin: first }] = stages as [Stage]
  const described = descriptionOf(sandbox.name, now, gaps)
  const steps: ScenarioStep[] = []
  /** The time on the clock when the steps are played again; undefined: unknown. */
  let shown: number | undefined
  const telling = { contract, journal, isWhole: uploads === 'whole' }
  for (const { origin, calls } of stages) {
    if (origin !== first) steps.push(...startAgain(origin, context))
    steps.push(...(yield* stepsTo(origin, context)))
    shown = origin.now
    for (const [index, call] of calls.entries()) {
      const step = isCall(call) ? callStep(call, telling) : controlStep(call, contract)
      if (index % stepsInTurn === 0) yield
      if (!step) continue
      steps.push(call.now === shown ? step : { at: timestamp(call.now), ...step })
      shown = isCall(call) || !movesClock.has(call.control) ? call.now : undefined
    }
  }
  if (exchange === undefined && (speed !== 0 || shown !== now)) steps.push({ clock: { now: timestamp(now), speed } })
  return {
    name: `capsule-${sandbox.name}`.slice(0, 64),
    description: described,
    start: startOf(first, context),
    steps
  }
}

/** The calls that led to an exchange, and that exchange if its request is kept. Throws a Refusal if they are not. */
function stageOf(id: string, stages: readonly Stage[], { journal }: ControlContext['sandbox']): Stage {
  const number = numberOf(id) as number
  const stage = stages.findLast(({ origin }) => origin.position < number)
  if (!stage || number > journal.position) {
    const first = (stages[0] as Stage).origin.position + 1
    const advice =
      first > journal.position ? 'No exchange has a capsule now.' : `Give one from r${first} to r${journal.position}.`
    throw new Refusal(stage ? 'unknown-moment' : 'forgotten-moment', { id, known: advice })
  }
  const isLater = (call: AnyCall, than: number) => isCall(call) && (numberOf(call.request ?? '') ?? 0) > than
  const at = stage.calls.findIndex((call) => isLater(call, number - 1))
  if (at < 0) return stage
  const isIts = !isLater(stage.calls[at] as AnyCall, number)
  return { ...stage, calls: stage.calls.slice(0, isIts ? at + 1 : at) }
}

const stepsInTurn = 20
const movesClock = new Set(['setClock', 'restoreSnapshot'])

/** The steps that restart a scenario in the middle, as its start does at the beginning. */
function startAgain(origin: Origin, context: ControlContext): ScenarioStep[] {
  const { profile, assume, ...body } = startOf(origin, context)
  const choices = Object.fromEntries(context.ledger().map(({ id }) => [id, profile as string]))
  return [
    { control: { operation: 'resetSandbox', query: { keep_journal: true }, body }, note: 'The state was put in here.' },
    { assume: { ...choices, ...assume } }
  ]
}

function startOf({ recipe, now, choices, chance }: Origin, { ledger }: ControlContext): NonNullable<Scenario['start']> {
  const changed = ledger().filter((entry) => choices[entry.id] !== entry.default)
  const moment = timestamp(now)
  const start = recipe
    ? { fixtures: recipe.fixtures, seed: recipe.seed, scale: recipe.scale, now: moment }
    : { fixtures: 'empty', seed: chance.seed, now: moment, counts: chance.counts }
  return {
    ...start,
    ...(recipe && recipe.dated !== now && { dated: timestamp(recipe.dated) }),
    profile: 'documented',
    assume: Object.fromEntries(changed.map(({ id }) => [id, choices[id] as string]))
  }
}

/** The steps from the start to the origin, for what a start cannot express. */
function* stepsTo({ recipe, fixtures, rows, ids, now, choices, overrides }: Origin, context: ControlContext) {
  const steps: ScenarioStep[] = []
  if (!recipe) {
    const sandbox = { fixtures, rows, ids, choices, clock: new Clock({ now, speed: 0 }) }
    const at = { ...context, contract: context.contract, sandbox, hidesSecrets: true } as ControlContext
    const body = yield* readState({ query: {} }, at)
    steps.push({ control: { operation: 'replaceState', body }, note: 'The state that what follows begins with.' })
  }
  if (overrides.length > 0)
    steps.push({
      control: { operation: 'replaceOverrides', body: { overrides: withoutSecrets(context.contract, overrides) } }
    })
  return steps
}

function descriptionOf(name: string, now: number, { cut, forgotten, unread, overlapped }: Gaps): string {
  return [
    `What happened in the sandbox ${name} until ${timestamp(now)}.`,
    cut > 0 && `It is cut: the first ${cut} changes are left out, and it begins with the state after them.`,
    forgotten > 0 && `Of the requests that changed nothing, ${forgotten} are left out.`,
    unread > 0 && `Left out are ${unread} requests that were not read to their end, or left before their answer.`,
    overlapped > 0 && `${overlapped} requests waited while others were answered: overrides may fall on others of them.`
  ]
    .filter((sentence) => sentence !== false)
    .join(' ')
}

function controlStep({ control, path, query, body: sentBody }: RecordedControlCall, contract: Contract): ScenarioStep {
  const body = shown(contract, path.collection, sentBody) as never
  const { trait, count } = query
  const [action] = Object.entries(callsByBody).find(([, id]) => id === control) ?? []
  if (action !== undefined) return { [action]: body }
  switch (control) {
    case 'addRow': {
      const part = Object.keys(body).length > 0 && { part: body }
      const how = { ...(trait !== undefined && { trait }), ...(count !== undefined && { count }) }
      return { create: { collection: path.collection, ...part, ...how } as never }
    }
    case 'moveRow':
      return { lifecycle: { ...(path as { collection: string; id: string }), ...(body as { to: string }) } }
    case 'takeSnapshot':
      if (sentBody === undefined) return { snapshot: { name: path.name as string } }
  }
  const parts = Object.entries({ path, query }).filter(([, part]) => Object.keys(part).length > 0)
  return { control: { operation: control, ...Object.fromEntries(parts), ...(sentBody !== undefined && { body }) } }
}

/** A body without secrets: that of a row, or an override's, whose answers and conditions may have any. */
function shown(contract: Contract, collection: unknown, body: unknown): unknown {
  const row = contract.collections.get(String(collection))
  if (!row || !isObject(body as Json)) return withoutSecrets(contract, body ?? {})
  return createRowRedaction(contract.documents, row as CollectionRow)(body as JsonObject)
}

/** A file that was too large to keep its bytes. */
type FileHead = Pick<UploadedFile, 'sentName' | 'type'> & { size: number }

/** The fields of a form as a step sends them, without secrets. */
function shownFields(
  fields: Record<string, unknown>,
  redaction: Redaction | undefined,
  isWhole: boolean
): Record<string, unknown> {
  const hides = redaction?.takesSecrets === true
  const shown = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => shown(name, item))
    if (typeof value === 'object' && value !== null)
      return { 'x-file': shownFile(value as UploadedFile, hides, isWhole) }
    if (!hides) return Object.values(redactBody({ [name]: value }) as object)[0]
    const [safe] = Object.values(redaction.request({ [name]: value }) as object)
    return safe === value ? value : standIn(String(value))
  }
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shown(name, value)]))
}

function shownFile(file: UploadedFile | FileHead, hides: boolean, isWhole: boolean): object {
  const { sentName: name, type } = file
  if (!('bytes' in file)) return { name, type, size: file.size }
  const bytes = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength)
  if (hides) return { name, type, ...(isPkcs12(bytes) ? { base64: emptyKey } : { text: blanked }) }
  // The answer to a zip depends on its contents.
  if (!isWhole && !file.entries) {
    return { name, type, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  }
  return { name, type, ...(isUtf8(bytes) ? { text: bytes.toString() } : { base64: bytes.toString('base64') }) }
}

/** The beginning of a PFX structure, without a key in it. */
const emptyKey = Buffer.from([0x30, 8, 2, 1, 3, 0x30, 3, 6, 1, 0]).toString('base64')

/** Replaces a secret text, by JSON if the text is JSON. */
function standIn(text: string): string {
  try {
    return JSON.stringify(blank(JSON.parse(text)))
  } catch {
    return blanked
  }
}

type Call = NonNullable<ScenarioStep['call']>

interface CallTexts {
  contract: Contract
  journal: Journal
  /** Whether uploads are included in full; otherwise only size and digest. */
  isWhole: boolean
}

/** A request as a step, without secrets; undefined: no client could send it again. */
function callStep(recorded: RecordedCall, { contract, journal, isWhole }: CallTexts): ScenarioStep | undefined {
  const operation = recorded.operation === undefined ? undefined : contract.operations.get(recorded.operation)
  const redaction = operation && contract.redactionOf(operation)
  const address = addressOf(contract, operation, recorded)
  if (!address) return undefined
  const { user, request } = recorded
  const { headers, ...body } = bodyOf(recorded, redaction, isWhole)
  const call: Call = {
    ...address,
    ...(user !== (contract.api.users.common[0] ?? 'admin') && { user }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...body,
    expect: expectationOf(recorded, journal, redaction?.takesSecrets ?? false)
  }
  return { call, ...(request !== undefined && { note: request }) }
}

/** Its address: by operation, if that is complete. */
function addressOf(
  contract: Contract,
  operation: Operation | undefined,
  recorded: RecordedCall
): Partial<Call> | undefined {
  const { method } = recorded
  const url = redactUrl(recorded.target)
  const [path = '', search] = url.split(/\?(.*)/s, 2)
  // Clients resolve dots, and read two slashes as the start of a host.
  if (!path.startsWith('/') || path.startsWith('//') || /\\|\/(\.|%2e){1,2}(\/|$)/i.test(path)) return undefined
  if (!canBeSent(method) || recorded.target.includes('#')) return undefined
  if (operation?.method === method) {
    const isNumber = /^(0|[1-9]\d{0,14})$/
    const params = Object.entries(recorded.params).map(([name, it]) => [name, isNumber.test(it) ? Number(it) : it])
    const query = queryOf(search)
    const call = {
      operation: operation.id,
      ...(params.length > 0 && { path: Object.fromEntries(params) }),
      ...(search !== undefined && { query })
    }
    // A form needs its operation.
    if (operation.form || requestOfCall(contract, call).target === url) return call
  }
  return { method, url }
}

function queryOf(search = ''): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {}
  for (const [name, value] of new URLSearchParams(search)) {
    const before = query[name]
    query[name] = before === undefined ? value : [before, value].flat()
  }
  return query
}

function bodyOf(
  { method, headers: pairs, fields, text, form }: RecordedCall,
  redaction: Redaction | undefined,
  isWhole: boolean
): Pick<Call, 'body' | 'text'> & { headers: Record<string, string> } {
  const headers: Record<string, string> = {}
  for (let at = 0; at < pairs.length; at += 2) {
    const name = pairs[at] as string
    if (name !== 'content-type') headers[name] = redactHeader(name, pairs[at + 1] as string)
  }
  if (method === 'GET' || method === 'HEAD') return { headers }
  if (fields) return { headers, body: shownFields(fields, redaction, isWhole) }
  if (text === undefined) return { headers }
  const typeAt = pairs.indexOf('content-type')
  const type = typeAt < 0 ? '' : (pairs[typeAt + 1] as string)
  const hides = redaction?.takesSecrets === true
  if (form === 'json') {
    const value: unknown = JSON.parse(text)
    if (hides) return { headers, body: redaction.request(value) }
    // JSON has no minus zero, and no numbers beyond its range.
    if (isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value)) return { headers, body: redactBody(value) }
  }
  if (!isJsonType(type)) headers['content-type'] = type
  // A text that may contain secrets is replaced by one that is refused for the same reason.
  const hidden = form === 'malformed' ? '{' : blanked
  return { headers, text: hides ? hidden : (redactBody(text, type) as string) }
}

/** For longer answers, in characters of JSON, only the status is expected. */
const longest = 16 * 1024

function expectationOf(
  { method, status, request }: RecordedCall,
  journal: Journal,
  takesSecrets: boolean
): Expectation {
  // An answer to HEAD has no body. A 401 shows how the token was wrong, a 422 what was sent.
  if (status === 0 || status === 401 || method === 'HEAD' || request === undefined || (takesSecrets && status >= 400))
    return { status }
  const body = withoutBlanks(journal.find(request)?.response.body)
  return body === undefined || body === '' || JSON.stringify(body).length > longest ? { status } : { status, body }
}

/** The parts of an answer that are not secret; undefined: there are none. */
function withoutBlanks(value: unknown): unknown {
  if (typeof value === 'string') return value.includes(blanked) ? undefined : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map(withoutBlanks)
    return items.includes(undefined) ? undefined : items
  }
  const fields = Object.entries(value).map(([name, field]) => [name, withoutBlanks(field)])
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined))
}
