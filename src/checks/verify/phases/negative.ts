import type { Operation } from '../../../contract/contract.js'
import { type Call, callOf, type Input, withBody } from '../calls/request.js'
import { judgeInput } from '../inputs/inputs.js'
import { type Mutation, mutationsOf } from '../inputs/mutations.js'
import { conforms, locsOf, verdict } from '../judge.js'
import { isReading } from '../learn/is-reading.js'
import { type KnownRows, namesUnknown } from '../rows.js'
import type { Run } from '../run.js'
import { inBatches } from './batches.js'
import { mayFail } from './missing.js'

/**
 * Requests with one error. A server that accepts one might change the named rows, so only own or missing rows are used.
 */
export async function negative(run: Run, rows: KnownRows, { id }: Operation): Promise<void> {
  const operation = run.operation(id)
  const contract = run.readings.contractOf(id)
  const examples = Object.fromEntries(
    Object.entries(rows.examplesOf(operation)).map(([name, it]) => [
      name,
      run.needs.complete(operation, rows.filled(it, !isReading(operation)))
    ])
  )
  const mutations = [...distinct(mutationsOf(contract, operation, examples))]
  const asked = await inBatches(mutations, 16, async (mutation) => {
    const exchange = await run.exactly(id, mutation)
    // A server may report missing fields first.
    const isLacking = mutation.kind === 'value' && run.needs.learn(operation, mutation, exchange)
    return isLacking ? run.exactly(id, run.needs.complete(operation, mutation)) : exchange
  })
  for (const [mutation, exchange] of asked) {
    const about = { title: mutation.what, isMutation: true, isOpen: isOpen(mutation, id) }
    const isUnknownRow = !mutation.what.startsWith('path ') && namesUnknown(mutation)
    const isFailing = exchange.reply.status >= 500 && rows.lacks(mutation) && mayFail(run)
    const reason = isFailing ? { mayRefuse: 'missing' } : {}
    judgeInput(run, exchange, mutation, { ...about, ...reason, isWhole: mutation.kind === 'whole', isUnknownRow })
  }
  if (operation.input.body) await bodies(run, operation, Object.values(examples)[0] as Input)
  // An accepted request has made an association.
  const { path } = Object.values(examples)[0] ?? {}
  if (id === 'linkCredential' && path && !namesUnknown({ path })) await run.ask('unlinkCredential', { path })
}

/** Examples share fields. Each way to break a field is tried once. */
function* distinct(mutations: Iterable<Mutation>): Iterable<Mutation> {
  const seen = new Set<string>()
  for (const mutation of mutations) {
    const what = mutation.what.replace(/^\S+ \S+: /, '')
    if (seen.has(what)) continue
    seen.add(what)
    yield { ...mutation, what }
  }
}

/**
 * What the description leaves open: which fields are required or nullable, except for the urls of E18; whether a number
 * counts as a text and true as a number, and whether an empty text counts as missing.
 */
function isOpen({ what, kind }: Mutation, id: string): boolean {
  if (kind === 'number-for-text') return true
  if (id === 'openUrls') return false
  return /^(left-out|null)$/.test(kind) || / is true$| is empty$|^no body$|^body is null$/.test(what)
}

/** Bodies that are not JSON, or whose Content-Type is not JSON. */
async function bodies(run: Run, operation: Operation, input: Input): Promise<void> {
  const { id } = operation
  const call = callOf(operation, input)
  if (operation.form) {
    const broken = withBody(call, '--x\r\nnot a form', 'multipart/form-data; boundary=y')
    const exchange = await run.send(broken)
    const about = { title: 'a form that cannot be read' }
    if (!conforms(run, exchange, about, 'unreadable-body')) return
    verdict(run, exchange, 'negative_data_rejection', exchange.reply.status >= 400, 'a refusal', about)
    if (exchange.reply.status === 400 || exchange.reply.status === 422) {
      run.answers.add('errors.unreadable-body', String(exchange.reply.status), `${id}: ${about.title}`)
    }
    return
  }
  await notJson(run, call)
  await otherTypes(run, operation, input)
}

/** 7.1 is about bad values. A body that is no JSON has none: which status refuses it is not shown (7.3). */
async function notJson(run: Run, call: Call): Promise<void> {
  const exchange = await run.send(withBody(call, '{"a": '))
  const { status } = exchange.reply
  const about = { title: 'malformed JSON' }
  if (!conforms(run, exchange, about)) return
  if (!verdict(run, exchange, 'negative_data_rejection', status >= 400, '422, or another refusal', about)) return
  if (status !== 422)
    return run.answers.add('errors.malformed-json', String(status), `${call.operation.id}: ${about.title}`)
  const holds = locsOf(exchange).every((loc) => loc[0] === 'body' && loc.length <= 2)
  verdict(run, exchange, 'validation_error_loc', holds, 'loc ["body", <offset>]', about)
}

/** JSON under another type may be read as JSON. Other texts must be rejected, unless the body is optional. */
async function otherTypes(run: Run, operation: Operation, input: Input): Promise<void> {
  const { id } = operation
  const call = callOf(operation, input)
  const sent = async (body: string, title: string) => {
    const exchange = await run.send(withBody(call, body, 'text/plain'))
    return conforms(run, exchange, { title }) ? exchange : undefined
  }
  const json = await sent(JSON.stringify(input.body ?? {}), 'the same body as text/plain')
  if (json) run.answers.add('requests.other-type', json.reply.status < 300 ? 'json' : 'refused', `${id} as text/plain`)
  const title = 'a text that is no JSON, as text/plain'
  const text = await sent('kcm verify', title)
  if (!text) return
  const isRefused = text.reply.status >= 400
  const none = isRefused ? undefined : await run.exactly(id, { ...input, body: undefined })
  const isIgnored = none !== undefined && none.reply.status < 300
  verdict(run, text, 'media_type_rejection', isRefused || isIgnored, '422: it is no JSON', { title })
}
