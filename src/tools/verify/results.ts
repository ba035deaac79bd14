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

  broken(found: Omit<Finding, 'more'>, isDoubtful = false): void {
    if (isDoubtful) return void this.doubtful.push(() => this.broken(found))
    const finding = findingOf(found)
    const { operation, check } = finding
    if (!this.chosen.has(operation) || this.isClosed) return
    this.count(operation, check, 'broken')
    this.onFinding?.()
    const alike = this.findings.filter((it) => it.operation === operation && it.check === check)
    if (alike.some((it) => it.title === finding.title)) return
    if (alike.length < mostFindings) this.findings.push(finding)
    else (alike[mostFindings - 1] as Finding).more++
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
