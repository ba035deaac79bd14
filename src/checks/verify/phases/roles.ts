import type { Operation } from '../../../contract/contract.js'
import type { Input } from '../calls/request.js'
import { conforms, verdict } from '../judge.js'
import { isReading } from '../learn/is-reading.js'
import { type RowsKnown, unknownEmail, unknownNumber } from '../rows.js'
import type { Exchange, Run } from '../run.js'

interface Asked {
  operation: Operation
  exchange: Exchange
}

/** Section 5.2 and E29. Which role may call which operation is not shown: only what no choice of auth.roles allows is a finding. */
export async function roles(run: Run, rows: RowsKnown, operations: Operation[]): Promise<void> {
  const mine = await roleOf(run, 'admin')
  const theirs = await run.ask('getUserRole', {}, 'user')
  const role = (theirs.reply.body as { role?: unknown } | undefined)?.role
  if (theirs.reply.status >= 300 || typeof role !== 'string') {
    const why = `the second user has no role (${run.redaction.reply(theirs.reply)})`
    for (const { id } of operations) run.results.couldNot(id, 'refused to other users', why)
    return
  }
  const isOther = role !== mine || !/admin|owner|super/i.test(role)
  const expected = 'the role of somebody who is no administrator, as the second user is said to be'
  verdict(run, theirs, 'admin_only', isOther, expected, { title: "the second user's role" })
  const asked: Asked[] = []
  for (const operation of operations.filter(({ path }) => path.includes('/admin/'))) {
    let exchange = await run.exactly(operation.id, brokenInput(operation), 'user')
    // A server may look at the input before it looks at the role.
    if (exchange.reply.status === 422) exchange = await run.ask(operation.id, harmless(run, rows, operation), 'user')
    if (isDenied(exchange) || conforms(run, exchange, { title: 'as a basic user' }, 'missing')) {
      asked.push({ operation, exchange })
    }
  }
  const contract = run.readings.first
  const refuses = (choice: string, { access }: Operation) =>
    contract.access[access[choice] ?? 'anyone']?.roles?.includes('basic') === false
  const deviating = (choice: string) =>
    asked.filter(({ operation, exchange }) => refuses(choice, operation) !== isDenied(exchange))
  const choices = ['paths', 'admins', 'matrix', 'off'].sort((a, b) => deviating(a).length - deviating(b).length)
  const [nearest, next] = choices as [string, string]
  // What a basic user may call does not tell apart choices that differ for curators only.
  const isClear = deviating(nearest).length < deviating(next).length
  if (asked.length > 1 && isClear) run.answers.add('auth.roles', nearest, 'what a basic user may call')
  for (const { operation, exchange } of asked) {
    const holds = !refuses(nearest, operation) || isDenied(exchange)
    verdict(run, exchange, 'admin_only', holds, '403', { title: 'as a basic user' })
  }
}

async function roleOf(run: Run, as: 'admin' | 'user'): Promise<unknown> {
  return ((await run.ask('getUserRole', {}, as)).reply.body as { role?: unknown } | undefined)?.role
}

function isDenied({ reply, call }: Exchange): boolean {
  if (reply.status === 403 || reply.status === 401) return true
  // Some hide what one may not call; a row that does not exist is no such thing.
  return reply.status === 404 && isReading(call.operation) && !call.operation.path.includes('{')
}

/** Input that is refused with 422 by whoever may call the operation: nothing is changed by asking. */
function brokenInput({ input, examples }: Operation) {
  const example = Object.values(examples)[0] ?? {}
  const path = Object.fromEntries(Object.keys(example.path ?? {}).map((name) => [name, 'none']))
  return input.body ? { path: input.path ? path : undefined, body: 'none' } : { path }
}

/** Input of rows that do not exist, or that makes nothing. */
function harmless(run: Run, rows: RowsKnown, operation: Operation): Input {
  const example = rows.filled(Object.values(rows.examplesOf(operation))[0] ?? {}, true)
  if (operation.id === 'inviteUsers') return { body: { emails: [] } }
  if (isReading(operation)) return rows.filled(example, false)
  const unknown = Object.keys(example.path ?? {}).map((name): [string, number] => [name, unknownNumber])
  return operation.id === 'deleteUser'
    ? { body: { user_email: unknownEmail(run) } }
    : { ...example, path: Object.fromEntries(unknown) }
}
