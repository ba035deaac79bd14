import { isObject, type Json } from '../../../engine/contract/load.js'
import { isReading, type Operation } from '../../../engine/contract/model.js'
import type { Exchange } from '../calls/client.js'
import type { Input } from '../calls/request.js'
import { conforms, verdict } from '../judge.js'
import { type KnownRows, unknownEmail, unknownOf } from '../rows.js'
import type { Run } from '../run.js'

/** Rows that do not exist. */
export async function missing(run: Run, rows: KnownRows, operation: Operation): Promise<void> {
  const { id } = operation
  const [name, example] = Object.entries(rows.examplesOf(run.operation(id)))[0] ?? []
  if (!example || id === 'listSimilarCredentials') return
  const names = [...Object.keys(example.path ?? {}), ...(id === 'deleteUser' ? ['user_email'] : [])]
  if (names.length === 0) return
  const path = Object.fromEntries(Object.entries(example.path ?? {}).map(([key, value]) => [key, unknownOf(value)]))
  const body = id === 'deleteUser' ? { user_email: unknownEmail(run) } : example.body
  await missingOne(run, rows, run.operation(id), example)
  const exchange = await run.ask(id, { ...example, path, body })
  const { reply } = exchange
  const about = { title: `${name}, of a row that does not exist` }
  if (!(reply.status >= 300 && reply.status < 400) && !conforms(run, exchange, about, 'missing')) return
  const isTold = isObject(reply.body) && reply.body.success === false
  if (operation.method === 'DELETE' && reply.status < 300 && !isTold) {
    run.forgiving.add(id)
    run.answers.add('delete.missing', 'success', `${id} of a row that does not exist`)
    return
  }
  if (id === 'updatePersona') {
    const isMade = reply.status < 300 && !isTold
    run.answers.add('persona.unknown-id', isMade ? 'created' : 'refused', `${id} of a row that does not exist`)
    if (isMade) await run.tried('deletePersona', { path })
    return
  }
  const holds = reply.status >= 300 || isTold
  if (!verdict(run, exchange, 'unknown_id_refused', holds, 'a refusal', about)) return
  if (id in answered)
    run.answers.add(answered[id] as string, reply.status < 300 ? 'status-response' : String(reply.status), id)
  else if (isReading(operation)) learnMissing(run, id, exchange)
}

/** A path with several rows, one of which does not exist. The answer must not be a server error. */
async function missingOne(run: Run, rows: KnownRows, operation: Operation, example: Input): Promise<void> {
  const filled = rows.filled(example, true)
  const names = Object.keys(filled.path ?? {})
  if (names.length < 2 || (!run.settings.mutating && !isReading(operation))) return
  for (const name of names) {
    const path = { ...filled.path, [name]: unknownOf(filled.path?.[name] as Json) }
    const exchange = await run.ask(operation.id, { ...filled, path })
    conforms(run, exchange, { title: `a ${name} that does not exist` }, mayFail(run) ? 'missing' : undefined)
  }
}

/** One choice of the ledger answers 500. It is allowed if the server is known to make it. */
export function mayFail({ isMock, readings }: Run): boolean {
  return isMock || readings.choices['errors.missing'] === 'per-operation'
}

/** The operations whose answer has its own assumption. */
const answered: { [id: string]: string } = { getConnector: 'connector.missing', getCredential: 'credential.missing' }

function learnMissing(run: Run, id: string, { reply: { status }, curl }: Exchange): void {
  const choices = run.readings.refusalStatuses(id, 'missing').get(status)
  if (choices) run.answers.learn(choices, `${id} of a row that does not exist: ${status}`, curl)
}
