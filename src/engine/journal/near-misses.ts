import { lazily } from '../contract/lazy.js'
import { shortened } from '../contract/message/refusal.js'
import type { InputError, Operation } from '../contract/model.js'
import type { JournalEntry, NearMiss, Suggestion } from '../contract/types.gen.js'

/** The highest number of near misses of one request. */
const most = 3
const farthest = 0.35
/** Segments that differ more are considered unrelated. */
const mostChanged = 0.5
/** The cost of a difference in case only. */
const leastChanged = 0.05
/** Longer segments are compared by their first characters. */
const longestSegment = 100

/** The edits from the request to a documented one: their cost, and the steps in words. */
interface Correction {
  cost: number
  steps: string[]
}

/** The operations that are nearest to an unknown method and path, nearest first. */
export function nearMisses(operations: Iterable<Operation>, method: string, path: string): NearMiss[] {
  const segments = path.split('/').slice(1)
  const differ = createCompare()
  return [...operations]
    .filter((operation) => isLikelyNear(segments.length, operation))
    .map((operation) => missOf(operation, method, segments, differ))
    .filter(({ distance }) => distance <= farthest)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
}

/** The operation itself, for a request that breaks its contract. */
export function nearMissOf(operation: Operation, problems: readonly InputError[]): NearMiss {
  const steps = problems.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
  const cost = problems.length / (problems.length + 1)
  return near(operation, operation.path.split('/').length - 1, { cost, steps })
}

/** Compares lengths first, because a path may have thousands of segments. */
function isLikelyNear(length: number, { path }: Operation): boolean {
  const documented = path.split('/').length - 1
  return Math.abs(length - documented) / (Math.max(length, documented) + 2) <= farthest
}

function missOf(operation: Operation, method: string, segments: string[], differ: Compare): NearMiss {
  const documented = operation.path.split('/').slice(1)
  const way = wayBetween(segments, documented, differ)
  const length = Math.max(segments.length, documented.length)
  if (operation.method === method) return near(operation, length, way)
  return near(operation, length, {
    cost: way.cost + 1,
    steps: [`the method is ${operation.method}, not ${method}`, ...way.steps]
  })
}

/** Each segment costs at most 1, and so do the method and the input. */
function near({ id, method, path }: Operation, segments: number, { cost, steps }: Correction): NearMiss {
  const distance = Math.round((1000 * cost) / (segments + 2)) / 1000
  return { operation: id, method, path, distance, difference: steps.join('; ') }
}

/** A partial path of edits: its last step. It has no words, because few paths are shown. */
interface EditStep {
  cost: number
  before?: EditStep
  sent?: string
  documented?: string
}

/** The cheapest edits from the requested segments to the documented ones (Wagner and Fischer), row by row. */
function wayBetween(path: string[], segments: string[], differ: Compare): Correction {
  let row: EditStep[] = [{ cost: 0 }]
  for (const documented of segments) row.push(missing(row.at(-1) as EditStep, documented))
  for (const sent of path) {
    const next: EditStep[] = [tooMuch(row[0] as EditStep, sent)]
    for (const [column, documented] of segments.entries()) {
      const before = row[column] as EditStep
      const changed = differ(sent, documented)
      let least = changed === 0 ? before : { cost: before.cost + changed, before, sent, documented }
      for (const other of [tooMuch(row[column + 1] as EditStep, sent), missing(next[column] as EditStep, documented)]) {
        if (other.cost <= least.cost) least = other
      }
      next.push(least)
    }
    row = next
  }
  const end = row.at(-1) as EditStep
  return { cost: end.cost, steps: wordsOf(end) }
}

function missing(before: EditStep, documented: string): EditStep {
  return { cost: before.cost + 1, before, documented }
}

function tooMuch(before: EditStep, sent: string): EditStep {
  return { cost: before.cost + 1, before, sent }
}

function wordsOf(end: EditStep): string[] {
  const words: string[] = []
  for (let step: EditStep | undefined = end; step?.before; step = step.before) {
    const { documented } = step
    const sent = step.sent && shortened(step.sent, longestSegment)
    if (sent === undefined) words.unshift(`"${documented}" is missing`)
    else if (documented === undefined) words.unshift(`"${sent}" is not needed`)
    else words.unshift(`"${sent}" should be "${documented}"`)
  }
  return words
}

/** The share of characters in which a segment differs from a documented one. A parameter matches anything. */
type Compare = (sent: string, documented: string) => number

function createCompare(): Compare {
  const { distance } = lazily('fastest-levenshtein') as typeof import('fastest-levenshtein')
  return (sent, documented) => {
    if (documented.startsWith('{')) return sent === '' ? Number.POSITIVE_INFINITY : 0
    if (sent === documented) return 0
    const text = sent.slice(0, longestSegment)
    const length = Math.max(text.length, documented.length)
    if (Math.abs(text.length - documented.length) / length > mostChanged) return Number.POSITIVE_INFINITY
    const changed = distance(text.toLowerCase(), documented.toLowerCase()) / length
    return changed > mostChanged ? Number.POSITIVE_INFINITY : Math.max(changed, leastChanged)
  }
}

/** Whether no operation matches the request. Requests that were refused before the look-up do not count. */
export function isUnknown({ operation, refusal, failure, override }: UnansweredEntry): boolean {
  if (refusal !== undefined) return refusal === 'unknown-path' || refusal === 'wrong-method'
  // The upstream service may still have answered it.
  return operation === null && failure === undefined && override === undefined
}

type UnansweredEntry = Pick<JournalEntry, 'operation' | 'refusal' | 'failure' | 'override'>

/** Methods that overrides and OpenAPI documents support. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Overrides cannot have a longer path. */
const longestPath = 2000

/** The highest number of query parameters in a document. */
const mostParameters = 20

type MissedRequest = Pick<JournalEntry, 'method' | 'url' | 'refusal' | 'forwarded'>

/** Ways to make the mock answer an unknown request, quickest first. `ids`: those of operations. */
export function suggestionsFor(request: MissedRequest, ids: ReadonlyMap<string, unknown>): Suggestion[] {
  const { url, refusal, forwarded = false } = request
  const [path = '', search = ''] = url.replace(/^https?:\/\/[^/?]*/i, '').split('?')
  const fallback: Suggestion = { do: 'fallback', text: 'Let a service answer unknown paths: --fallback <url>.' }
  const others = forwarded || refusal === 'wrong-method' ? [] : [fallback]
  if (!/^\/[!-~]*$/.test(path) || path.length > longestPath || !methods.includes(request.method)) return others
  const template = templateOf(path)
  const method = request.method as NonNullable<Suggestion['override']>['method']
  const override = { method, path: template.path, status: 200, body: {} }
  return [
    {
      do: 'override',
      text: 'Answer it: POST this to /__mock/overrides, or add it to the file of --overrides.',
      override
    },
    {
      do: 'operation',
      text: 'Serve it: add this to an OpenAPI document for --with.',
      openapi: documentOf(request.method, template, search, ids)
    },
    ...others
  ]
}

interface Template {
  path: string
  params: { name: string; type: 'integer' | 'string' }[]
  words: string[]
}

const identifier = /^(\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{16,}|(?=.*\d)[\w-]{20,})$/i

/** The path with parameters for segments that look like ids: /api/notes/7 becomes /api/notes/{note_id}. */
function templateOf(path: string): Template {
  const params: Template['params'] = []
  const words: string[] = []
  const segments = path.split('/').map((segment, at, all) => {
    if (!identifier.test(segment) && !/[{}]/.test(segment)) {
      words.push(...segment.split(/[^A-Za-z0-9]+/).filter((word) => word !== ''))
      return segment
    }
    const before = (all[at - 1] ?? '').replace(/[^A-Za-z0-9]+/g, '_').replace(/s$/, '')
    const base = before === '' ? 'id' : `${before}_id`
    const name = params.some((it) => it.name === base) ? `${base}_${params.length + 1}` : base
    params.push({ name, type: /^\d{1,15}$/.test(segment) ? 'integer' : 'string' })
    return `{${name}}`
  })
  return { path: segments.join('/'), params, words }
}

function documentOf(
  method: string,
  template: Template,
  search: string,
  ids: ReadonlyMap<string, unknown>
): Record<string, unknown> {
  const query = [...new Set(new URLSearchParams(search).keys())].slice(0, mostParameters)
  const parameters = [
    ...template.params.map(({ name, type }) => ({ name, in: 'path', required: true, schema: { type } })),
    ...query.map((name) => ({ name, in: 'query', schema: { type: 'string' } }))
  ]
  const json = { content: { 'application/json': { schema: { type: 'object' } } } }
  const example = { content: { 'application/json': { schema: { type: 'object' }, example: {} } } }
  const operation = {
    operationId: idOf(method, template, ids),
    ...(parameters.length > 0 && { parameters }),
    ...(['POST', 'PUT', 'PATCH'].includes(method) && { requestBody: json }),
    responses: { 200: { description: 'Done', ...example } }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Own endpoints', version: '1.0.0' },
    paths: { [template.path]: { [method.toLowerCase()]: operation } }
  }
}

function idOf(method: string, { words, params }: Template, ids: ReadonlyMap<string, unknown>): string {
  const rest = words[0] === 'api' ? words.slice(1) : words
  const all = [...rest, ...(params.length > 0 ? ['by', ...params.flatMap(({ name }) => name.split('_'))] : [])]
  const id = method.toLowerCase() + all.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('')
  return ids.has(id) ? `${id}Own` : id
}
