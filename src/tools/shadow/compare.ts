import { isObject, type Json, type JsonObject } from '../../engine/contract/load.js'

/** What two answers differ in. Only the first four can be wrong: the contract allows the others, whatever a mock does. */
export type Kind = 'status' | 'value' | 'missing' | 'extra' | 'form' | 'absent' | 'order' | 'refusal'

export interface Difference {
  kind: Kind
  /** The place in the body, with [] for any place of a list. */
  path: string
  service: Json | undefined
  mock: Json | undefined
  /** The nearest row that it is in, as the service shows it, and its id. */
  row?: JsonObject | undefined
  rowId?: Json | undefined
  /** The field of that row. */
  field?: string
  /** Whether the list has other rows in place of it, as another page has. */
  isShifted?: boolean
  /** Whether the list has a round number of rows, as one that is limited. */
  mayBeLimited?: boolean
}

export interface Answered {
  status: number
  body: Json | undefined
}

export interface CompareOptions {
  /** Whether an id, or another value that a call makes, is new to both. */
  isNew: (service: Json, mock: Json, field: string) => boolean
  /** Whether a row of this form has a field that the contract shows. */
  hasField: (row: JsonObject, field: string) => boolean
  /** Milliseconds since 1970. */
  now: number
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d/
/** Fields that name a row in a list. */
const idName = /^id$|_id$|^(key|slug|source)$/
/** Times of the call itself are not compared. Clocks may be this far apart. */
const near = 36 * 60 * 60 * 1000

/** What an answer of the service has that the mock's has not. */
export function compare(service: Answered, mock: Answered, options: CompareOptions): Difference[] {
  const isRight = (it: Answered) => it.status < 300
  const statuses = { path: '', service: service.status, mock: mock.status }
  if (isRight(service) && isRight(mock)) {
    const all = [...inValues(service.body, mock.body, { path: '', row: undefined, field: '' }, options)]
    // What else a refusal says is up to a service.
    return isUnsuccessful(service) && isUnsuccessful(mock) ? all.map((it) => ({ ...it, kind: 'form' })) : all
  }
  const areRefusals = [service, mock].every((it) => !isRight(it) || isUnsuccessful(it))
  if (areRefusals) return service.status === mock.status ? [] : [{ kind: 'refusal', ...statuses }]
  return [{ kind: 'status', ...statuses }]
}

/** Whether a body says that a call was refused. */
const isUnsuccessful = ({ body }: Answered) => isObject(body) && body.success === false

interface Place {
  path: string
  row: JsonObject | undefined
  rowId?: Json | undefined
  field: string
}

function* inValues(
  service: Json | undefined,
  mock: Json | undefined,
  at: Place,
  options: CompareOptions
): Iterable<Difference> {
  const difference = (kind: Kind): Difference => ({ kind, ...at, service, mock })
  // Which empty values are null is a question of the contract, and so is what may be left out.
  if (mock === undefined || mock === null) {
    if (service !== undefined && service !== null && mock === null) yield difference(service === '' ? 'form' : 'value')
  } else if (service === undefined && !(at.row && options.hasField(at.row, at.field))) yield difference('absent')
  else if (service === undefined || service === null) yield difference('value')
  else if (Array.isArray(mock) && Array.isArray(service)) yield* inLists(service, mock, at, options)
  else if (isObject(mock) && isObject(service)) {
    const { id } = mock
    const isMade = id !== undefined && service.id !== undefined && options.isNew(service.id as Json, id, 'id')
    const [row, rowId] = id !== undefined ? [service, isMade ? service.id : id] : [at.row, at.rowId]
    const rest = 'id' in mock ? Object.keys(service).filter((it) => !(it in mock) && options.hasField(service, it)) : []
    for (const name of [...Object.keys(mock), ...rest]) {
      const path = at.path === '' ? name : `${at.path}.${name}`
      yield* inValues(service[name], mock[name] ?? null, { path, row, rowId, field: name }, options)
    }
  } else if (typeof mock !== typeof service || isObject(mock) !== isObject(service)) yield difference('form')
  else if (mock !== service && !options.isNew(service, mock, at.field)) {
    if (typeof mock === 'string' && typeof service === 'string') yield* inTexts(service, mock, difference, options)
    else yield difference('value')
  }
}

function* inTexts(
  service: string,
  mock: string,
  difference: (kind: Kind) => Difference,
  { now }: CompareOptions
): Iterable<Difference> {
  if (time.test(service) && time.test(mock)) {
    const [first, second] = [momentOf(service), momentOf(mock)]
    const isOfCall = Math.abs(first - now) < near && Math.abs(second - now) < near
    if (Math.abs(first - second) >= 1000 && !isOfCall) yield difference('value')
    else if (zoneOf(service) !== zoneOf(mock)) yield difference('form')
    // How a secret is hidden is up to a service.
  } else if (!isMask(service) || !isMask(mock)) yield difference('value')
}

const isMask = (text: string) => !/[\p{L}\p{N}]/u.test(text) || /[•*]{4}|^\S{4}\.\.\.\S{4}$/.test(text)
const zoneOf = (text: string) => /(Z)$|([+-])\d\d:?\d\d$/.exec(text)?.slice(1).find(Boolean) ?? ''
/** A time without a zone is one of UTC. */
const momentOf = (text: string) => Date.parse(zoneOf(text) === '' ? `${text}Z` : text)

function* inLists(service: Json[], mock: Json[], at: Place, options: CompareOptions): Iterable<Difference> {
  const all = [...service, ...mock]
  const path = `${at.path}[]`
  const key = all.every(isObject) ? keyIn(all) : undefined
  // How rows are grouped is up to a service, and so are the titles of groups.
  const names = new Set(all.flatMap((it) => (isObject(it) ? Object.keys(it).filter((at) => isRows(it[at])) : [])))
  if (key === undefined && names.size > 0) {
    for (const name of names) {
      const inGroups = (groups: Json[]) => (groups as JsonObject[]).flatMap((it) => it[name] ?? [])
      yield* inLists(inGroups(service), inGroups(mock), { ...at, path: `${path}.${name}`, field: name }, options)
    }
    return
  }
  const idOf = (it: Json) => (key === undefined ? it : ((it as JsonObject)[key] as Json))
  const keyOf = (it: Json) => JSON.stringify(idOf(it)).toLowerCase()
  const ours = new Map(mock.map((it) => [keyOf(it), it]))
  const theirs = new Map(service.map((it) => [keyOf(it), it]))
  const placeOf = (it: Json): Place => (isObject(it) ? { ...at, path, row: it, rowId: idOf(it) } : { ...at, path })
  for (const [name, it] of theirs) {
    const other = ours.get(name)
    if (other !== undefined) yield* inValues(it, other, placeOf(it), options)
  }
  const only = (of: Map<string, Json>, others: Map<string, Json>) =>
    [...of].flatMap(([name, it]) => (others.has(name) ? [] : [it]))
  const [extra, missing] = [only(theirs, ours), only(ours, theirs)]
  const isShifted = extra.length > 0 && missing.length > 0
  const mayBeLimited = extra.length === 0 && service.length > 0 && service.length % 10 === 0
  for (const it of extra) yield { kind: 'extra', ...placeOf(it), isShifted, service: it, mock: undefined }
  for (const it of missing)
    yield { kind: 'missing', ...placeOf(it), isShifted, mayBeLimited, service: undefined, mock: it }
  if (service.length > theirs.size && mock.length === ours.size) {
    const twice = service.find((it, n) => service.findIndex((other) => keyOf(other) === keyOf(it)) < n) as Json
    yield { kind: 'extra', ...placeOf(twice), path: `${path} twice`, service: twice, mock: undefined }
  }
  const common = (of: Map<string, Json>, others: Map<string, Json>) => [...of.keys()].filter((it) => others.has(it))
  if (common(ours, theirs).join() !== common(theirs, ours).join()) yield { kind: 'order', ...at, service, mock }
}

const isRows = (value: Json | undefined) => Array.isArray(value) && value.some(isObject)

/** The field that names each of these rows. */
function keyIn(rows: JsonObject[]): string | undefined {
  const names = Object.keys(rows[0] ?? {}).filter((it) => idName.test(it))
  return names
    .sort((a, b) => Number(b === 'id') - Number(a === 'id'))
    .find((name) => rows.every((it) => ['string', 'number'].includes(typeof it[name])))
}

/** The contract allows both answers. */
export const isSoft = ({ kind }: Difference) => ['form', 'absent', 'order', 'refusal'].includes(kind)
export const weightOf = (all: Difference[]) =>
  all.reduce((sum, it) => sum + (it.kind === 'status' ? 1000 : isSoft(it) ? 1 : 10), 0)

/** Whether the service lets a caller in whom the mock refuses. */
export const isOfAccess = ({ kind, service, mock }: Difference) =>
  kind === 'status' && (service as number) < 300 && [401, 403].includes(mock as number)

/** A row of the path may be gone because another client has deleted it. */
export const hasVanished = ({ service, mock }: Difference) =>
  (mock as number) < 300 && [404, 403, 410].includes(service as number)

export const isOfRows = ({ kind }: Difference) => kind === 'missing' || kind === 'extra'

/** Whether a text is the beginning of the mock's. */
export const isCut = ({ service, mock }: Difference) =>
  typeof service === 'string' && service !== '' && typeof mock === 'string' && mock.startsWith(service)
