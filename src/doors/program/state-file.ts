import { existsSync, lstatSync, readlinkSync, realpathSync, renameSync, statSync } from 'node:fs'
import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { setImmediate } from 'node:timers'
import { type Adapter, Low } from 'lowdb'
import { lazily } from '../../engine/contract/lazy.js'
import { type Choices, isObject, shown } from '../../engine/contract/load.js'
import { Refusal } from '../../engine/contract/message/refusal.js'
import { once } from '../../engine/contract/once.js'
import type { State } from '../../engine/contract/types.gen.js'
import type { ControlContext } from '../../engine/control/rule.js'
import { readState } from '../../engine/control/state/whole-state.js'
import { DataError, type Edge, type Keeper } from '../../engine/keep/edge.js'
import { lockFile, type Unlock } from '../../engine/keep/lock.js'
import { makeFolder } from '../../engine/keep/make-folder.js'
import type { Override } from '../../engine/overrides/overrides.js'
import type { Sandbox } from '../../engine/sandbox/sandbox.js'
import { Transaction } from '../../engine/sandbox/transaction.js'
import { ProblemError } from '../../engine/serve/problem.js'
import { atOnce } from '../../engine/store/steps.js'
import type { WantedOverride } from './handle/sandbox-handle.js'
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

/** The parts of a file that are not in a state. */
const extras = {
  type: 'object',
  required: ['collections'],
  properties: {
    collections: { type: 'object' },
    clock: {
      type: 'object',
      properties: { speed: { type: 'number', minimum: 0 }, real: { type: 'string', format: 'date-time' } }
    },
    choices: { type: 'object' },
    overrides: {
      type: 'object',
      required: ['list'],
      properties: { made: { type: 'integer', minimum: 0 }, list: { type: 'array' } }
    },
    requests: { type: 'integer', minimum: 0 },
    snapshots: { type: 'object', additionalProperties: { type: 'object', required: ['collections', 'now'] } },
    sandboxes: {
      type: 'object',
      propertyNames: { pattern: '^(?!default$)[A-Za-z0-9_-]{1,64}$' },
      additionalProperties: { type: 'object' }
    }
  }
}

const extrasCheck = once(() => {
  const ajv = (lazily('ajv') as typeof import('ajv')).default
  const formats = (lazily('ajv-formats') as typeof import('ajv-formats')).default
  return formats(new ajv()).compile(extras)
})

function checkExtras(stored: unknown): void {
  if (!isObject(stored)) throw new Error('it is not a JSON object')
  const check = extrasCheck()
  const { instancePath = '', message, propertyName } = (!check(stored) && check.errors?.[0]) || {}
  if (message === undefined) return
  const name = propertyName === undefined ? '' : ` "${propertyName}"`
  const field = `${instancePath.slice(1).replaceAll('/', '.')}${name}`
  throw new Error(field === '' ? message : `${field}: ${message}`)
}

/** lowdb's adapter for a file that people edit. It replaces the file by rename, and only if the file has not changed. */
class EditedFile implements Adapter<StoredMock> {
  /** What the file was when it was last read or written. */
  seen: string | undefined

  constructor(readonly path: string) {}

  async read(): Promise<StoredMock | null> {
    this.seen = this.signature()
    if (this.seen === undefined) return null
    const text = await readFile(this.path, 'utf8')
    try {
      return JSON.parse(text.replace(/^\ufeff/, ''))
    } catch (error) {
      throw new Error(`it is not JSON: ${(error as Error).message}`)
    }
  }

  write(data: StoredMock): Promise<void> {
    return this.replace(JSON.stringify(data, null, 2))
  }

  /** Replaces the file by a copy, so that what prevents it stops the start and not the first change. */
  async renew(): Promise<void> {
    await this.replace(await readFile(this.path)).catch(({ message }: Error) => {
      throw new Error(`it cannot be replaced: ${message}. Give --data a file in a folder that can be written to`)
    })
  }

  private async replace(content: string | Buffer): Promise<void> {
    const next = `${this.path}.${process.pid}.tmp`
    try {
      await writeFile(next, content)
      const { mode } = statSync(this.path, { throwIfNoEntry: false }) ?? {}
      if (mode !== undefined) await chmod(next, mode & 0o777)
      const signature = this.signature(next)
      if (this.signature() !== this.seen)
        throw new Error(
          `${shown(this.path)} was changed by something else. With --watch, the mock reads it, or logs the mistake in it; else it does so at its next start`
        )
      renameSync(next, this.path)
      this.seen = signature
    } catch (error) {
      await rm(next, { force: true }).catch(() => {})
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error
      throw new Error('it is mounted alone: mount its folder')
    }
  }

  /** Undefined: there is no file. */
  signature(path = this.path): string | undefined {
    const { ino, size, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {}
    return ino === undefined ? undefined : `${ino} ${size} ${mtimeMs}`
  }
}

/**
 * Keeps all sandboxes in one JSON file, through lowdb. People read and edit it. Each change writes the whole file before its
 * answer is sent, so the cost grows with the state; that of a folder does not.
 */
export class StateFile implements Keeper {
  start: () => Choices = () => ({})
  private readonly file: EditedFile
  private readonly database: Low<StoredMock>
  private unlock: Unlock | undefined
  private mock: OpenMock | undefined
  private pending: { takeBack: () => void; resolve: () => void; reject: (refusal: Refusal) => void }[] = []
  private writing: Promise<void> | undefined
  /** What undoes the changes made so far, while the file is read. */
  private undos: (() => void)[] | undefined
  /** An edit that is being taken over: changes wait for it. */
  private reading: Promise<void> | undefined

  constructor(path: string) {
    if (!existsSync(path) && lstatSync(path, { throwIfNoEntry: false }))
      throw new Error(
        `data (--data): ${shown(path)} is a link to ${resolve(dirname(path), readlinkSync(path))}, which does not exist. ` +
          'Give the path of that file, and the mock creates it, or remove the link.'
      )
    this.file = new EditedFile(existsSync(path) ? realpathSync(path) : path)
    this.database = new Low(this.file, null as unknown as StoredMock)
  }

  /** Reads the file, or writes the first one. Rejects with a DataError that names collection, id and field. */
  async open(mock: OpenMock, edge: Edge): Promise<void> {
    try {
      makeFolder(dirname(this.file.path))
      this.unlock = await lockFile(this.file.path)
      if (await this.read()) {
        this.take(mock)
        await this.file.renew()
        for (const [name, { requests = 0 }] of this.stored()) mock.sandboxes.use(name).journal.startAt(requests)
        this.mock = mock
      } else {
        this.mock = mock
        const sandbox = mock.sandboxes.use('default')
        await edge.keepRows(sandbox, new Transaction(sandbox))
      }
    } catch (error) {
      await this.unlock?.()
      const { message } = error instanceof Refusal ? { message: error.values?.reason } : (error as Error)
      throw new DataError(`${shown(this.file.path)}: ${message}`)
    }
  }

  /** Takes over a file that was edited, as a whole or not at all. Resolves to undefined if only the mock has written it. */
  async reload(): Promise<string | undefined> {
    await this.writing
    const { mock, file } = this
    if (!mock || file.signature() === file.seen) return undefined
    const { seen } = file
    const reading = this.read().then((isThere) => {
      if (!isThere) throw new Error('the file is gone')
      this.take(mock)
    })
    this.reading = reading.catch(() => {
      // Until it is right, no change is written over it.
      file.seen = seen
    })
    await reading.finally(() => {
      this.reading = undefined
    })
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

  async close(): Promise<void> {
    await this.writing
    await this.unlock?.()
  }

  /** Changes that come together share a write. If it fails, all of them are rolled back, the latest first. */
  private async write(mock: OpenMock): Promise<void> {
    while (this.pending.length > 0) {
      await new Promise((resolve) => setImmediate(resolve))
      const batch = this.pending.splice(0)
      try {
        await this.reading
        this.database.data = storedMock(mock)
        await this.database.write()
        for (const { resolve } of batch) resolve()
      } catch (error) {
        const refusal = new Refusal('not-kept', { reason: (error as Error).message })
        for (const it of [...batch, ...this.pending.splice(0)].reverse()) {
          it.takeBack()
          it.reject(refusal)
        }
      }
    }
  }

  /** Resolves to false if there is no file. */
  private async read(): Promise<boolean> {
    await this.database.read()
    // lowdb leaves the data as they were if there is no file.
    if (this.file.seen === undefined) return false
    const { data } = this.database
    checkExtras(data)
    for (const [name, stored] of Object.entries(data.sandboxes ?? {})) {
      try {
        checkExtras({ ...stored, sandboxes: undefined })
      } catch (error) {
        throw new Error(`in the sandbox ${name}, ${(error as Error).message}`)
      }
    }
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
  const entries = [...snapshots.values()].map((snapshot) => {
    const then = sandbox.fork(sandbox.name, journal.limits)
    then.restore({ ...snapshot, speed: 0 })
    return [snapshot.name, { ...stateOf(mock, then), speed: snapshot.speed }] as const
  })
  return {
    ...stateOf(mock, sandbox),
    clock: { speed: clock.speed, real: new Date(real).toISOString() },
    ...(differing.length > 0 && { choices: Object.fromEntries(differing) }),
    ...(overrides.made > 0 && { overrides: { made: overrides.made, list: overrides.list } }),
    requests: journal.reserved,
    ...(entries.length > 0 && { snapshots: Object.fromEntries(entries) })
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
    const put = (then: State, speed: number, real = Date.now()) => {
      box.state = then
      const now = then.now === undefined ? sandbox.clock.now : Date.parse(then.now)
      sandbox.clock.goBy({ now, speed, real })
    }
    // What an edit leaves out is gone.
    sandbox.choices = mock.edition.choices
    sandbox.snapshots.clear()
    sandbox.overrides.removeAll()
    if (Object.keys(choices).length > 0) box.assume(choices)
    for (const [key, { speed, ...then }] of Object.entries(snapshots)) {
      put(then, 0)
      sandbox.snapshot(key, speed)
    }
    const { speed = sandbox.clock.speed, real } = clock ?? {}
    put(state, speed, real === undefined ? undefined : Date.parse(real))
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
