import type { Choices } from '../contract/load.js'
import { Latest } from '../contract/once.js'
import { type JournalLimits, numberOf } from '../journal/journal.js'
import type { Override } from '../overrides/overrides.js'
import type { Write } from '../store/collection.js'
import { bytesOf, type Store } from '../store/rows.js'
import type { Counters } from './ids.js'
import type { LiveState, State } from './state.js'

/** A moment of a sandbox: its state after a change, except its rows and ids. */
export interface Moment {
  /** Counts the changes. 0: the start of the history. */
  number: number
  /** The id of the exchange that changed something, once it is in the journal. */
  request: string | undefined
  /** The control operation that changed something, and what its path names. */
  control: string | undefined
  /** Whether a program did it, without a request. */
  isByProgram: boolean
  of: string
  /** Milliseconds since 1970, by the sandbox's clock and by the real one. */
  now: number
  real: number
  speed: number
  position: number
  choices: Choices
  overrides: readonly Override[]
  /** How many overrides were added. */
  made: number
  /** The random seed, and how many numbers were drawn. */
  seed: number
  drawn: number
}

/** What a control call replaced as a whole. */
export type ReplacedState = Pick<State, 'fixtures' | 'base' | 'rows' | 'ids'>

export type MomentEnd = Pick<Moment, 'now' | 'real' | 'position'>

/** A change, with what undoes it. Rows are immutable, so their old versions cost only pointers. */
export interface RecordedChange extends Moment {
  writes: readonly Write[]
  /** The earlier values of the id counters that changed. */
  counters: Counters | undefined
  replaced: ReplacedState | undefined
  bytes: number
}

/** The parts of a change that the caller records. */
export type MadeChange = Pick<RecordedChange, 'writes' | 'counters'> &
  Partial<Pick<RecordedChange, 'control' | 'isByProgram' | 'of' | 'replaced'>> & { now?: number }

/** The approximate bytes of a change without its rows, and of each of its writes. */
const [overhead, perWrite] = [300, 200]
/** The bytes of replaced rows may be this share of the journal's limit. */
const byteShare = 4

/**
 * The latest changes of a sandbox, for looking back. A read costs nothing, and a write some pointers: the rows of a moment are
 * found by undoing the changes since. Limited by number and bytes; the newest change is always kept.
 */
export class History {
  private readonly log: Latest<RecordedChange>
  private origin: Moment
  /** The change after which the journal began at one again. */
  private restart = 0

  private constructor(
    limits: JournalLimits,
    sandbox: LiveState,
    /** The rows after the latest change. If the sandbox has others, they came from elsewhere, and the history is invalid. */
    private rows: Store
  ) {
    this.origin = momentOf(changeOf(0, sandbox, { writes: [], counters: undefined }))
    this.log = new Latest({ items: limits.entries, bytes: limits.bytes / byteShare, least: 1 })
  }

  static begin(sandbox: LiveState): History {
    return new History(sandbox.journal.limits, sandbox, sandbox.rows)
  }

  /** Whether it leads to the state of the sandbox. */
  fits({ rows }: { readonly rows: Store }): boolean {
    return this.rows === rows
  }

  /** Adds the latest change. The id of an exchange is not known before its answer is recorded. */
  add(sandbox: LiveState, done: MadeChange): RecordedChange {
    const change = changeOf(this.latest.number + 1, sandbox, done)
    this.rows = sandbox.rows
    const forgotten = this.log.add(change)?.at(-1)
    if (forgotten) this.origin = momentOf(forgotten)
    return change
  }

  /** The journal begins at one again. */
  restartJournal(): void {
    this.restart = this.latest.number
  }

  get earliest(): Moment {
    return this.origin
  }

  get latest(): Moment {
    return this.changes.at(-1) ?? this.origin
  }

  private get changes(): readonly RecordedChange[] {
    return this.log.items
  }

  /** The number of the first exchange in the journal whose state can be shown. */
  get firstExchange(): number {
    if (this.restart > this.origin.number) return 1
    return numberOf(this.origin.request ?? '') ?? this.origin.position + 1
  }

  /** The changes by control calls, oldest first. */
  controls(since = -1): RecordedChange[] {
    return this.changes.filter(({ control, number }) => control !== undefined && number > since)
  }

  /** The moment of this number: m12. */
  moment(number: number): Moment | undefined {
    return number === this.origin.number ? this.origin : this.change(number)
  }

  /** The same with what undoes it. */
  change(number: number): RecordedChange | undefined {
    return this.changes[number - this.origin.number - 1]
  }

  /** The moment of an exchange of the journal. It is the one before, if the exchange has changed nothing. */
  momentOf(exchange: number): Moment | undefined {
    if (exchange < this.firstExchange) return undefined
    const since = this.changes.filter(({ number }) => number > this.restart)
    const begin = this.moment(Math.max(this.restart, this.origin.number))
    const change = since.find(({ request }) => request !== undefined && numberOf(request) === exchange)
    const isBefore = ({ request, control, position }: RecordedChange) =>
      control === undefined ? request !== undefined && (numberOf(request) as number) < exchange : position < exchange
    return change ?? since.findLast(isBefore) ?? begin
  }

  /** When a moment ended with the next change. Until then, only time changed what it shows. */
  endOf(moment: Moment, { clock, journal }: Pick<LiveState, 'clock' | 'journal'>): MomentEnd {
    const next = this.moment(moment.number + 1)
    if (!next) return { now: clock.now, real: clock.real, position: journal.position }
    const { now, real, position } = next
    // A clock that was set back ran until then.
    return { now: now >= moment.now ? now : moment.now + moment.speed * (real - moment.real), real, position }
  }

  after({ number }: Moment): RecordedChange[] {
    return this.changes.slice(number - this.origin.number).reverse()
  }
}

/** The fields one by one: a spread would make an object that is several times as large and slow. */
function changeOf(
  number: number,
  sandbox: LiveState,
  { now, writes, counters, replaced, control, isByProgram = false, of = '' }: MadeChange
): RecordedChange {
  const { clock, journal, choices, overrides, chance } = sandbox
  return {
    number,
    request: undefined,
    control,
    isByProgram,
    of,
    now: now ?? clock.now,
    real: clock.real,
    speed: clock.speed,
    position: journal.position,
    choices,
    overrides: overrides.list,
    made: overrides.made,
    seed: chance.seed,
    drawn: chance.drawn,
    writes,
    counters,
    replaced,
    bytes: bytesOfDone(writes) + (replaced ? bytesOfReplaced(replaced, sandbox) : 0)
  }
}

/** Without what undoes it. */
function momentOf({ writes: _, counters: __, replaced: ___, bytes: ____, ...moment }: RecordedChange): Moment {
  return moment
}

function bytesOfDone(writes: readonly Write[]): number {
  let bytes = overhead + perWrite * writes.length
  for (const { lost } of writes) bytes += lost
  return bytes
}

/** A base is counted if the sandbox has another one by now, because no other sandbox may need it. */
function bytesOfReplaced(state: ReplacedState, { base }: LiveState): number {
  return bytesOf(state.rows) - (base && state.base?.rows === base.rows ? bytesOf(base.rows) : 0)
}
