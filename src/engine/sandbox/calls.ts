import type { Choices } from '../contract/load.js'
import { Latest } from '../contract/once.js'
import type { Counts } from '../contract/types.gen.js'
import type { JournalLimits } from '../journal/journal.js'
import type { Override } from '../overrides/overrides.js'
import { forkStore, type Store } from '../store/rows.js'
import type { Recipe } from './bases.js'
import type { Ids } from './ids.js'
import type { LiveState } from './state.js'

interface NumberedCall {
  /** Its place among all calls of the sandbox, once it is added. */
  number: number
  /** Approximate. */
  bytes: number
}

/**
 * A request to a sandbox, with everything needed to repeat it. Nothing is redacted yet. Many are kept, so all fields are there
 * from the beginning: a field that is added later takes a separate object.
 */
export interface RecordedCall extends NumberedCall {
  /** The time on the clock: milliseconds since 1970. */
  now: number
  method: string
  /** Path and query, as received. */
  target: string
  operation: string | undefined
  params: Record<string, string>
  /** The key of the user who sent it; null: no one. */
  user: string | null
  /** Those that an answer may depend on, alternating names and values. */
  headers: readonly string[]
  /** The body as a text, and how it was read. */
  text: string | undefined
  form: 'json' | 'text' | 'malformed'
  /** The fields of a form, instead of a text. */
  fields: Record<string, unknown> | undefined
  /** 0: the connection broke. */
  status: number
  /** The id of its exchange in the journal. */
  request: string | undefined
}

/** A call of the control API that changed something. */
export interface RecordedControlCall extends NumberedCall {
  now: number
  control: string
  path: Record<string, unknown>
  query: Record<string, unknown>
  body: unknown
}

export type AnyCall = RecordedCall | RecordedControlCall

export function isCall(call: AnyCall): call is RecordedCall {
  return 'target' in call
}

export interface Origin {
  /** What its rows are created from; undefined: they are given. */
  recipe: (Recipe & { dated: number }) | undefined
  fixtures: string
  rows: Store
  ids: Ids
  now: number
  choices: Choices
  overrides: readonly Override[]
  /** The random seed, and the numbers in `Start.counts`. */
  chance: { seed: number; counts: Counts }
  /** The number of exchanges in the journal before it. */
  position: number
}

export interface Stage {
  origin: Origin
  calls: AnyCall[]
}

/** What the calls do not include, and how often. */
export interface Gaps {
  /** Changes before the first that is kept: the origin is the state after them. */
  cut: number
  /** Exchanges that changed nothing, of which only the last ones are kept. */
  forgotten: number
  /** Exchanges whose body was not read to its end, and whose client left before the answer. */
  unread: number
  /** Requests that waited between the draw of an override and their answer, while others were answered. */
  overlapped: number
}

/** The changes that follow an origin. */
interface Stretch {
  origin: Origin
  /** Whether the state was loaded: earlier calls do not lead to it. */
  isPutIn: boolean
  /** How many calls there were before. */
  from: number
  changes: AnyCall[]
  bytes: number
}

/**
 * The calls in a sandbox since its start. Their number is limited: if there are too many changes, the first half is forgotten,
 * and the state after it is the origin of the rest. Of the exchanges that changed nothing, the last ones are kept.
 */
export class CallLog {
  private stretches: Stretch[]
  private others: Latest<RecordedCall>
  /** How many there were. */
  count = 0
  readonly gaps: Gaps = { cut: 0, forgotten: 0, unread: 0, overlapped: 0 }
  /** Exchanges of calls up to this number are not in the journal of the sandbox. */
  private foreign = 0

  constructor(
    private readonly limits: JournalLimits,
    origin: Origin
  ) {
    this.stretches = [{ origin, isPutIn: true, from: 0, changes: [], bytes: 0 }]
    const { entries, bytes } = limits
    this.others = new Latest({ items: Math.ceil(entries / othersShare), bytes: bytes / byteShare, least: 0 })
  }

  /** All stages that are kept, in order: from the first origin, and from each state that was loaded since. */
  get stages(): Stage[] {
    const [first] = this.stretches as [Stretch]
    const changes = this.stretches.flatMap((it) => it.changes)
    const calls = [...changes, ...this.others.items.filter((it) => it.number > first.from)]
      .sort((a, b) => a.number - b.number)
      .map((call) => (call.number > this.foreign ? call : { ...call, request: undefined }))
    const begins = this.stretches.filter((it) => it === first || it.isPutIn)
    return begins.map(({ origin, from }, at) => {
      const until = begins[at + 1]?.from ?? Number.POSITIVE_INFINITY
      return { origin, calls: calls.filter(({ number }) => number > from && number <= until) }
    })
  }

  /** Adds the latest call in a sandbox. */
  add(call: AnyCall, hasChanged: boolean, sandbox: LiveState): void {
    this.count += 1
    call.number = this.count
    if (hasChanged || !isCall(call)) this.addChange(call, sandbox)
    else this.gaps.forgotten += this.others.add(call)?.length ?? 0
  }

  /** Records that the whole state was loaded. `bytes`: the size of its rows. */
  putIn(origin: Origin, bytes: number): void {
    // An origin that nothing follows leads nowhere.
    if (this.stretches.at(-1)?.from === this.count) this.stretches.pop()
    this.begin({ origin, isPutIn: true, from: this.count, changes: [], bytes: bytes + perOrigin })
  }

  /** Whether one of these calls took a snapshot. */
  hasMade(snapshot: string): boolean {
    const isIt = (call: AnyCall) => !isCall(call) && call.control === 'takeSnapshot' && call.path.name === snapshot
    return this.stretches.some(({ changes }) => changes.some(isIt))
  }

  copy(): CallLog {
    const copy = new CallLog(this.limits, (this.stretches[0] as Stretch).origin)
    copy.stretches = this.stretches.map((it) => ({ ...it, changes: [...it.changes] }))
    copy.others = this.others.copy()
    Object.assign(copy, { count: this.count, foreign: this.foreign })
    Object.assign(copy.gaps, this.gaps)
    return copy
  }

  /** The calls for a sandbox that continues from here, with another journal. */
  fork(): CallLog {
    return Object.assign(this.copy(), { foreign: this.count })
  }

  private addChange(call: AnyCall, sandbox: LiveState): void {
    const stretch = this.stretches.at(-1) as Stretch
    stretch.changes.push(call)
    stretch.bytes += call.bytes
    if (stretch.changes.length < this.mostChanges && stretch.bytes <= this.limits.bytes / byteShare) return
    this.begin({ origin: originOf(sandbox), isPutIn: false, from: this.count, changes: [], bytes: 0 })
  }

  private get mostChanges(): number {
    return Math.ceil((this.limits.entries * changesPerEntry) / 2)
  }

  /** Begins a stretch. The first ones are forgotten if all are too large, or need a forgotten snapshot. */
  private begin(next: Stretch): void {
    const all = [...this.stretches, next]
    const isTooMuch = () =>
      sum(all, ({ changes }) => changes.length) > this.mostChanges ||
      sum(all, ({ bytes }) => bytes) > (2 * this.limits.bytes) / byteShare ||
      (all[0] !== this.stretches[0] && needsSnapshot(all))
    while (all.length > 1 && isTooMuch()) this.gaps.cut += (all.shift() as Stretch).changes.length
    this.stretches = all
  }
}

/** Whether the calls go back to a snapshot that they have not taken. */
function needsSnapshot(stretches: readonly Stretch[]): boolean {
  const names = new Set<unknown>()
  return stretches
    .flatMap(({ changes }) => changes)
    .some((call) => {
      if (isCall(call)) return false
      if (call.control === 'takeSnapshot') names.add(call.path.name)
      return (call.control === 'restoreSnapshot' || call.control === 'deleteSnapshot') && !names.has(call.path.name)
    })
}

function sum(stretches: readonly Stretch[], size: (stretch: Stretch) => number): number {
  return stretches.reduce((all, it) => all + size(it), 0)
}

/** The approximate size of a loaded state without its rows, in bytes. */
const perOrigin = 2048
/** The number of changes that are kept for each exchange that the journal keeps. */
const changesPerEntry = 5
/**
 * The journal keeps this many times more exchanges than the calls keep without a change. These are compared when the calls are
 * repeated. More of them would slow down each request, because the garbage collector moves them.
 */
const othersShare = 10
/** Half of the changes, and the rest, may each have this share of the journal's bytes. */
const byteShare = 8

/** `start`: the sandbox has just begun with its rows. */
export function originOf(
  sandbox: LiveState,
  start?: Pick<Origin, 'fixtures' | 'rows' | 'choices'> & { recipe?: Origin['recipe'] }
): Origin {
  const { ids, clock, overrides, chance, journal } = sandbox
  const { fixtures, choices } = start ?? sandbox
  return {
    recipe: start?.recipe,
    fixtures,
    rows: start?.rows ?? forkStore(sandbox.rows),
    ids: ids.fork(),
    now: start ? clock.anchor.now : clock.now,
    choices,
    overrides: overrides.list,
    chance: { seed: chance.seed, counts: { chance: chance.drawn, overrides: overrides.made } },
    position: journal.position
  }
}
