import type { Json } from '../../../engine/contract/load.js'
import type { Operation } from '../../../engine/contract/model.js'
import { kindNamed } from '../api.js'
import { callOf, type Input } from '../calls/request.js'
import { conforms, isUndone, verdict } from '../judge.js'
import { type KnownRows, unknownBody, unknownOf, withUnknownIds } from '../rows.js'
import type { Run } from '../run.js'

/** Rows that do not exist. */
export async function missing(run: Run, rows: KnownRows, operation: Operation): Promise<void> {
  const { id } = operation
  const [name, example] = Object.entries(rows.examplesOf(run.operation(id)))[0] ?? []
  const body = unknownBody(run, operation)
  const path = withUnknownIds(example?.path)
  const isOther = Object.entries(path).some(([parameter, value]) => value !== example?.path?.[parameter])
  if (!example || !(isOther || body)) return
  await missingOne(run, rows, run.operation(id), example)
  const exchange = await run.ask(id, { ...example, path, body: body ?? example.body })
  const { status, body: answer } = exchange.reply
  const title = `${name}, of a row that does not exist`
  if (!(status >= 300 && status < 400) && !conforms(run, exchange, { title }, 'missing')) return
  const isRefused = status >= 300 || isUndone(run, answer)
  const evidence = `${id} of a row that does not exist`
  if (operation.method === 'DELETE' && !isRefused) {
    run.forgiving.add(id)
    run.answers.add('delete.missing', 'success', evidence)
    return
  }
  const { entry, choiceOf, mayCreate } = run.api.operations[id]?.missing ?? {}
  if (!mayCreate && !verdict(run, exchange, 'unknown_id_refused', isRefused, 'a refusal', { title })) return
  if (entry !== undefined && choiceOf) run.answers.add(entry, choiceOf(status, isRefused), mayCreate ? evidence : id)
  else if (operation.isReading) {
    const choices = run.readings.refusalStatuses(id, 'missing').get(status)
    if (choices) run.answers.learn(choices, `${evidence}: ${status}`, exchange.curl)
  }
  const [parameter = ''] = Object.keys(path)
  const { remove } = run.api.kinds[kindNamed(run.api, parameter) ?? ''] ?? {}
  if (mayCreate && !isRefused && remove !== undefined) await run.tried(remove, { path })
}

/** A path with several rows, one of which does not exist. The answer must not be a server error. */
async function missingOne(run: Run, rows: KnownRows, operation: Operation, example: Input): Promise<void> {
  const filled = rows.filled(example, true)
  const names = Object.keys(filled.path ?? {})
  if (names.length < 2 || (!run.settings.mutating && !operation.isReading)) return
  for (const name of names) {
    const path = { ...filled.path, [name]: unknownOf(filled.path?.[name] as Json) }
    const exchange = await run.ask(operation.id, { ...filled, path })
    conforms(run, exchange, { title: `a ${name} that does not exist` }, mayFail(run) ? 'missing' : undefined)
  }
}

/** One choice of the ledger answers 500. It is allowed if the server is known to make it. */
export function mayFail({ settings, readings }: Run): boolean {
  return settings.isMock || readings.choices['errors.missing'] === 'per-operation'
}

/** Of the two that change a row, one is enough. */
const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const

/** Methods that a path does not have. Without `--mutating`, only GET. The named rows do not exist. */
export async function wrongMethods(run: Run, rows: KnownRows, operation: Operation): Promise<void> {
  const served = [...run.readings.first.operations.values()].filter((it) => it.path === operation.path)
  if (served[0]?.id !== operation.id) return
  const wrong = methods.filter((method) => !served.some((it) => it.method === method))
  const { body: _, ...input } = rows.exampleOf(operation, true)
  for (const method of wrong.slice(0, run.most)) {
    if (method !== 'GET' && !run.settings.mutating) {
      run.results.leftOut(operation.id, `the method ${method}`, 'it changes something: see --mutating')
      continue
    }
    const { target, headers } = callOf(operation, input)
    const exchange = await run.send({ operation, method, target, headers: { Accept: headers.Accept as string } })
    const { status } = exchange.reply
    const passes = (status >= 400 && status < 500) || status === 501
    const title = `${method} ${operation.path}`
    verdict(run, exchange, 'unsupported_method', passes, '405 with Allow, or another refusal', { title })
  }
}
