import { isObject, type Json, type JsonObject } from '../../engine/contract/load.js'
import type { Operation } from '../../engine/contract/model.js'
import {
  type Id,
  isSameId,
  kindNamed,
  type Read,
  type RowIds,
  type RowKind,
  unknownNumber,
  unknownUuid
} from './api.js'
import type { Exchange, Reply } from './calls/client.js'
import type { Input } from './calls/request.js'
import { conforms, verdict } from './judge.js'
import type { Run } from './run.js'

/** The number of rows to try per kind, besides those that the user named. */
const triedRows = 6
/** The number of rows of a list whose details are read. */
const detailedRows = 5

/** The rows that are known. Those given as disposable, and on this mock those of examples, may be changed and deleted. */
export class KnownRows {
  private readonly byKind = new Map<string, Id[]>()
  /** The rows as they were first read, by kind and id: `thing 3`. */
  private readonly first = new Map<string, JsonObject>()

  private constructor(
    private readonly run: Run,
    private readonly disposable: RowIds,
    private readonly namedIds: RowIds
  ) {
    run.needs.known = (kind) => this.known(kind)
  }

  /** Reads the lists of the interface and keeps the first readable rows of each kind. */
  static async discover(run: Run, known: RowIds, disposable: RowIds): Promise<KnownRows> {
    const { api, settings } = run
    const namedIds = merged([disposable, known])
    const examples = settings.isMock ? idsInExamples(run) : {}
    const listed = await listedIds(run)
    const owned = Object.entries(listed).filter(([kind]) => settings.isMock && api.kinds[kind]?.isOwned)
    const rows = new KnownRows(run, merged([disposable, examples, Object.fromEntries(owned)]), namedIds)
    for (const [kind, { read, likely }] of Object.entries(api.kinds)) {
      const candidates = merged([namedIds, examples, { [kind]: likely }, listed])[kind] ?? []
      if (read !== undefined) await rows.findReadable(kind, read, candidates, listed[kind] ?? [])
      else
        for (const id of known[kind] ?? []) {
          const why = 'no operation reads such a row: name it with --disposable'
          if (!disposable[kind]?.includes(id)) rows.unused(kind, id, why)
        }
    }
    return rows
  }

  /** A row that can be read. */
  known(kind: string): Id | undefined {
    return this.byKind.get(kind)?.[0]
  }

  readable(kind: string): Id[] {
    return this.byKind.get(kind) ?? []
  }

  /** A row as it was when it was first read. */
  before(kind: string, id: Id): JsonObject | undefined {
    return this.first.get(`${kind} ${id}`)
  }

  /** Rows that may be changed and deleted. */
  own(kind: string): readonly Id[] {
    return this.disposable[kind] ?? []
  }

  /** Adds a row that the run has created and may change. */
  add(kind: string, id: Id, row: JsonObject): void {
    this.disposable[kind] = [id, ...this.own(kind)]
    this.first.set(`${kind} ${id}`, row)
  }

  /** Whether only the run changes the row of a place: it created the row, or got it from the user. */
  isOwn([read = '', row = '', ...deeper]: readonly string[]): boolean {
    const { api, made } = this.run
    const ids = Object.values(this.disposable).flatMap((it) => it ?? [])
    const isUuidOf = (step: string) =>
      /^[0-9a-f]{8}-/i.test(step) && (made.has(step) || ids.some((id) => isSameId(id, step)))
    if ([row, ...deeper].some(isUuidOf)) return true
    const operation = read.split(' ')[0] as string
    const [[shown] = [], ...others] = Object.entries(api.shows[operation] ?? {})
    const kind = shown ?? Object.keys(api.kinds).find((it) => api.kinds[it]?.read === operation)
    const isOfOthers = others.some(([, fields]) => deeper.includes(fields.at(-1) as string))
    if (kind === undefined || isOfOthers) return false
    return this.own(kind).some((id) => String(id) === row) || made.has(row, kind)
  }

  /** The same input for every row that its path can name. */
  ofEach(input: Input): Input[] {
    const [name, ...others] = Object.keys(input.path ?? {}).filter((it) => kindNamed(this.run.api, it))
    if (name === undefined || others.length > 0) return [input]
    const ids = this.readable(kindNamed(this.run.api, name) as string)
    return ids.length === 0 ? [input] : ids.map((id) => ({ ...input, path: { ...input.path, [name]: id } }))
  }

  /** Whether a path names a row that can be read, but was not there. */
  lacks({ path = {} }: Input): boolean {
    const { api } = this.run
    return Object.entries(path).some(([name, id]) => {
      const kind = kindNamed(api, name)
      return kind !== undefined && api.kinds[kind]?.read !== undefined && !this.before(kind, id as Id)
    })
  }

  /** The examples of an operation. Examples that name the mock's rows and users are not sent to other servers. */
  examplesOf({ id, examples }: Operation): Record<string, Input> {
    if (this.run.settings.isMock) return examples
    const { kinds, operations, neutral, naming } = this.run.api
    const neutralOf = ([name, value]: [string, Json]): [string, Json][] => {
      const kind = kindNamed(this.run.api, name)
      if (kind !== undefined) return [[name, kinds[kind]?.unknown?.(this.run.settings.seed) ?? value]]
      const other = neutral[name]?.(this.run.mark('example'))
      if (other !== undefined) return [[name, other]]
      return operations[id]?.unnamed?.includes(name) || naming.test(name) ? [] : [[name, value]]
    }
    const bodyOf = (body: Json) => (isObject(body) ? Object.fromEntries(Object.entries(body).flatMap(neutralOf)) : body)
    return Object.fromEntries(
      Object.entries(examples).map(([name, { body, ...input }]) => [
        name,
        { ...input, ...(body !== undefined && { body: bodyOf(body) }) }
      ])
    )
  }

  /** The first example of an operation, filled. */
  exampleOf(operation: Operation, mayChange: boolean): Input {
    return this.filled(Object.values(this.examplesOf(operation))[0] ?? {}, mayChange)
  }

  /** The input with ids of rows. If there are none, a path gets unknown ones, and other fields are left out. */
  filled({ path, query, body }: Input, mayChange: boolean): Input {
    const { api } = this.run
    const fill = (values: JsonObject | undefined, otherwise: (value: Json) => Json | undefined) =>
      values &&
      Object.fromEntries(
        Object.entries(values).flatMap(([name, value]): [string, Json][] => {
          const kind = kindNamed(api, name)
          if (kind === undefined) return [[name, values === path ? unknownOf(value) : value]]
          if (values !== path && api.kinds[kind]?.unknown) return [[name, value]]
          const id = (mayChange ? this.own(kind)[0] : this.known(kind)) ?? otherwise(value)
          return id === undefined ? [] : [[name, id]]
        })
      )
    return {
      path: fill(path, (value) => (typeof value === 'number' ? unknownNumber : unknownUuid)),
      query: fill(query, () => undefined),
      body: isObject(body) ? fill(body, () => undefined) : body
    }
  }

  /** Reports that a row is not used, if the user named it. */
  unused(kind: string, id: Id, why: string): void {
    if (!this.namedIds[kind]?.some((it) => isSameId(it, id))) return
    const { api, readings, results } = this.run
    const { name, read } = api.kinds[kind] as RowKind
    const chosen = [...readings.first.operations.values()].filter(({ id: operation, input: { body, path } }) => {
      return results.isChosen(operation) && name in { ...(path?.properties as object), ...(body?.properties as object) }
    })
    const operation = chosen.find((it) => it.id === read) ?? chosen[0]
    if (operation) results.couldNot(operation.id, `the named row ${kind}=${id}`, why)
  }

  /** A named row that is refused. A user who may read a file, and sees it listed, can read it in any status (3.1). */
  private refused(kind: string, id: Id, exchange: Exchange, isListed: boolean): void {
    const { run } = this
    const { status } = exchange.reply
    const { check, read = '' } = run.api.kinds[kind] as RowKind
    const about = { title: `the named row ${kind}=${id}` }
    if (!conforms(run, exchange, about, 'missing')) return
    if (check && (isListed || ![401, 403, 404].includes(status))) {
      verdict(run, exchange, check, false, `the ${kind} ${id}, in any status`, about)
      if (run.results.isChosen(read)) return
    }
    this.unused(kind, id, `it is refused (${status}): is its id right, and may the token read it?`)
  }

  /** Keeps the rows that can be read: all that the user named, and some others. */
  private async findReadable(kind: string, read: string, ids: readonly Id[], listed: readonly Id[]): Promise<void> {
    const readable: Id[] = []
    const { name } = this.run.api.kinds[kind] as RowKind
    const namedIds = this.namedIds[kind] ?? []
    const isIn = (some: readonly Id[], id: Id) => some.some((it) => isSameId(it, id))
    for (const id of ids.slice(0, triedRows + namedIds.length)) {
      const exchange = await this.run.tried(read, { path: { [name]: id } })
      if (!exchange) this.unused(kind, id, 'it was asked for, and no answer came that shows anything')
      else if (isObject(exchange.reply.body) && isRow(this.run, exchange.reply)) {
        readable.push(id)
        conforms(this.run, exchange, { title: `the ${kind} ${id}` })
        this.first.set(`${kind} ${id}`, exchange.reply.body)
      } else if (isIn(namedIds, id)) this.refused(kind, id, exchange, isIn(listed, id))
    }
    this.byKind.set(kind, readable)
  }
}

/** Whether a reply shows rows, and not that nothing was done. */
export function isRow({ api }: Run, { status, body }: Reply): boolean {
  return status < 300 && !(isObject(body) && api.success in body)
}

/** Whether a path names a missing row. */
export function namesUnknown({ path = {} }: Input): boolean {
  return Object.values(path).some((id) => id === unknownNumber || id === unknownUuid)
}

/** The same values, but each id is one that no row has. */
export function withUnknownIds(values: JsonObject = {}): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, unknownOf(value)]))
}

/** An id of the same type that no row has. Other values stay. */
export function unknownOf(value: Json | undefined): Json {
  if (typeof value === 'number') return unknownNumber
  return typeof value === 'string' && value.includes('-') ? unknownUuid : (value as Json)
}

/** The body for a missing row, if the operation deletes the row that its body names. */
export function unknownBody({ api, settings }: Run, { id }: Operation): JsonObject | undefined {
  const kind = Object.values(api.kinds).find(({ remove, unknown }) => remove === id && unknown)
  return kind?.unknown && { [kind.name]: kind.unknown(settings.seed) }
}

/** The rows in a reply, or in a part of one, at these fields. */
export function rowsAt(value: unknown, fields: readonly string[]): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((item) => rowsAt(item, fields))
  if (!isObject(value)) return []
  const [field, ...deeper] = fields
  return field === undefined ? [value] : rowsAt(value[field], deeper)
}

/** The ids in examples of requests. */
function idsInExamples({ api, readings }: Run): RowIds {
  const ids: RowIds[] = []
  for (const { id } of readings.first.operations.values()) {
    for (const { path = {}, body } of Object.values(readings.operation(id).examples)) {
      for (const [name, value] of Object.entries({ ...path, ...(isObject(body) ? body : {}) })) {
        const kind = kindNamed(api, name)
        if (kind !== undefined && value !== null) ids.push({ [kind]: [value as Id] })
      }
    }
  }
  return merged(ids)
}

/** All of them, each id once. */
export function merged(all: readonly RowIds[]): RowIds {
  const kinds = new Set(all.flatMap((it) => Object.keys(it)))
  return Object.fromEntries([...kinds].map((kind) => [kind, [...new Set(all.flatMap((it) => it[kind] ?? []))]]))
}

/** The ids in the lists of the interface, in the details of their first rows, and in fields that name rows without a list. */
async function listedIds(run: Run): Promise<RowIds> {
  const { api } = run
  const ids: RowIds[] = []
  const listed = new Set(Object.values(api.shows).flatMap((it) => Object.keys(it)))
  const note = (kind: string | undefined, id: unknown) => {
    if (kind !== undefined && (typeof id === 'number' || typeof id === 'string')) ids.push({ [kind]: [id] })
  }
  const collect = async ([id, input]: Read) => {
    const body = (await run.tried(id, input))?.reply.body
    for (const [kind, fields] of Object.entries(api.shows[id] ?? {})) {
      for (const row of rowsAt(body, fields)) {
        note(kind, row.id)
        for (const [name, value] of Object.entries(row)) {
          const other = kindNamed(api, name)
          if (other !== undefined && !listed.has(other)) note(other, value)
        }
      }
    }
  }
  const entrances = api.entrances.map((id): Read => [id, {}])
  await Promise.all([...entrances, ...api.state.admin].filter(([id]) => id in api.shows).map(collect))
  for (const kind of Object.values(api.state.rows)) {
    const { name, read = '' } = api.kinds[kind] as RowKind
    const rows = (merged(ids)[kind] ?? []).slice(0, detailedRows)
    await Promise.all(rows.map((id) => collect([read, { path: { [name]: id } }])))
  }
  return merged(ids)
}
