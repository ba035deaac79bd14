import { isObject, type Json, type JsonObject } from '../../engine/contract/load.js'
import type { Operation } from '../../engine/contract/model.js'
import type { Exchange } from './calls/client.js'
import type { Input } from './calls/request.js'
import { unnamed } from './inputs/inputs.js'
import { conforms, verdict } from './judge.js'
import { type Id, kindOfName, kinds, type RowIds, type RowKind, readers, unknownNumber, unknownUuid } from './kinds.js'
import type { Run } from './run.js'

/** The kind of row that an operation reads. */
const readBy: { [id: string]: RowKind } = {
  ...Object.fromEntries(Object.entries(readers).map(([kind, id]) => [id, kind as RowKind])),
  listCredentials: 'credential',
  listProjects: 'project'
}

/** Lists of rows within a row. */
const rowsWithin = new Set(['chat_sessions', 'files'])

/** The number of rows to try per kind. */
const looked = 6

/** Likely ids of kinds without a list. */
const firsts: RowIds = { persona: [0, 1, 2, 3], connector: [1, 2, 3], credential: [1, 2] }

/**
 * The rows of the server that verify knows, and which of them it may change and delete: those given as disposable and,
 * on this mock, those in the contract's examples.
 */
export class KnownRows {
  private readonly found = new Map<RowKind, Id[]>()
  /** The rows that were read or created, as `connector 3`. */
  private readonly seen = new Set<string>()
  /** The status that a file had when it was first read. */
  readonly statuses = new Map<Id, string>()

  private constructor(
    private readonly run: Run,
    private readonly disposable: RowIds,
    private readonly named: RowIds
  ) {
    run.needs.known = (kind) => this.known(kind)
  }

  /** Reads the lists of the interface and keeps the first readable rows of each kind. */
  static async discover(run: Run, known: RowIds, disposable: RowIds): Promise<KnownRows> {
    const { isMock } = run
    const named = merged(disposable, known)
    const examples = isMock
      ? idsInExamples([...run.readings.first.operations.keys()].map((id) => run.operation(id)))
      : {}
    const listed = await listedIds(run)
    const { project = [], file = [] } = isMock ? listed : {}
    const rows = new KnownRows(run, merged(disposable, merged(examples, { project, file })), named)
    const candidates = merged(named, merged(merged(examples, firsts), listed))
    for (const kind of kinds) await rows.findReadable(kind, candidates[kind] ?? [], listed[kind] ?? [])
    for (const kind of kinds.filter((it) => !(it in readers))) {
      const why = 'no operation reads such a row: name it with --disposable'
      for (const id of known[kind] ?? []) if (!disposable[kind]?.includes(id)) rows.unused(kind, id, why)
    }
    if (run.settings.mutating) await rows.makeCredential()
    return rows
  }

  /** A row that can be read. */
  known(kind: RowKind): Id | undefined {
    return this.found.get(kind)?.[0]
  }

  /** The readable rows that were looked for. */
  readable(kind: RowKind): Id[] {
    return this.found.get(kind) ?? []
  }

  /** The same input for every row that its path can name. */
  ofEach(input: Input): Input[] {
    const names = Object.keys(input.path ?? {}).filter((name) => name in kindOfName)
    const [name] = names
    if (name === undefined || names.length > 1) return [input]
    const ids = this.found.get(kindOfName[name] as RowKind) ?? []
    return ids.length === 0 ? [input] : ids.map((id) => ({ ...input, path: { ...input.path, [name]: id } }))
  }

  /** Rows that may be changed and deleted. */
  own(kind: RowKind): Id[] {
    return this.disposable[kind] ?? []
  }

  /** Whether only the run changes the row of a place: it created the row, or got it from the user. */
  isOwn([read = '', row = '', ...deeper]: readonly string[]): boolean {
    const { made } = this.run
    const uuids = [...this.own('file'), ...made.keys()].map((id) => String(id).toLowerCase())
    if ([row, ...deeper].some((step) => step.includes('-') && uuids.includes(step.toLowerCase()))) return true
    const kind = readBy[read.split(' ')[0] as string]
    const isOfOthers = kind === undefined || deeper.some((step) => rowsWithin.has(step))
    return !isOfOthers && (this.own(kind).some((id) => String(id) === row) || made.has(Number(row)))
  }

  /** Whether a path names a row that can be read, but was not there. */
  lacks({ path = {} }: Input): boolean {
    return Object.entries(path).some(([name, id]) => {
      const kind = kindOfName[name]
      return kind !== undefined && kind in readers && !this.seen.has(`${kind} ${id}`)
    })
  }

  /** The examples of an operation. Examples that name the mock's rows and users are not sent to other servers. */
  examplesOf({ id, examples }: Operation): Record<string, Input> {
    if (this.run.isMock) return examples
    return Object.fromEntries(
      Object.entries(examples).map(([name, { body, ...input }]) => [
        name,
        { ...input, ...(body !== undefined && { body: isObject(body) ? this.neutral(id, body) : body }) }
      ])
    )
  }

  private neutral(id: string, body: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(body).flatMap(([name, value]): [string, Json][] => {
        if (name === 'user_email') return [[name, unknownEmail(this.run)]]
        if (name === 'emails') return [[name, [`${this.run.mark('example')}@example.com`]]]
        if (unnamed[id]?.includes(name)) return []
        if (name in kindOfName) return [[name, value as Json]]
        return /_ids?$|_override$|^(groups|users)$/.test(name) ? [] : [[name, value as Json]]
      })
    )
  }

  /** The input with ids of known rows, or of rows that may be changed. A path gets unknown ids if there are none. */
  filled(input: Input, mayChange: boolean): Input {
    const idFor = (name: string) => {
      const kind = kindOfName[name] as RowKind
      return mayChange ? this.own(kind)[0] : this.known(kind)
    }
    return {
      ...input,
      path: pathWith(input.path, idFor),
      query: without(input.query, idFor),
      body: bodyWith(input.body, idFor)
    }
  }

  /** Creates a credential that may be changed, for the connector that may be changed. */
  private async makeCredential(): Promise<void> {
    const [connector_id] = this.own('connector')
    const path = connector_id === undefined ? undefined : { connector_id }
    const connector = path && (await this.run.tried('getConnector', { path }))?.reply.body
    const source = isObject(connector) && typeof connector.source === 'string' ? connector.source : 'web'
    const body = { credential_json: {}, admin_public: true, source, name: this.run.mark('own') }
    const made = (await this.run.tried('createCredential', { body }))?.reply
    const id = made && made.status < 300 && isObject(made.body) ? made.body.id : undefined
    if (typeof id !== 'number') return
    this.disposable.credential = [id, ...this.own('credential')]
    this.seen.add(`credential ${id}`)
  }

  /** Reports that a row is not used, if the user named it. */
  unused(kind: RowKind, id: Id, why: string): void {
    if (!this.named[kind]?.some((it) => isSameId(it, id))) return
    const { readings, results } = this.run
    const names = ({ input }: Operation) => {
      const { body, path } = input
      const fields = { ...(path?.properties as object), ...(body?.properties as object) }
      return Object.keys(fields).some((name) => kindOfName[name] === kind)
    }
    const chosen = [...readings.first.operations.values()].filter((it) => results.isChosen(it.id) && names(it))
    const operation = chosen.find(({ id }) => id === readers[kind]) ?? chosen[0]
    if (operation) results.couldNot(operation.id, `the named row ${kind}=${id}`, why)
  }

  /** A named row that is refused. A user who may read a file, and sees it listed, can read it in any status (3.1). */
  private refused(kind: RowKind, id: Id, exchange: Exchange, isListed: boolean): void {
    const { run } = this
    const { status } = exchange.reply
    const about = { title: `the named row ${kind}=${id}` }
    if (!conforms(run, exchange, about, 'missing')) return
    const isBroken = kind === 'file' && (isListed || ![401, 403, 404].includes(status))
    if (isBroken) verdict(run, exchange, 'file_readable_in_any_status', false, `the file ${id}, in any status`, about)
    if (isBroken && run.results.isChosen('getFile')) return
    this.unused(kind, id, `it is refused (${status}): is its id right, and may the token read it?`)
  }

  /** Keeps the rows that can be read: all that the user named, and some others. */
  private async findReadable(kind: RowKind, ids: Id[], listed: Id[]): Promise<void> {
    const reader = readers[kind]
    if (reader === undefined) return
    const readable: Id[] = []
    const named = this.named[kind] ?? []
    for (const id of ids.slice(0, Math.max(looked, named.length))) {
      const parameter = Object.keys(kindOfName).find((name) => kindOfName[name] === kind) as string
      const exchange = await this.run.tried(reader, { path: { [parameter]: id } })
      if (!exchange) {
        this.unused(kind, id, 'it was asked for, and no answer came that shows anything')
        continue
      }
      const { reply } = exchange
      if (reply.status >= 300 || !isObject(reply.body) || 'success' in reply.body) {
        const isListed = listed.some((it) => isSameId(it, id))
        if (named.some((it) => isSameId(it, id))) this.refused(kind, id, exchange, isListed)
        continue
      }
      readable.push(id)
      this.seen.add(`${kind} ${id}`)
      if (kind === 'file') this.statuses.set(id, String(reply.body.status))
    }
    this.found.set(kind, readable)
  }
}

/** Whether two ids name the same row. UUIDs are compared without case. */
export function isSameId(a: unknown, b: unknown): boolean {
  return String(a).toLowerCase() === String(b).toLowerCase()
}

/** Whether a path names a missing row. */
export function namesUnknown({ path = {} }: Input): boolean {
  return Object.values(path).some((id) => id === unknownNumber || id === unknownUuid)
}

/** An id of the same type that no row has. Other values stay. */
export function unknownOf(value: Json): Json {
  if (typeof value === 'number') return unknownNumber
  return typeof value === 'string' && value.includes('-') ? unknownUuid : value
}

export function unknownEmail({ settings }: Run): string {
  return `nobody-${settings.seed}@example.com`
}

type IdFor = (name: string) => Id | undefined

/** Fills a path. Every id is required, so an unknown one is used if no row is known. */
function pathWith(path: JsonObject | undefined, idFor: IdFor): JsonObject | undefined {
  if (!path) return undefined
  return Object.fromEntries(
    Object.entries(path).map(([name, value]) => {
      const unknown = typeof value === 'number' ? unknownNumber : unknownUuid
      return [name, name in kindOfName ? (idFor(name) ?? unknown) : name === 'session_id' ? unknownUuid : value]
    })
  )
}

/** Leaves out optional fields whose row is unknown. */
function without(values: JsonObject | undefined, idFor: IdFor): JsonObject | undefined {
  if (!values) return undefined
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      if (!(name in kindOfName) || name === 'user_email') return [[name, value]]
      const id = idFor(name)
      return id === undefined ? [] : [[name, id]]
    })
  )
}

function bodyWith(body: Json | undefined, idFor: IdFor): Json | undefined {
  return isObject(body) ? without(body, idFor) : body
}

/** The ids in examples of requests. */
function idsInExamples(operations: Operation[]): RowIds {
  const given: RowIds = {}
  for (const { examples } of operations) {
    for (const { path = {}, body } of Object.values(examples)) {
      for (const [name, value] of Object.entries({ ...path, ...(isObject(body) ? body : {}) })) {
        const kind = kindOfName[name]
        if (kind && value !== null) given[kind] = [...new Set([...(given[kind] ?? []), value as Id])]
      }
    }
  }
  return given
}

/** Both, each id once. */
function merged(first: RowIds, second: RowIds): RowIds {
  return Object.fromEntries(
    kinds.map((kind) => [kind, [...new Set([...(first[kind] ?? []), ...(second[kind] ?? [])])]])
  )
}

/** The ids in the lists of the interface. */
async function listedIds(run: Run): Promise<RowIds> {
  const [projects, credentials, sessions] = await Promise.all(
    ['listProjects', 'listCredentials', 'listChatSessions'].map(async (id) => (await run.tried(id, {}))?.reply.body)
  )
  const project = idsIn(projects, 'id')
  const files = await Promise.all(
    project.slice(0, 5).map(async (id) => {
      const body = (await run.tried('getProjectDetails', { path: { project_id: id } }))?.reply.body
      return idsIn(isObject(body) ? body.files : undefined, 'id')
    })
  )
  return {
    project,
    credential: idsIn(credentials, 'id'),
    persona: idsIn(isObject(sessions) ? sessions.sessions : undefined, 'persona_id'),
    file: files.flat()
  }
}

/** The ids in the items of a list. The server may have sent anything. */
function idsIn(list: unknown, field: string): Id[] {
  const ids = Array.isArray(list) ? list.map((item) => (isObject(item) ? item[field] : undefined)) : []
  return [...new Set(ids.filter((id): id is Id => typeof id === 'number' || typeof id === 'string'))]
}
