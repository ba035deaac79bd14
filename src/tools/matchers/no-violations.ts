import { checkNames } from '../../engine/contract/nearest.js'
import type { JournalEntry, JournalList } from '../../engine/contract/types.gen.js'
import { faultIn } from '../../engine/journal/recorded.js'
import type { MatcherResult } from './response.js'

export interface ViolationOptions {
  /** Whether requests that were refused with 422 count. Default: counted. */
  refused?: 'counted' | 'allowed' | undefined
}

/** The parts of a mock or a sandbox handle that the matcher uses. */
interface Handle {
  name: string
  journal(): JournalList
}
interface Mock {
  sandboxes: { list(): { name: string }[] }
  sandbox(name: string): Handle
}

type JournalRead = Partial<JournalList> & Pick<JournalList, 'requests'> & { sandbox?: string }

/**
 * Whether all requests followed the contract. Takes a mock with all its sandboxes, a sandbox, or the answer of GET
 * /__mock/requests if the mock runs in another process.
 */
export function toHaveNoViolations(subject: unknown, options: ViolationOptions = {}): MatcherResult {
  checkNames(options, ['refused'])
  const { refused = 'counted' } = options
  if (refused !== 'counted' && refused !== 'allowed')
    throw new Error(`refused is ${refused}: give 'allowed' or 'counted'.`)
  const isAllowed = refused === 'allowed'
  const findings = journalsOf(subject).flatMap((it) => [...unseenIn(it, isAllowed), ...wrongIn(it, isAllowed)])
  const pass = findings.length === 0
  return { pass, message: () => (pass ? 'All requests keep to the contract.' : report(findings)) }
}

/** Requests that do not follow the contract: how many, and a text about them. */
interface Finding {
  count: number
  text: string
}

function report(findings: readonly Finding[]): string {
  const sum = findings.reduce((total, { count }) => total + count, 0)
  const first = sum === 0 ? [] : [`${sum === 1 ? '1 request does' : `${sum} requests do`} not keep to the contract:`]
  return [...first, ...findings.map(({ text }) => text)].join('\n')
}

function journalsOf(subject: unknown): JournalRead[] {
  const source = subject as Partial<Mock & Handle> & Partial<JournalList>
  if (Array.isArray(source?.requests)) return [source as JournalRead]
  if (typeof source?.journal === 'function') return [{ sandbox: source.name as string, ...source.journal() }]
  const { sandboxes, sandbox } = source ?? {}
  if (!sandboxes || !sandbox) {
    throw new Error('Give a mock, a sandbox of a mock, or the answer of GET /__mock/requests.')
  }
  return sandboxes.list().map(({ name }) => ({ sandbox: name, ...sandbox(name).journal() }))
}

/** Requests that the journal has dropped, and those that the answer leaves out. */
function unseenIn({ sandbox, requests, total = requests.length, ...journal }: JournalRead, isAllowed: boolean) {
  const { dropped = 0, dropped_violations: broken = 0, dropped_refused: refused = 0 } = journal
  const place = sandbox === undefined ? 'The journal' : `The journal of ${sandbox}`
  const count = broken + (isAllowed ? 0 : refused)
  const findings: Finding[] = []
  if (count > 0) {
    const text = `  ${place} has dropped ${dropped} older requests, and ${count} of them did not. It keeps more with a higher journalEntries.`
    findings.push({ count, text })
  }
  if (total > requests.length) {
    const text = `${place} has ${total} requests, and only ${requests.length} of them were given: ask for all.`
    findings.push({ count: 0, text })
  }
  return findings
}

function wrongIn({ sandbox, requests }: JournalRead, isAllowed: boolean): Finding[] {
  return requests
    .filter((entry) => faultIn(entry) === 'violation' || (!isAllowed && entry.refused !== undefined))
    .reverse()
    .map((entry) => ({ count: 1, text: described(entry, sandbox) }))
}

function described(entry: JournalEntry, sandbox: string | undefined): string {
  const { id, method, url, status, operation, violations, refused = [], failure, near_misses = [] } = entry
  const place = sandbox === undefined ? id : `${sandbox} ${id}`
  const reasons = [
    ...(operation === null ? ['no operation of the interface'] : violations),
    ...refused,
    ...(failure === undefined ? [] : [failure]),
    ...near_misses.map((it) => `nearest: ${it.operation}, ${it.method} ${it.path}: ${it.difference}`)
  ]
  return [`  ${place} ${method} ${url} ${status}`, ...reasons.map((it) => `    ${it}`)].join('\n')
}
