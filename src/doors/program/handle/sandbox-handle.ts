import { Low } from 'lowdb'
import type { Statuses } from '../../../apis/knowledge-chat/api.js'
import type { OperationId } from '../../../apis/knowledge-chat/rules/rule.js'
import type { Assumptions, Rows, Traits } from '../../../apis/knowledge-chat/types.gen.js'
import { Refusal } from '../../../engine/contract/message/refusal.js'
import { plainCopy } from '../../../engine/contract/message/user-file.js'
import type { Operation } from '../../../engine/contract/model.js'
import { once } from '../../../engine/contract/once.js'
import { Invalid } from '../../../engine/contract/pydantic/explain.js'
import type {
  AssumptionList,
  ClockState,
  Coverage,
  JournalEntry,
  JournalList,
  NewOverride,
  Operations,
  OverrideEntry,
  Scenario,
  ScenarioPlayed,
  SnapshotInfo,
  State,
  Summary,
  Weather,
  WeatherProfile
} from '../../../engine/contract/types.gen.js'
import { callControl } from '../../../engine/control/call.js'
import type { RuledId } from '../../../engine/control/index.js'
import { invalid, wrong } from '../../../engine/control/rule.js'
import type { ControlDoor } from '../../../engine/control/steps.js'
import type { Edge } from '../../../engine/keep/edge.js'
import { sandboxName } from '../../../engine/sandbox/sandbox.js'
import { SandboxMoved } from '../../../engine/sandbox/sandboxes.js'
import type { SandboxSource } from '../../../engine/serve/exchange.js'
import { foreseen, ProblemError } from '../../../engine/serve/problem.js'

/** A sandbox as lowdb's own class. The package declares it as an interface, because CommonJS cannot import lowdb's types. */
class LowSandbox extends Low<State> implements SandboxDatabase {
  constructor(
    private readonly now: () => State,
    write: (state: State) => Promise<void>
  ) {
    super({ read: async () => now(), write }, null as unknown as State)
  }

  /** In one turn, so that no change by somebody else is lost. */
  override async update(change: (data: State) => unknown): Promise<void> {
    this.data = this.now()
    change(this.data)
    await this.write()
  }
}

type Trait<C extends keyof Rows> = Traits[C] | readonly Traits[C][]

/** A filter of the journal. A status may be a number. */
type RequestFilter = Omit<Operations['listRequests']['input']['query'], 'status'> & { status?: string | number }

/**
 * One sandbox, for the program that runs the mock: the control API without HTTP. Everything is synchronous. Errors are thrown
 * as a ProblemError that names the field and the valid values. A dropped sandbox starts again when it is next used. With a data
 * folder, changes are saved soon after the call; if saving fails, they are rolled back and an error is written to stderr.
 */
export interface SandboxHandle extends Disposable {
  readonly name: string
  /** The mock's base address. Empty if it does not listen. */
  readonly url: string
  /** The headers that address a request to this sandbox. */
  readonly headers: { readonly 'X-Mock-Sandbox': string }
  /** The bearer token of a user in this sandbox: `basic~checkout-7`. */
  token(user: string): string
  /** The whole state. A new state is checked before it is used: each row and each reference. */
  state: State
  /** The same as a lowdb database: `await box.db.update(({ collections }) => …)`. */
  readonly db: SandboxDatabase
  readonly clock: SandboxClock
  /** The rows of a collection as the interface shows them now. */
  rows<C extends keyof Rows>(collection: C, filter?: Operations['listRows']['input']['query']): Rows[C][]
  /**
   * Creates one row or several. The fixtures' factories fill in missing fields, to match the given ones. A trait sets several
   * fields that belong together; give one or a list. A user may be given by key, and a time relative to now: `-2h`.
   */
  create<C extends keyof Rows>(collection: C, part?: Partial<Rows[C]> | Trait<C>): Rows[C]
  create<C extends keyof Rows>(collection: C, part: Partial<Rows[C]> | Trait<C>, count: number): Rows[C][]
  create<C extends keyof Rows>(collection: C, trait: Trait<C>, part: Partial<Rows[C]>): Rows[C]
  create<C extends keyof Rows>(collection: C, trait: Trait<C>, part: Partial<Rows[C]>, count: number): Rows[C][]
  /** Changes some fields of a row. In nested objects, null removes a field. */
  update<C extends keyof Rows>(collection: C, id: Rows[C]['id'], patch: Partial<Rows[C]>): Rows[C]
  /** Removes a row that no other row refers to. */
  remove<C extends keyof Rows>(collection: C, id: Rows[C]['id']): void
  /** Changes the status of a file, an index attempt or an association. */
  move<C extends keyof Statuses>(collection: C, id: Rows[C]['id'], to: Statuses[C]): void
  /**
   * Answers requests of an operation, or of a method and path, as given, until it is removed or has been used `times`
   * times.
   */
  override(override: WantedOverride): OverrideHandle
  /**
   * Plays a scenario, by name or as an object. Rejects with a ProblemError that names the failed step and the reason;
   * the sandbox is then as it was before.
   */
  play(scenario: string | Scenario): Promise<ScenarioPlayed>
  /**
   * What happened here, as a scenario that leads from the start to now. It has uploads by size and digest, or in full. It has
   * no secrets.
   */
  capsule(options?: Operations['getCapsule']['input']['query']): Scenario
  /** Changes the weather for all operations. */
  weather(profile: WeatherProfile): Weather
  /** The exchanges of the journal, newest first. */
  requests(filter?: RequestFilter): JournalEntry[]
  /** The same, with the number of matches, and of exchanges that the journal has dropped. */
  journal(filter?: RequestFilter): JournalList
  /** Saves the state under a name. */
  snapshot(name: string): SnapshotInfo
  /** Goes back to a snapshot. */
  restore(name: string): Summary
  /** Goes back to the start, or to another start. */
  reset(start?: Operations['resetSandbox']['input']['body']): Summary
  /** Creates another sandbox as a copy of this one. The name must be free. */
  fork(name: string): SandboxHandle
  /** Changes assumptions. Returns the ledger with the choices in force. */
  assume(choices: Partial<Assumptions>): AssumptionList['assumptions']
  /** The parts of the interface that were used, and the assumptions behind the responses. */
  coverage(options?: Operations['getCoverage']['input']['query']): Coverage
  /** Drops the sandbox. `using` does so automatically. */
  drop(): void
}

interface HandleParts {
  worlds: SandboxSource
  context: ControlDoor['context']
  url(): string
  edge: Edge
  play(sandbox: string, scenario: string | Scenario): Promise<ScenarioPlayed>
  onProblem: (text: string) => void
}

type Asked = { path?: object; query?: object; body?: unknown }

/** Throws a ProblemError if the name is not valid for a sandbox. */
export function createSandboxHandle(name: string, inside: HandleParts): SandboxHandle {
  const { worlds, context, edge } = inside
  const { sandboxes } = context

  const refusing = (error: unknown, operation?: Operation): unknown => {
    if (error instanceof SandboxMoved) return error
    const problem = foreseen({ operation, contract: worlds.contract(sandboxes.use('default')) }, error)
    return problem ? new ProblemError(problem.body) : error
  }
  if (!sandboxName.test(name)) throw refusing(new Refusal('bad-sandbox', { name }))

  /**
   * Calls the control API with the same checks and rules as over HTTP. Values are copied, so that callers cannot change
   * rows.
   */
  const asking = <Id extends RuledId>(
    id: Id,
    { path = {}, query = {}, body = {} }: Asked = {}
  ): { reply: Operations[Id]['reply']; save: Promise<unknown> } => {
    let operation: Operation | undefined
    try {
      const sandbox = worlds.useSandbox(name)
      const contract = worlds.contract(sandbox)
      operation = contract.control.get(id) as Operation
      const { reply, save } = callControl(
        {
          operation,
          contract,
          raw: { path: texts('path', path), query: texts('query', query), body: takenIn(body) },
          isByProgram: true,
          context: { ...context, server: inside.url() },
          enter: () => ({ sandbox, contract }),
          assumed: new Set()
        },
        edge
      )
      return {
        reply: copied(reply.body) as Operations[Id]['reply'],
        save: Promise.resolve(save).catch((error) => {
          throw refusing(error, operation)
        })
      }
    } catch (error) {
      throw refusing(error, operation)
    }
  }

  const ask = <Id extends RuledId>(id: Id, input?: Asked): Operations[Id]['reply'] => {
    const { reply, save } = asking(id, input)
    save.catch(({ message }: Error) => inside.onProblem(`${id} was rolled back: ${message}`))
    return reply
  }
  const database = once(
    () =>
      new LowSandbox(
        () => ask('getState'),
        async (body) => void (await asking('replaceState', { body }).save)
      )
  )

  const handle: SandboxHandle = {
    name,
    get url() {
      return inside.url()
    },
    headers: { 'X-Mock-Sandbox': name },
    token: (user) => `${user}~${name}`,
    get state() {
      return ask('getState')
    },
    set state(body) {
      ask('replaceState', { body })
    },
    get db() {
      return database()
    },
    clock: {
      get now() {
        return ask('getClock').now
      },
      set now(now) {
        ask('setClock', { body: { now } })
      },
      get speed() {
        return ask('getClock').speed
      },
      set speed(speed) {
        ask('setClock', { body: { speed } })
      },
      advance: (advance) => ask('setClock', { body: { advance } }),
      freeze: () => ask('setClock', { body: { speed: 0 } })
    },
    rows: (collection, query = {}) => ask('listRows', { path: { collection }, query }).rows as never,
    create: (collection: keyof Rows, ...values: (object | string | number)[]) => {
      const [trait, ...traits] = values.filter((it) => typeof it === 'string' || Array.isArray(it)).map(String)
      const [count, ...counts] = values.filter((it) => typeof it === 'number')
      const [body = {}, ...bodies] = values.filter((it) => typeof it === 'object' && !Array.isArray(it))
      if (traits.length + counts.length + bodies.length > 0) {
        throw refusing(invalid(['body'], 'Give at most a trait or a list of traits, one part and one count.'))
      }
      const reply = ask('addRow', { path: { collection }, query: { trait, count }, body })
      return (count === undefined ? reply : reply.rows) as never
    },
    update: (collection, id, body) => ask('changeRow', { path: { collection, id }, body }) as never,
    remove: (collection, id) => void ask('removeRow', { path: { collection, id } }),
    move: (collection, id, to) => void ask('moveRow', { path: { collection, id }, body: { to } }),
    override(body) {
      const entry = ask('addOverride', { body })
      const overridesOf = () => sandboxes.find(name)?.overrides
      const start = overridesOf()
      return {
        ...entry,
        remove() {
          // After a reset another override may have the id.
          if (start === overridesOf() && start?.find(entry.id)) ask('deleteOverride', { path: { id: entry.id } })
        }
      }
    },
    async play(scenario) {
      try {
        return copied(await inside.play(name, takenIn(scenario) as string | Scenario)) as ScenarioPlayed
      } catch (error) {
        throw refusing(error, worlds.contract(worlds.useSandbox(name)).control.get('playScenario'))
      }
    },
    capsule: (query = {}) => ask('getCapsule', { query }),
    weather: (profile) => ask('setWeather', { body: { profile } }),
    requests: (query) => handle.journal(query).requests,
    journal: (query = {}) => ask('listRequests', { query }),
    snapshot: (snapshot) => ask('takeSnapshot', { path: { name: snapshot } }),
    restore: (snapshot) => ask('restoreSnapshot', { path: { name: snapshot } }),
    reset: (body) => ask('resetSandbox', { body }),
    fork(fork) {
      ask('makeSandbox', { body: { name: fork, from: name } })
      return createSandboxHandle(fork, inside)
    },
    assume: (body) => ask('changeAssumptions', { body }).assumptions,
    coverage: (query = {}) => ask('getCoverage', { query }),
    drop() {
      // The default sandbox always exists.
      if (name === 'default') ask('resetSandbox')
      else if (sandboxes.find(name)) ask('dropSandbox', { path: { name } })
    },
    [Symbol.dispose]() {
      handle.drop()
    }
  }
  return handle
}

/** Path or query as texts, as in a URL. Throws an Invalid for a value that no URL has. */
function texts(part: 'path' | 'query', values: object): Record<string, string> {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined)
  const problems = pairs
    .filter(([, value]) => !['string', 'number', 'boolean'].includes(typeof value))
    .map(([key, value]) => wrong([part, key], `Give a text, a number or a boolean, not ${kindOf(value)}.`))
  if (problems.length > 0) throw new Invalid(problems)
  return Object.fromEntries(pairs.map(([key, value]) => [key, String(value)]))
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`
}

/** The body as it would arrive in a request. */
function takenIn(body: unknown): unknown {
  try {
    return plainCopy(body, 'The body contains itself', 'The body')
  } catch (error) {
    throw new Refusal('unreadable-body', { detail: `${(error as Error).message}.` })
  }
}

/** A value that the caller may change. */
function copied(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

/**
 * A sandbox as a lowdb database. `data` has the format of `GET /__mock/state`; it is null before the first `read`, and may be
 * changed in place. `write` checks and replaces the whole state: if a row is wrong, it rejects with a ProblemError and nothing
 * changes. It resolves once the change is saved.
 */
export interface SandboxDatabase {
  data: State
  read(): Promise<void>
  write(): Promise<void>
  /** Reads, changes and writes. */
  update(change: (data: State) => unknown): Promise<void>
}

/** The clock of a sandbox. */
export interface SandboxClock {
  /** ISO 8601. */
  now: string
  /** Seconds of this clock per real second. 0 means that it is stopped. */
  speed: number
  /** Moves the clock forward by milliseconds, or by a text such as `2h` or `1d 12h`. */
  advance(duration: string | number): ClockState
  freeze(): ClockState
}

/** An override of an operation, or of a path: `{ method: 'GET', path: '/api/notes/{id}', body: {} }`. */
export type WantedOverride = Omit<NewOverride, 'operation' | 'method' | 'path'> &
  ({ operation: OperationId | '*' } | (Pick<NewOverride, 'method'> & { path: string }))

export interface OverrideHandle extends OverrideEntry {
  /** Removes the override if it still exists. */
  remove(): void
}
