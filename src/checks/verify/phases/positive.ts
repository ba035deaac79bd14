import type { Operation } from '../../../contract/contract.js'
import { isObject } from '../../../contract/load.js'
import type { Input } from '../calls/request.js'
import { generated } from '../inputs/generate.js'
import { judgeInput } from '../inputs/inputs.js'
import { isReading } from '../learn/is-reading.js'
import { type KnownRows, namesUnknown } from '../rows.js'
import type { Run } from '../run.js'
import { inBatches } from './batches.js'

/** Operations that create something each time. Operations that change rows are called by scenes. */
const making = new Set(['createChatSession', 'createCredential', 'uploadConnectorFiles', 'inviteUsers'])

/** Valid requests: the examples of the contract, and some that are generated from its schemas. */
export async function positive(run: Run, rows: KnownRows, operation: Operation): Promise<void> {
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
  const inputs = generated(
    run.readings.contractOf(operation.id),
    run.operation(operation.id),
    run.random,
    run.settings.cases
  )
  return inputs.map((input, index) => [`generated ${index + 1}`, { ...rows.filled(input, false), path }])
}

/** Incognito sessions may be switched off, and somebody may have deleted a row in the meantime. */
function mayRefuse({ id, refusals }: Operation, { path, body }: Input): { mayRefuse?: string } {
  if (path && refusals.missing) return { mayRefuse: 'missing' }
  return id === 'createChatSession' && isObject(body) && body.incognito === true ? { mayRefuse: 'incognito-off' } : {}
}
