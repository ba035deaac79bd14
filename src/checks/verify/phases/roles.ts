import type { Operation } from '../../../contract/contract.js'
import { callOf, type Input } from '../calls/request.js'
import { conforms, verdict } from '../judge.js'
import { isReading } from '../learn/is-reading.js'
import { type KnownRows, unknownEmail, unknownNumber } from '../rows.js'
import type { Exchange, Run } from '../run.js'

interface RoleAnswer {
  operation: Operation
  exchange: Exchange
  isDenied: boolean
}

/**
 * Section 5.2 and E29. The description does not give the roles of each operation, so only what no choice of auth.roles
 * allows is a finding.
 */
export async function roles(run: Run, rows: KnownRows, operations: Operation[]): Promise<void> {
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
  const asked: RoleAnswer[] = []
  for (const operation of operations.filter(({ path }) => path.includes('/admin/'))) {
    let exchange = await run.exactly(operation.id, brokenInput(operation), 'user')
    // It is hidden from the user: who may call it is told that the input is wrong.
    const isHidden = exchange.reply.status === 404
    // A server may check the input before the role.
    if (exchange.reply.status === 422) exchange = await run.ask(operation.id, harmless(run, rows, operation), 'user')
    const isDenied = isHidden || isRefused(exchange)
    if (isDenied || conforms(run, exchange, { title: 'as a basic user' }, 'missing')) {
      asked.push({ operation, exchange, isDenied })
    }
  }
  const contract = run.readings.first
  const refuses = (choice: string, { access }: Operation) =>
    contract.access[access[choice] ?? 'anyone']?.roles?.includes('basic') === false
  const deviating = (choice: string) =>
    asked.filter(({ operation, isDenied }) => refuses(choice, operation) !== isDenied)
  // 5.2: paths with /admin/ are for administrators. A curator may be one.
  const isOff = run.isMock || run.readings.choices['auth.roles'] === 'off' || /curator/i.test(role)
  const choices = ['paths', 'admins', 'matrix', ...(isOff ? ['off'] : [])].sort(
    (a, b) => deviating(a).length - deviating(b).length
  )
  const [nearest, next] = choices as [string, string]
  // Calls of a basic user cannot tell choices apart that differ only for curators.
  const isClear = deviating(nearest).length < deviating(next).length
  if (asked.length > 1 && isClear) run.answers.add('auth.roles', nearest, 'what a basic user may call')
  for (const { operation, exchange, isDenied } of asked) {
    const holds = !refuses(nearest, operation) || isDenied
    verdict(run, exchange, 'admin_only', holds, '403', { title: 'as a basic user' })
    if (!isDenied || operation.method !== 'GET') continue
    const call = callOf(operation, run.needs.complete(operation, harmless(run, rows, operation)))
    for (const [how, part] of Object.entries({
      'a letter of the path encoded': '/%61dmin/',
      'two slashes': '//admin/'
    })) {
      const spelled = await run.send({ ...call, target: call.target.replace('/admin/', part) }, 'user')
      const title = `as a basic user, with ${how}`
      verdict(run, spelled, 'admin_only', spelled.reply.status >= 300, '403, or 404', { title })
    }
  }
}

async function roleOf(run: Run, as: 'admin' | 'user'): Promise<unknown> {
  return ((await run.ask('getUserRole', {}, as)).reply.body as { role?: unknown } | undefined)?.role
}

function isRefused({ reply, call }: Exchange): boolean {
  if (reply.status === 403 || reply.status === 401) return true
  // Some servers hide operations that the user may not call.
  return reply.status === 404 && isReading(call.operation) && !call.operation.path.includes('{')
}

/** An input that is rejected with 422 for every user, so that nothing is changed. */
function brokenInput({ input, examples }: Operation) {
  const example = Object.values(examples)[0] ?? {}
  const path = Object.fromEntries(Object.keys(example.path ?? {}).map((name) => [name, 'none']))
  return input.body ? { path: input.path ? path : undefined, body: 'none' } : { path }
}

/** An input with missing rows, or one that creates nothing. */
function harmless(run: Run, rows: KnownRows, operation: Operation): Input {
  const example = rows.filled(Object.values(rows.examplesOf(operation))[0] ?? {}, true)
  if (operation.id === 'inviteUsers') return { body: { emails: [] } }
  if (isReading(operation)) return rows.filled(example, false)
  const unknown = Object.keys(example.path ?? {}).map((name): [string, number] => [name, unknownNumber])
  return operation.id === 'deleteUser'
    ? { body: { user_email: unknownEmail(run) } }
    : { ...example, path: Object.fromEntries(unknown) }
}
