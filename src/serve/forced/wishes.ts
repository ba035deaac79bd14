import { type Documents, schemaOf } from '../../contract/load.js'
import { readQuery } from '../../contract/message/query.js'
import { Refusal } from '../../contract/message/refusal.js'
import { type DocumentedAnswer, outcomesOf } from '../../contract/outcomes.js'
import type { Fault } from '../../contract/types.gen.js'
import type { FoundExchange } from '../exchange.js'
import { readPrefer } from '../message/prefer.js'

/** What a request asks of its answer. */
export interface Wishes {
  outcome: DocumentedAnswer | undefined
  /** Milliseconds. */
  delay: number
  fault: Fault | undefined
  /** The value of Preference-Applied. */
  applied: string
}

export function faultNames(documents: Documents): readonly Fault[] {
  return schemaOf(documents, { $ref: 'control.json#/$defs/Fault' }).enum as Fault[]
}

const known = ['code', 'example', 'delay', 'fault'] as const

/** Whether the request may have a wish. This is a cheap first check. */
export function mayWish({ request, search }: FoundExchange): boolean {
  return request.headers.prefer !== undefined || search.includes('__')
}

/**
 * The wishes in the Prefer header, or else in `__code` and `__example` of the query, which the contract never sees.
 * Either forces the answer. Throws a Refusal that lists the good values. Other preferences are ignored (RFC 7240).
 */
export function wishesOf(exchange: FoundExchange): Wishes | undefined {
  const asked = askedOf(exchange)
  if (asked.size === 0) return undefined
  const wrong: string[] = []
  const refuse = (sentence: string): undefined => void wrong.push(sentence)
  const [code, example, delay, fault] = known.map((name) => asked.get(name))
  const isForced = code !== undefined || example !== undefined
  const wishes = {
    outcome: isForced ? outcomeOf(exchange, code, example, refuse) : undefined,
    delay: delay === undefined ? 0 : delayOf(delay, exchange.maxDelay, refuse),
    fault: fault === undefined ? undefined : faultOf(fault, faultNames(exchange.contract.documents), refuse)
  }
  if (fault !== undefined && isForced) refuse('A fault replaces the answer: leave out code and example.')
  if (wrong.length > 0) throw new Refusal('bad-prefer', { detail: wrong.join(' ') })
  const applied = [...asked].map(([name, value]) => `${name}=${value}`).join(', ')
  return { ...wishes, applied }
}

function askedOf(exchange: FoundExchange): Map<string, string> {
  const header = exchange.request.headers.prefer as string | undefined
  const preferences = header === undefined ? new Map<string, string>() : readPrefer(header)
  if (!preferences) {
    throw new Refusal('bad-prefer', {
      detail: `Prefer is not a list of preferences (RFC 7240). Write it as code=404, delay=250. Known: ${known.join(', ')}.`
    })
  }
  const query = readQuery(exchange.search)
  const asked = new Map<string, string>()
  for (const name of known) {
    const value = preferences.get(name) ?? (name === 'code' || name === 'example' ? query[`__${name}`] : undefined)
    if (value !== undefined) asked.set(name, value)
  }
  return asked
}

type Refuse = (sentence: string) => undefined

function outcomeOf(
  { contract, operation }: FoundExchange,
  code: string | undefined,
  example: string | undefined,
  refuse: Refuse
): DocumentedAnswer | undefined {
  const { id } = operation
  const all = outcomesOf(contract, operation)
  const ofCode = code === undefined ? all : all.filter(({ status }) => String(status) === code)
  if (ofCode.length === 0) {
    const statuses = new Set(all.map(({ status }) => status).sort((a, b) => a - b))
    return refuse(`code is "${code}". ${id} documents ${[...statuses].join(', ')}. For others use an override.`)
  }
  const found = ofCode.find(({ name }) => example === undefined || name === example)
  const names = new Set(ofCode.map(({ name }) => name))
  const where = code === undefined ? id : `${id} with code ${code}`
  return found ?? refuse(`example is "${example}". ${where} has ${[...names].join(', ')}.`)
}

function delayOf(text: string, most: number, refuse: Refuse): number {
  const delay = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN
  if (!(delay <= most)) refuse(`delay is "${text}". Give whole milliseconds from 0 to ${most} (--max-delay).`)
  return delay
}

function faultOf(text: string, names: readonly Fault[], refuse: Refuse): Fault | undefined {
  return names.find((name) => name === text) ?? refuse(`fault is "${text}". Known: ${names.join(', ')}.`)
}
