import type { Contract } from '../../engine/contract/contract.js'
import { isTooDeep } from '../../engine/contract/json.js'
import { isObject, type Json, type JsonObject } from '../../engine/contract/load.js'
import { blanked } from '../../engine/contract/message/redaction.js'
import type { Operation } from '../../engine/contract/model.js'
import { inMap } from '../../engine/contract/once.js'
import { largest } from '../../engine/serve/body/copy.js'
import { keyIn } from '../../engine/serve/message/tokens.js'
import { jsonOf, textOf } from '../encoded.js'

/** One request with its answer, as it was sent. Names of headers are in lower case. */
export interface Traffic {
  method: string
  /** Path and query. */
  target: string
  headers: Record<string, string | undefined>
  body: string
  status: number
  text: string
  /** Milliseconds since 1970, by the service. */
  time: number
  /** The user, where an archive names one. */
  user?: string | undefined
  /** Whether it or another one that was answered at the same time changed something: their order is not known. */
  isMixed?: boolean
}

/** An exchange as its contract reads it. */
export interface Call {
  /** Names it in messages. */
  label: string
  number: number
  operation: Operation
  path: Record<string, string>
  query: URLSearchParams
  /** Empty if it is not a JSON object. */
  body: JsonObject
  status: number
  reply: Json | undefined
  time: number
  /** Who called: the token, or what else tells users apart. */
  caller: string
}

/** The call of an operation that the contract has. Undefined if there is none. */
export function callOf(contract: Contract, traffic: Traffic, number: number): Call | undefined {
  const { method, target, headers, status, time } = traffic
  const [pathname = '', search = ''] = target.split(/[?#](.*)/s)
  const match = contract.match(method, pathname)
  if (match.kind !== 'operation') return undefined
  const body = jsonIn(traffic.body)
  const { keys } = contract.api.document ?? {}
  const places = [headers.authorization, keys && keyIn(keys, headers, target), headers.cookie]
  const token = places.find((it) => it !== undefined && !it.includes(blanked))
  return {
    label: `exchange ${number}, ${method} ${pathname}`,
    number,
    operation: match.operation,
    path: match.params,
    query: new URLSearchParams(search),
    body: isObject(body) ? body : {},
    status,
    reply: jsonIn(traffic.text),
    time,
    caller: token?.replace(/^(bearer|token)\s+/i, '') ?? traffic.user ?? ''
  }
}

/** The value of a body. One that is nested too deeply is none. */
const jsonIn = (text: string): Json | undefined => (isTooDeep(text) ? undefined : jsonOf(text)?.value)

/**
 * The exchanges of an HTTP Archive with the wanted address, or else with the host that has most operations of the contract.
 * Throws an Error if there are none.
 */
export function readArchive(contract: Contract, archive: JsonObject, prefix?: string): Traffic[] {
  const entries = isObject(archive) && isObject(archive.log) ? archive.log.entries : undefined
  if (!Array.isArray(entries)) throw new Error('it is not an HTTP Archive: it has no log.entries')
  const hosts = new Map<string, { traffic: Traffic[]; count: number }>()
  const base = prefix?.endsWith('/') ? prefix.slice(0, -1) : prefix
  for (const entry of entries) {
    const url = isObject(entry) && isObject(entry.request) ? String(entry.request.url) : ''
    if (!URL.canParse(url)) continue
    const origin = base ?? new URL(url).origin
    const target = url.slice(origin.length)
    if (!url.startsWith(origin) || !/^([/?#]|$)/.test(target)) continue
    const host = inMap(hosts, origin, () => ({ traffic: [], count: 0 }))
    const traffic = trafficOf(entry as JsonObject, target.startsWith('/') ? target : `/${target}`)
    host.traffic.push(traffic)
    if (callOf(contract, { ...traffic, body: '', text: '' }, 0)) host.count++
  }
  const [best] = [...hosts.values()].sort((a, b) => b.count - a.count)
  if (best && best.count > 0) return best.traffic
  if (prefix !== undefined) throw new Error(`the archive has no operation of the contract below ${prefix}.`)
  const names = [...hosts.keys()].join(', ') || 'it has no host'
  throw new Error(
    `no host of the archive has an operation of the contract (${names}). If they are below a path, give it: --origin <url>.`
  )
}

function trafficOf(entry: JsonObject, target: string): Traffic {
  const [request, response] = [entry.request, entry.response].map(objectOf) as [JsonObject, JsonObject]
  const content = objectOf(response.content)
  const { text: sent } = objectOf(request.postData)
  const answered = headersIn(response)
  const text = typeof content.text === 'string' ? content.text : ''
  const isEncoded = content.encoding === 'base64'
  const bytes = Buffer.from(text, isEncoded ? 'base64' : 'utf8')
  // Most archives have bodies without their compression, and some as they were sent.
  const decoded = textOf(isEncoded ? answered['content-encoding'] : undefined, bytes, largest)
  return {
    method: String(request.method),
    target,
    headers: headersIn(request),
    body: typeof sent === 'string' ? sent : '',
    status: Number(response.status),
    text: typeof decoded === 'string' ? decoded : bytes.toString(),
    time: timeOf(Date.parse(String(entry._mockTime ?? entry.startedDateTime)), answered.date),
    user: typeof entry._user === 'string' ? entry._user : undefined
  }
}

/** The time of an exchange by the clock of the service, whose header has no milliseconds. */
export function timeOf(client: number, header: string | undefined): number {
  const isUsual = (it: number) => it >= 0 && it < 1e14
  const own = isUsual(client) ? client : 0
  const service = Date.parse(String(header))
  return isUsual(service) && Math.abs(own - service) > 2000 ? service + (own % 1000) : own
}

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

function headersIn({ headers }: JsonObject): Record<string, string | undefined> {
  const pairs = (Array.isArray(headers) ? headers : []).flatMap((it) =>
    isObject(it) ? [[String(it.name).toLowerCase(), String(it.value)]] : []
  )
  return Object.fromEntries(pairs)
}

/** Every text in a value, with the name of its field. Names of fields are not texts. */
export function* textsIn(value: unknown, field = ''): Iterable<[text: string, field: string]> {
  if (typeof value === 'string') yield [value, field]
  else if (Array.isArray(value)) for (const it of value) yield* textsIn(it, field)
  else if (isObject(value)) for (const [name, it] of Object.entries(value)) yield* textsIn(it, name)
}

/** A part of a value. */
export interface Part {
  value: Json
  /** The names that lead to it, with [] for any place of a list, and the last of them. */
  path: string
  field: string
  /** Whether it is in a list. */
  isItem: boolean
}

/** A value, and each part of it. */
export function* partsIn(value: Json | undefined, path = '', field = '', isItem = false): Iterable<Part> {
  if (value === undefined) return
  yield { value, path, field, isItem }
  if (Array.isArray(value)) for (const it of value) yield* partsIn(it, `${path}[]`, field, true)
  else if (isObject(value))
    for (const [name, it] of Object.entries(value)) yield* partsIn(it, path === '' ? name : `${path}.${name}`, name)
}

/** The objects in the lists of a reply. */
export const itemsIn = (reply: Json | undefined): JsonObject[] =>
  [...partsIn(reply)]
    .filter(({ isItem }) => isItem)
    .map(({ value }) => value)
    .filter(isObject)
