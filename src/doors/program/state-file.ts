import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setImmediate } from 'node:timers'
import { Low } from 'lowdb'
import { JSONFile } from 'lowdb/node'
import { type Choices, shown } from '../../contract/load.js'
import { Refusal } from '../../contract/message/refusal.js'
import type { State } from '../../contract/types.gen.js'
import type { Override } from '../../mock/overrides/overrides.js'
import { DataError, type Edge } from '../../mock/persistence/edge.js'
import { makeFolder } from '../../mock/persistence/make-folder.js'
import type { Keeper } from '../../mock/persistence/state-log.js'
import type { Sandbox } from '../../mock/sandbox/sandbox.js'
import { Transaction } from '../../mock/sandbox/transaction.js'
import type { ControlContext } from '../../rules/control/rule.js'
import { readState } from '../../rules/control/state/whole-state.js'
import { ProblemError } from '../../serve/control/problem.js'
import { atOnce } from '../../store/steps.js'
import type { WantedOverride } from './handle/handle-parts.js'
import type { OpenMock } from './open-mock.js'

/** A sandbox in the file: what `GET /__mock/state` shows, and what that leaves out. Everything but `collections` may be missing. */
interface StoredSandbox extends State {
  /** The machine's time at `now`, so that a running clock continues. */
  clock?: { speed: number; real: string }
  /** The choices that differ from those of the mock. */
  choices?: Choices
  /** The newest first, and how many were ever made. */
  overrides?: { made: number; list: readonly Override[] }
  /** Request ids up to this number may have been used. */
  requests?: number
  snapshots?: Record<string, State & { speed: number }>
}

/** The sandbox `default`, with the others in it. */
interface StoredMock extends StoredSandbox {
  sandboxes?: Record<string, StoredSandbox>
}

/** Whether `--data` names a file. */
export function isStateFile(data: string | undefined): data is string {
  return data?.endsWith('.json') === true
}

/**
 * Keeps all sandboxes in one JSON file, through lowdb. People read and edit it. Each change writes the whole file before its
 * answer is sent, so the cost grows with the state; that of a folder does not.
 */
export class StateFile implements Keeper {
  start: () => Choices = () => ({})
  readonly isLarge = false
  private readonly database: Low<StoredMock | null>
  private mock: OpenMock | undefined
  private pending: { takeBack: () => void; resolve: () => void; reject: (error: Error) => void }[] = []
  private writing: Promise<boolean> | undefined
  /** What undoes the changes made so far, while the file is read. */
  private undos: (() => void)[] | undefined
  /** What the file was when it was last read or written. */
  private seen: string | undefined

  constructor(private readonly file: string) {
    this.database = new Low<StoredMock | null>(new JSONFile(file), null)
  }

  /** Reads the file, or writes the first one. Rejects with a DataError that names collection, id and field. */
  async open(mock: OpenMock, edge: Edge): Promise<void> {
    try {
      makeFolder(dirname(this.file))
      if (await this.read()) {
        this.take(mock)
        for (const [name, { requests = 0 }] of this.stored()) mock.sandboxes.use(name).journal.startAt(requests)
        this.mock = mock
      } else {
        this.mock = mock
        const sandbox = mock.sandboxes.use('default')
        await edge.keepRows(sandbox, new Transaction(sandbox))
      }
    } catch (error) {
      throw new DataError(`${shown(this.file)}: ${(error as Error).message}`)
    }
  }

  /** Takes over a file that was edited, as a whole or not at all. Resolves to undefined if only the mock has written it. */
  async reload(): Promise<string | undefined> {
    await this.writing
    const { mock, seen } = this
    if (!mock || (await this.signature()) === seen) return undefined
    try {
      if (!(await this.read())) throw new Error('the file is gone')
      this.take(mock)
    } catch (error) {
      // Until it is right, no change is written over it.
      this.seen = seen
      throw error
    }
    return `${this.stored().length} sandboxes`
  }

  append(_: unknown, takeBack: () => void): Promise<void> {
    // While the file is read, every change is in it.
    if (this.undos) {
      this.undos.push(takeBack)
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      this.pending.push({ takeBack, resolve, reject })
      this.writing ??= this.write(this.mock as OpenMock).finally(() => {
        this.writing = undefined
      })
    })
  }

  confirm(_: Sandbox, underWay: Promise<boolean> | undefined): Promise<boolean> | undefined {
    return underWay?.catch(() => false)
  }

  shown(): Promise<boolean> | undefined {
    return this.writing
  }

  isLost(): boolean {
    return false
  }

  refusalOf({ message }: Error): Refusal {
    return new Refusal('not-kept', { reason: message })
  }

  async close(): Promise<void> {
    await this.writing
  }

  /**
   * Changes that come together share a write. If it fails, all of them are rolled back, the latest first, and it resolves to
   * false.
   */
  private async write(mock: OpenMock): Promise<boolean> {
    let isKept = true
    while (this.pending.length > 0) {
      await new Promise((resolve) => setImmediate(resolve))
      const batch = this.pending.splice(0)
      try {
        if ((await this.signature()) !== this.seen)
          throw new Error(
            `${shown(this.file)} was changed by something else. Restart the mock, or start it with --watch`
          )
        this.database.data = storedMock(mock)
        await this.database.write()
        this.seen = await this.signature()
        for (const { resolve } of batch) resolve()
      } catch (error) {
        isKept = false
        for (const it of [...batch, ...this.pending.splice(0)].reverse()) {
          it.takeBack()
          it.reject(error as Error)
        }
      }
    }
    return isKept
  }

  /** Resolves to false if there is no file. */
  private async read(): Promise<boolean> {
    this.seen = await this.signature()
    if (this.seen === undefined) return false
    await this.database.read().catch(({ message }: Error) => {
      throw new Error(`it is not JSON: ${message}`)
    })
    const { data } = this.database
    if (typeof data !== 'object' || data === null || Array.isArray(data)) throw new Error('it is no JSON object')
    return true
  }

  private stored(): [name: string, StoredSandbox][] {
    const { sandboxes = {}, ...first } = this.database.data as StoredMock
    return [['default', first], ...Object.entries(sandboxes)]
  }

  /** Puts all sandboxes of the file into the mock. If one is wrong, none is changed. */
  private take(mock: OpenMock): void {
    const undos: (() => void)[] = []
    const { sandboxes } = mock
    this.undos = undos
    try {
      for (const [name, stored] of this.stored()) {
        const before = sandboxes.find(name)
        undos.push(before ? before.remember() : () => sandboxes.drop(name))
        takeSandbox(mock, name, stored)
      }
    } catch (error) {
      for (const undo of undos.reverse()) undo()
      throw error
    } finally {
      this.undos = undefined
    }
    const names = new Set(this.stored().map(([name]) => name))
    for (const { name } of sandboxes.list()) if (!names.has(name)) sandboxes.drop(name)
  }

  private async signature(): Promise<string | undefined> {
    const { mtimeMs, size, ino } = (await stat(this.file).catch(missing)) ?? {}
    return ino === undefined ? undefined : `${ino} ${size} ${mtimeMs}`
  }
}

function missing({ code, message }: NodeJS.ErrnoException): undefined {
  if (code !== 'ENOENT') throw new Error(message)
}

function storedMock(mock: OpenMock): StoredMock {
  const { sandboxes } = mock
  const others = sandboxes.list().filter(({ name }) => name !== 'default')
  return {
    ...storedSandbox(mock, sandboxes.use('default')),
    ...(others.length > 0 && {
      sandboxes: Object.fromEntries(others.reverse().map((it) => [it.name, storedSandbox(mock, it)]))
    })
  }
}

function storedSandbox(mock: OpenMock, sandbox: Sandbox): StoredSandbox {
  const { clock, choices, overrides, journal, snapshots } = sandbox
  const { real } = clock.moment
  const differing = Object.entries(choices).filter(([id, choice]) => choice !== mock.edition.choices[id])
  const kept = [...snapshots.values()].map((snapshot) => {
    const then = sandbox.fork(sandbox.name, journal.limits)
    then.restore({ ...snapshot, speed: 0 })
    return [snapshot.name, { ...stateOf(mock, then), speed: snapshot.speed }] as const
  })
  return {
    ...stateOf(mock, sandbox),
    clock: { speed: clock.speed, real: new Date(real).toISOString() },
    ...(differing.length > 0 && { choices: Object.fromEntries(differing) }),
    ...(overrides.made > 0 && { overrides: { made: overrides.made, list: overrides.all() } }),
    requests: journal.reserved,
    ...(kept.length > 0 && { snapshots: Object.fromEntries(kept) })
  }
}

function stateOf({ edition }: OpenMock, sandbox: Sandbox): State {
  const contract = edition.contractOf(sandbox.choices)
  return atOnce(readState({ query: {} } as never, { sandbox, contract, hidesSecrets: false } as ControlContext))
}

/** Gives a sandbox what the file says, by the calls that check it. */
function takeSandbox(mock: OpenMock, name: string, stored: StoredSandbox): void {
  const { clock, choices = {}, overrides, requests: _, snapshots = {}, ...state } = stored
  const where = name === 'default' ? '' : `in the sandbox ${name}, `
  try {
    const box = mock.sandbox(name)
    const sandbox = mock.sandboxes.use(name)
    if (Object.keys(choices).length > 0) box.assume(choices)
    for (const [key, { speed, ...then }] of Object.entries(snapshots)) {
      box.state = then
      sandbox.snapshot(key, speed)
    }
    box.state = state
    const { speed = sandbox.clock.speed, real } = clock ?? {}
    sandbox.clock.goBy({ now: sandbox.clock.now, speed, real: real === undefined ? Date.now() : Date.parse(real) })
    for (const it of [...(overrides?.list ?? [])].reverse()) box.override(it as WantedOverride)
    sandbox.overrides.made = Math.max(sandbox.overrides.made, overrides?.made ?? 0)
  } catch (error) {
    const [first] = (error instanceof ProblemError && error.problem.errors) || []
    throw new Error(where + (first ? placed(first, state) : (error as Error).message))
  }
}

/** `labels 3, field name: Input should be a valid string`, from the place in the state. */
function placed({ field, detail }: { field: string; detail: string }, { collections }: State): string {
  const [, collection = '', position = '', ...inner] = field.split('.')
  const row = (collections as Record<string, { id?: unknown }[] | undefined>)[collection]?.[Number(position)]
  if (!row || !field.startsWith('collections.')) return `${field}: ${detail}`
  return `${collection} ${row.id ?? `at position ${position}`}, field ${inner.join('.') || '(the whole row)'}: ${detail}`
}
