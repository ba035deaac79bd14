import type { Operation } from '../../contract/contract.js'
import { conforms, verdict } from '../judge.js'
import { isReading } from '../reading.js'
import type { RowsKnown } from '../rows.js'
import type { Asker, Run } from '../run.js'

const unknown: Asker = { header: 'Bearer kcm-verify-no-such-token' }

/** Headers that name nobody. */
const nobody: [string, Asker][] = [
  ['no token', 'nobody'],
  ['a Bearer without a token', { header: 'Bearer' }],
  ['another scheme', { header: 'Basic YWRtaW46YWRtaW4=' }]
]

/** How the server treats a token that no user has; asked once, of an operation that reads nothing but the caller. */
export async function unknownToken(run: Run): Promise<void> {
  const { reply } = await run.ask('getUserRole', {}, unknown)
  run.answers.add('auth.unknown-token', reply.status < 300 ? 'admin' : 'refused', 'getUserRole with an unknown token')
}

/** Section 5.1: every request carries a token. */
export async function access(run: Run, rows: RowsKnown, operation: Operation): Promise<void> {
  const input = rows.filled(Object.values(operation.examples)[0] ?? {}, !isReading(operation))
  const askers = run.answers.get('auth.unknown-token') === 'admin' ? nobody : [...nobody, ['an unknown token', unknown]]
  for (const [title, asker] of askers as [string, Asker][]) {
    const exchange = await run.ask(operation.id, input, asker)
    const { status } = exchange.reply
    const about = { title }
    const isRefused = status === 401 || status === 403
    if (status < 400 || !conforms(run, exchange, about)) {
      verdict(run, exchange, 'ignored_auth', status >= 400, '401 or 403', about)
      continue
    }
    if (!verdict(run, exchange, 'ignored_auth', isRefused, '401 or 403', about)) continue
    if (asker === 'nobody') run.answers.add('auth.unauthenticated', String(status), `${operation.id} without a token`)
  }
}

/** Who may call what, by the choices of auth.roles: null where a choice does not say. */
interface Allowed {
  operation: Operation
  status: number
}

/**
 * Section 5.2, asked with input that no rule takes: the role is looked at before it. Which role may call which
 * operation is not shown, so only what no choice of auth.roles allows is a finding.
 */
export async function roles(run: Run, operations: Operation[]): Promise<void> {
  const role = await run.ask('getUserRole', {}, 'user')
  const name = (role.reply.body as { role?: unknown } | undefined)?.role
  if (name !== 'basic') {
    const why = `the user token's user is no basic user (${run.redaction.reply(role.reply)})`
    for (const { id } of operations) run.record.couldNot(id, 'refused to other users', why)
    return
  }
  const asked: (Allowed & { exchange: Awaited<ReturnType<Run['ask']>> })[] = []
  for (const operation of operations.filter(({ path }) => path.includes('/admin/'))) {
    const exchange = await run.ask(operation.id, brokenInput(operation), 'user')
    if (conforms(run, exchange, { title: 'as a basic user' })) {
      asked.push({ operation, status: exchange.reply.status, exchange })
    }
  }
  const { contract } = run.readings
  const refuses = (choice: string, { access }: Operation) =>
    contract.access[access[choice] ?? 'anyone']?.roles?.includes('basic') === false
  const deviating = (choice: string) =>
    asked.filter(({ operation, status }) => refuses(choice, operation) !== (status === 403 || status === 401))
  const choices = ['paths', 'admins', 'matrix', 'off'].sort((a, b) => deviating(a).length - deviating(b).length)
  const [nearest, next] = choices as [string, string]
  // What a basic user may call does not tell apart choices that differ for curators only.
  const isClear = deviating(nearest).length < deviating(next).length
  if (asked.length > 1 && isClear) run.answers.add('auth.roles', nearest, 'what a basic user may call')
  for (const { operation, status, exchange } of asked) {
    const holds = !refuses(nearest, operation) || status === 403 || status === 401
    verdict(run, exchange, 'admin_only', holds, '403', { title: 'as a basic user' })
  }
}

/** Input that is refused with 422 by whoever may call the operation: nothing is changed by asking. */
function brokenInput({ input, examples }: Operation) {
  const example = Object.values(examples)[0] ?? {}
  if (input.body) return { ...example, path: example.path, body: 'none' }
  return { path: Object.fromEntries(Object.keys(example.path ?? {}).map((name) => [name, 'none'])) }
}
