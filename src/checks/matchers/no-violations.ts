import type { JournalEntry } from '../../contract/types.gen.js'
import type { MatcherResult } from './result.js'

/** The parts of a mock or a sandbox handle that the matcher uses. */
interface Handle {
  name: string
  requests(): JournalEntry[]
}
interface Mock {
  sandboxes: { list(): { name: string }[] }
  sandbox(name: string): Handle
}

/** The requests of a sandbox. */
interface JournalRead {
  sandbox: string | undefined
  requests: JournalEntry[]
}

/**
 * Whether all requests kept to the contract. Takes a mock with all its sandboxes, a sandbox, or the answer of GET
 * /__mock/requests if the mock runs in another process.
 */
export function toHaveNoViolations(subject: unknown): MatcherResult {
  const found = journalsOf(subject).flatMap(({ sandbox, requests }) =>
    requests
      .filter(isWrong)
      .reverse()
      .map((entry) => ({ sandbox, entry }))
  )
  const count = found.length === 1 ? '1 request does' : `${found.length} requests do`
  return {
    pass: found.length === 0,
    message: () =>
      found.length === 0
        ? 'All requests keep to the contract.'
        : [`${count} not keep to the contract:`, ...found.map((it) => described(it.entry, it.sandbox))].join('\n')
  }
}

function journalsOf(subject: unknown): JournalRead[] {
  const given = subject as Partial<Mock & Handle> & { requests?: unknown }
  if (Array.isArray(given?.requests)) return [{ sandbox: undefined, requests: given.requests }]
  if (typeof given?.requests === 'function') return [{ sandbox: given.name, requests: given.requests() }]
  const { sandboxes, sandbox } = given ?? {}
  if (!sandboxes || !sandbox) {
    throw new Error('Give a mock, a sandbox of a mock, or the answer of GET /__mock/requests.')
  }
  return sandboxes.list().map(({ name }) => ({ sandbox: name, requests: sandbox(name).requests() }))
}

/** A redirect to the documented path has no operation, but is not wrong. */
function isWrong({ violations, operation, status, failure }: JournalEntry): boolean {
  return violations.length > 0 || failure !== undefined || (operation === null && status >= 400)
}

function described(entry: JournalEntry, sandbox: string | undefined): string {
  const { id, method, url, status, operation, violations, failure, near_misses = [] } = entry
  const place = sandbox === undefined ? id : `${sandbox} ${id}`
  const reasons = [
    ...(operation === null ? ['no operation of the interface'] : violations),
    ...(failure === undefined ? [] : [failure]),
    ...near_misses.map((it) => `nearest: ${it.operation}, ${it.method} ${it.path}: ${it.difference}`)
  ]
  return [`  ${place} ${method} ${url} ${status}`, ...reasons.map((it) => `    ${it}`)].join('\n')
}
