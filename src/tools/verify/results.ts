import { groupBy } from '../texts.js'
import { LeftOut } from './calls/bounds.js'
import type { Stopped } from './calls/patience.js'

/** Every check by its name, with its meaning. The name is Schemathesis's if it has one. */
export const checks = {
  request_answered: 'Every request is answered, and no connection ends without an answer',
  not_a_server_error: 'No request is answered with a status of 500 or above',
  status_code_conformance: 'A success has a status that the contract names',
  content_type_conformance: 'A body that the contract describes comes as application/json',
  response_schema_conformance: 'A body has the shape that the contract gives it, also that of a 422 (2.16)',
  positive_data_acceptance: 'A request that the contract allows is not refused',
  negative_data_rejection: 'A request that breaks the contract is answered with 422 (7.1)',
  validation_error_loc: 'The items of a 422 point at what is wrong, and at nothing else (2.16)',
  media_type_rejection: 'A body of another media type that is not JSON is refused',
  ignored_auth: 'A request without a valid token is refused (5.1)',
  admin_only: 'An operation for administrators is refused to other users (5.2)',
  unsupported_method: 'A method that a path does not have is refused',
  unknown_id_refused: 'A row that does not exist is refused',
  ensure_resource_availability: 'What was created, or is listed, is found',
  use_after_free: 'What was deleted is gone',
  values_read_back: 'A value that was sent is read back',
  unique_rows: 'A list has each row once',
  paging_consistent: 'The pages of a list have every row once, and report correctly whether there are more',
  filter_respected: 'A filtered list has only rows that pass the filter',
  association_idempotence: 'An association is created once, even by concurrent requests (3.3)',
  file_readable_in_any_status: 'A user file is readable in any status (3.1)',
  file_delete_unlinks: 'Deleting a user file removes its project associations (3.2)',
  bulk_invite_all_or_nothing: 'If one address fails validation, no one is invited (7.2)',
  instructions_read_back: 'Instructions of a project are read back as they were stored',
  other_users_rows_hidden: "Another user's rows are neither listed, read, changed nor deleted",
  others_untouched: 'A call changes the rows that it names, and nothing else',
  secrets_hidden: 'No reply shows a token, a password or what another operation masks',
  redirect_stays: 'No reply leads to another host',
  same_as_mock: 'The mock gives the same answer, with the same rows (proxy --shadow)'
} as const

export type Check = keyof typeof checks

/** What a finding of each check says about its operation. */
const faults: Record<Check, string> = {
  request_answered: 'does not answer',
  not_a_server_error: 'fails with a server error',
  status_code_conformance: 'succeeds with a status that the contract does not name',
  content_type_conformance: 'answers with another media type than JSON',
  response_schema_conformance: 'answers with a body of another shape',
  positive_data_acceptance: 'refuses a valid request',
  negative_data_rejection: 'accepts a wrong request, or refuses it in another way than with 422',
  validation_error_loc: 'answers a wrong request with 422, but points at another place',
  media_type_rejection: 'accepts a text that is not JSON',
  ignored_auth: 'answers without a valid token',
  admin_only: 'is open to a user who is not an administrator',
  unsupported_method: 'answers a method that the path does not have',
  unknown_id_refused: 'succeeds for a row that does not exist',
  ensure_resource_availability: 'loses a row that was created, or is listed elsewhere',
  use_after_free: 'still has a row that was deleted',
  values_read_back: 'has another value than the one that was sent, or shown before',
  unique_rows: 'has a row twice',
  paging_consistent: 'has pages that do not fit together',
  filter_respected: 'has rows that do not pass the filter, or lacks some that do',
  association_idempotence: 'creates an association twice, or loses one',
  file_readable_in_any_status: 'refuses a file because of its status',
  file_delete_unlinks: 'leaves a deleted file in a project',
  bulk_invite_all_or_nothing: 'invites some although one address is wrong',
  instructions_read_back: 'has other instructions than those that were stored',
  other_users_rows_hidden: "shows or changes what is another user's: this is the other user's row",
  others_untouched: 'changes something that the call does not name',
  secrets_hidden: 'shows a secret',
  redirect_stays: 'leads to another host',
  same_as_mock: 'answers in another way than the mock'
}

/** What is wrong, in one sentence. */
export function sentenceOf({ operation, check, also = [] }: Finding): string {
  const others = also.length > 0 ? `; ${also.join(', ')} show${also.length === 1 ? 's' : ''} it too` : ''
  return `${operation} ${faults[check]}${others}.`
}

/** The requests that were sent again, in words. */
export function sentAgain(resent: { readonly [operation: string]: number } = {}): string | false {
  const each = Object.entries(resent).map(([id, times]) => (times > 1 ? `${id} (${times} times)` : id))
  return each.length > 0 && `sent again, because a connection ended without an answer: ${each.join(', ')}`
}

/** Whether an operation lacks a row, still has it, has it twice, or filters it by a wrong value of a parameter. */
type RowFault = 'lacks' | 'keeps' | 'repeats' | `filters ${string}`

const rowFaults: { [C in Check]?: RowFault } = {
  ensure_resource_availability: 'lacks',
  use_after_free: 'keeps',
  unique_rows: 'repeats',
  association_idempotence: 'repeats'
}

/** Where a fault with rows shows, and the latest call that changed something before it. Either may be the cause. */
export interface RowCause {
  shownBy: string
  writtenBy?: string | undefined
  fault: RowFault
}

/** The cause of a finding of rows. Undefined for other checks. */
export function rowCauseOf(check: Check, shownBy: string, writtenBy?: string): RowCause | undefined {
  const fault = rowFaults[check]
  return fault && { shownBy, writtenBy, fault }
}

/** What caused a finding that is not about rows. Findings of the same cause are one. */
function causeOf({ operation, check, title, expected, got }: Finding): string {
  switch (check) {
    case 'other_users_rows_hidden':
    case 'redirect_stays':
    case 'content_type_conformance':
      return check
    case 'ignored_auth':
    case 'admin_only':
      return `${check} ${title}`
    case 'secrets_hidden':
    case 'status_code_conformance':
      return `${check} ${got.split(':')[0]}`
    case 'response_schema_conformance': {
      // One field may be at different places of several replies.
      const [, problem = expected] = expected.split(', but: ')
      return `${check} ${problem.split(';')[0]?.replace(/^\S*\//, '')}`
    }
    case 'not_a_server_error':
      return `${operation} ${check}`
    case 'request_answered':
      return title === 'any request' ? `${operation} ${check}` : `${check} ${title}`
    case 'negative_data_rejection':
    case 'validation_error_loc':
      return `${operation} ${check} ${title.split(/ (is|has) /)[0]}`
    default:
      return `${operation} ${check} ${title}`
  }
}

/** A broken contract, with the command that repeats it. */
export interface Finding {
  operation: string
  check: Check
  /** The request, in a few words. */
  title: string
  expected: string
  got: string
  /** The command that repeats the last request. */
  curl: string
  /** All commands that lead to the finding, including the last one. */
  sequence: string[]
  /** The number of similar findings. */
  more: number
  /** Other operations with findings of the same cause. */
  also?: string[]
}

/** A check of an operation, and how often it was made. */
export interface CheckResult {
  operation: string
  check: Check
  outcome: 'held' | 'broken'
  times: number
}

/** Something that was not checked: `left-out` by the options, or `impossible` on this server. */
export interface NotChecked {
  operation: string
  subject: string
  why: string
  kind: 'left-out' | 'impossible'
}

/** The server's decision on a point that the description leaves open. */
export interface Answer {
  id: string
  choice: string
  /** Whether it differs from the run's initial choice. */
  differs: boolean
  /** What showed it. */
  evidence: string
  /** The command that repeats the request that showed it. */
  curl?: string
}

/** The only way to make a finding. One without a reason is rejected. */
export function findingOf(finding: Omit<Finding, 'more'>): Finding {
  const silent = Object.entries(finding).find(([, text]) => String(text).trim() === '')
  if (silent || /:\s*$/.test(finding.expected))
    throw new Error(`a finding of ${finding.operation} has no ${silent?.[0] ?? 'reason'}`)
  return { ...finding, more: 0 }
}

/** The share of the checks that must be possible. With less, a run without findings shows nothing. */
const leastChecked = 0.9
/** The number of findings to keep per check and operation. Others are only counted. */
const mostFindings = 3

/** The results of a run. Only the chosen operations count, although scenes call others too. */
export class Results {
  readonly findings: Finding[] = []
  private readonly causes = new Map<string, Finding>()
  /** Findings of operations that rely on another one, in which the fault shows. */
  private readonly indirect = new Set<Finding>()
  readonly notChecked: NotChecked[] = []
  private readonly results = new Map<string, CheckResult>()
  /** The subjects of operations that were checked, and those that were not because the server did not serve them. */
  private checked = 0
  private readonly doubtful: (() => void)[] = []
  private readonly lost: string[] = []

  constructor(
    private readonly chosen: ReadonlySet<string>,
    private readonly notify: (result: CheckResult) => void,
    /** Called at the first finding, after which no check counts. */
    private readonly onFinding?: () => void
  ) {}

  get checks(): CheckResult[] {
    return [...this.results.values()]
  }

  isChosen(operation: string): boolean {
    return this.chosen.has(operation)
  }

  /** `isDoubtful`: based on an answer that the server cannot serve now. It counts unless nearly all answers are such. */
  held(operation: string, check: Check, isDoubtful = false): void {
    if (isDoubtful) this.doubtful.push(() => this.held(operation, check))
    else this.count(operation, check, 'held')
  }

  broken(facts: Omit<Finding, 'more'>, isDoubtful = false, cause = rowCauseOf(facts.check, facts.operation)): void {
    if (isDoubtful) return void this.doubtful.push(() => this.broken(facts, false, cause))
    const finding = findingOf(facts)
    const { operation, check } = finding
    if (!this.chosen.has(operation) || this.isClosed) return
    this.count(operation, check, 'broken')
    this.onFinding?.()
    const { shownBy, writtenBy = shownBy, fault = undefined } = cause ?? {}
    const keys = fault ? [shownBy, writtenBy].map((id) => `${id} ${fault} rows`) : [causeOf(finding)]
    // A list that shows another user's rows leads to rows that are refused.
    const theirs = /^40[134] /.test(finding.got) ? ['other_users_rows_hidden'] : []
    const [previous] = [...keys, ...theirs].flatMap((it) => this.causes.get(it) ?? [])
    const alike = this.findings.filter((it) => it.operation === operation && it.check === check)
    const first = previous ?? (alike.length < mostFindings ? undefined : alike.at(-1))
    for (const key of keys) if (!this.causes.has(key)) this.causes.set(key, first ?? finding)
    const isDirect = cause === undefined || (cause.shownBy === operation && rowFaults[check] === cause.fault)
    const isOfLink = check === 'association_idempotence'
    if (!first) {
      this.findings.push(finding)
      if (!isDirect && !isOfLink) this.indirect.add(finding)
      return
    }
    if (first.operation === operation && first.title === finding.title) return
    const before = first.operation
    const { more, also = [] } = first
    // The operation that shows the fault says more than those that rely on it, and a link that is made twice more than its list.
    if ((isDirect && this.indirect.delete(first)) || (isOfLink && first.title === finding.title))
      Object.assign(first, finding)
    first.more = more + 1
    const others = [...new Set([...also, before, operation])].filter((it) => it !== first.operation)
    if (others.length > 0) first.also = others
  }

  /** Counts doubtful results. */
  countDoubtful(): void {
    for (const count of this.doubtful.splice(0)) count()
  }

  /** A subject of an operation was checked completely. */
  did(operation: string): void {
    if (this.chosen.has(operation)) this.checked++
  }

  /** `isLost`: because the server did not serve the request. */
  couldNot(operation: string, subject: string, why: string, isLost = false): void {
    const isNew = this.note({ operation, subject, why, kind: 'impossible' })
    if (isNew && isLost) this.lost.push(why)
  }

  /** Why too few subjects were checked for the run to show anything. */
  get shortage(): string | undefined {
    const share = this.checked / (this.checked + this.lost.length)
    if (this.lost.length === 0 || share >= leastChecked) return undefined
    const [[why] = ['']] = groupBy(this.lost, String).sort(([, a], [, b]) => b.length - a.length)
    const percent = Math.floor(share * 100)
    return `only ${percent} % of the checks could be made, and ${leastChecked * 100} % are needed: ${why}.`
  }

  /** A subject of an operation was not checked, or not completely. */
  stopped(operation: string, subject: string, error: Stopped): void {
    const why = error.message || 'a request of it was not answered'
    if (error instanceof LeftOut) this.leftOut(operation, subject, why)
    else this.couldNot(operation, subject, why, error.isLost)
  }

  leftOut(operation: string, subject: string, why: string): void {
    this.note({ operation, subject, why, kind: 'left-out' })
  }

  /** Whether no more checks count. */
  private get isClosed(): boolean {
    return this.onFinding !== undefined && this.findings.length > 0
  }

  private note(entry: NotChecked): boolean {
    const isKnown = this.notChecked.some((it) => it.operation === entry.operation && it.subject === entry.subject)
    if (isKnown || !this.chosen.has(entry.operation)) return false
    this.notChecked.push(entry)
    return true
  }

  private count(operation: string, check: Check, outcome: 'held' | 'broken'): void {
    if (!this.chosen.has(operation) || this.isClosed) return
    const key = `${operation} ${check}`
    const result = this.results.get(key) ?? { operation, check, outcome, times: 0 }
    result.times++
    if (outcome === 'broken') result.outcome = 'broken'
    this.results.set(key, result)
    this.notify(result)
  }
}
