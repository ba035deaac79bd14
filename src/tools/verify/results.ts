import type { Check } from './checks.js'
import { groupBy } from './group.js'

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
export function findingOf(told: Omit<Finding, 'more'>): Finding {
  const silent = Object.entries(told).find(([, text]) => String(text).trim() === '')
  if (silent || /:\s*$/.test(told.expected))
    throw new Error(`a finding of ${told.operation} has no ${silent?.[0] ?? 'reason'}`)
  return { ...told, more: 0 }
}

/** The share of the checks that must be possible. With less, a run without findings shows nothing. */
const leastChecked = 0.9

/** The number of findings to keep per check and operation. Others are only counted. */
const kept = 3

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
    private readonly notify: (result: CheckResult) => void
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
    if (!this.chosen.has(operation)) return
    this.count(operation, check, 'broken')
    const alike = this.findings.filter((it) => it.operation === operation && it.check === check)
    if (alike.some((it) => it.title === finding.title)) return
    if (alike.length < kept) this.findings.push(finding)
    else (alike[kept - 1] as Finding).more++
  }

  /** Counts doubtful results. */
  believe(): void {
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

  leftOut(operation: string, subject: string, why: string): void {
    this.note({ operation, subject, why, kind: 'left-out' })
  }

  private note(entry: NotChecked): boolean {
    const isKnown = this.notChecked.some((it) => it.operation === entry.operation && it.subject === entry.subject)
    if (isKnown || !this.chosen.has(entry.operation)) return false
    this.notChecked.push(entry)
    return true
  }

  private count(operation: string, check: Check, outcome: 'held' | 'broken'): void {
    if (!this.chosen.has(operation)) return
    const key = `${operation} ${check}`
    const result = this.results.get(key) ?? { operation, check, outcome, times: 0 }
    result.times++
    if (outcome === 'broken') result.outcome = 'broken'
    this.results.set(key, result)
    this.notify(result)
  }
}
