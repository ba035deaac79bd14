import type { Operation } from '../../../engine/contract/model.js'
import { callOf } from '../calls/request.js'
import { verdict } from '../judge.js'
import type { KnownRows } from '../rows.js'
import type { Run } from '../run.js'
import { mostOf } from './negative.js'

/** Of the two that change a row, one is enough. */
const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const

/** Methods that a path does not have. Without `--mutating`, only GET. The named rows do not exist. */
export async function wrongMethods(run: Run, rows: KnownRows, operation: Operation): Promise<void> {
  const served = [...run.readings.first.operations.values()].filter((it) => it.path === operation.path)
  if (served[0]?.id !== operation.id) return
  const wrong = methods.filter((method) => !served.some((it) => it.method === method))
  const { body: _, ...input } = rows.exampleOf(operation, true)
  for (const method of wrong.slice(0, mostOf(run))) {
    if (method !== 'GET' && !run.settings.mutating) {
      run.results.leftOut(operation.id, `the method ${method}`, 'it changes something: see --mutating')
      continue
    }
    const { target, headers } = callOf(operation, input)
    const call = { operation, method, target, headers: { Accept: headers.Accept as string } }
    const exchange = await run.send(call)
    const { status } = exchange.reply
    const passes = (status >= 400 && status < 500) || status === 501
    const title = `${method} ${operation.path}`
    verdict(run, exchange, 'unsupported_method', passes, '405 with Allow, or another refusal', { title })
  }
}
