import { isObject, type Json, type JsonObject } from '../../engine/contract/load.js'
import type { Operation } from '../../engine/contract/model.js'
import { inMap } from '../../engine/contract/once.js'
import type { Id } from '../../engine/store/collection.js'
import type { Book, Entry, Named, Recording } from '../record/book.js'
import { type Call, partsIn, textsIn } from '../record/traffic.js'
import { collectionNamed, emailsIn, isSent, namedBy } from './calls.js'
import { type Difference, isOfAccess } from './compare.js'
import { Filters, isAll, isAskedFor, isPlace, isTotal, rowsById } from './lists.js'

/** What an exchange was, for later ones. */
export interface Step {
  operation: Operation
  /** Whether it is a deletion that the service made. */
  isDeletion: boolean
  /** The rows that it names. */
  rows: Named[]
  /** The fields of its body. */
  sent: Set<string>
  curl: string
  /** Whether other calls were answered at the same time, and one of them changed something. */
  isMixed: boolean
  /** Why the mock does not understand it. */
  whyUnclear?: string | undefined
}

/** What is known of the rows that a call depends on. */
export interface Scope {
  /** Whether it names rows of which nothing is known. */
  isVague: boolean
  /** Whether both answers have all rows that it asks for, and not one page of them. */
  isAll: boolean
  /** Whether the caller has seen all rows of these lists, and both answers have the same ones. */
  isWhole: boolean
  /** Whether both answers have the same rows, and all that the call asks for: a number of rows is that of these. */
  isCounted: boolean
}

/** The rows that lists of an operation have shown to a caller. */
interface Shown {
  ids: Set<string>
  /** Whether those are all that there are. */
  isWhole: boolean
  /** The rows of the last reply that had all, the number of its call, and which of them replies since have left out. */
  last?: { rows: Map<string, JsonObject>; number: number; missed: { id: string; filters: Filters; number: number }[] }
}

/** A row that does not belong into a reply, or is not in it. */
export interface Misfit {
  id: string
  isMissing: boolean
  /** The number of the call that showed it otherwise. */
  since: number
}

/** What names a row. */
const isId = /^\d+$|^[\da-f-]{36}$/i

/** The highest number of changes before the last call that a finding shows. */
const longestSequence = 5

/** What the calls so far have shown. */
export class Knowledge {
  readonly steps: Step[] = []
  readonly kinds: RowKinds
  /** The addresses of users who were there once. */
  readonly emails = new Set<string>()
  /** The rows of lists, by the calls that showed them, the last of which has the number. */
  private readonly listed = new Map<string, { ids: Set<string>; latest: Set<string>; number: number }>()
  private readonly lists = new Map<string, Shown>()
  /** Rows that a caller has asked for and seen. */
  private readonly read = new Set<string>()
  /** Rows that a caller has asked for in vain. */
  private readonly absent = new Set<string>()

  /** The book before the latest call. */
  before: Book

  constructor(
    public book: Book,
    private readonly recording: Recording
  ) {
    this.kinds = new RowKinds(book)
    this.before = book
  }

  /** Begins a call. */
  begin(call: Call, about: Pick<Step, 'curl' | 'isMixed' | 'whyUnclear'>): void {
    const { operation, status, body } = call
    const isDeletion = operation.method === 'DELETE' && status < 300
    const sent = new Set(Object.keys(body))
    this.before = this.book
    this.steps.push({ operation, isDeletion, rows: namedBy(call, this.book), sent, ...about })
  }

  get latest(): Step {
    return this.steps.at(-1) as Step
  }

  /** Whether a call names rows of which nothing is known. */
  isVague(call: Call): boolean {
    const isUnknown = (it: Named) => !this.book.row(it.collection, it.id) && !this.isNotThere(call, [it])
    return this.latest.rows.some(isUnknown) || emailsIn(call).some((it) => !this.emails.has(it))
  }

  private isId(text: string, { rows } = this.book): boolean {
    return this.isGone(text) || [...rows.values()].some((it) => it.has(text) || it.has(Number(text)))
  }

  private isGone(text: string): boolean {
    return [...this.book.gone.values()].some((it) => it.has(text) || it.has(Number(text)))
  }

  /** Whether two values are those of a row that the call has made. */
  isNew({ operation, number }: Call, next: Book, field: string, service: Json, mock: Json): boolean {
    if (operation.isReading || typeof service !== typeof mock || isObject(service)) return false
    if (!/(^|_)ids?$|^data$/.test(field)) return false
    const isMade = ([name, rows]: [string, ReturnType<Book['rowsOf']>]) =>
      rows.get(service as string)?.number === number && !this.book.row(name, service)
    return !this.isId(String(service)) || [...next.rows].some(isMade)
  }

  /** Whether a difference may be due to rows that no reply has shown. */
  isUnknown(call: Call, it: Difference, { isVague, isAll, isWhole, isCounted }: Scope): boolean {
    const { before } = this
    const { kind, rowId, field = '', path, service, mock } = it
    const { isReading } = call.operation
    // Of a row that is not there both say so, each in its form.
    if (kind === 'status')
      return isVague && (service as number) < 300 && !(isOfAccess(it) && isRestricted(call, before))
    if (kind === 'refusal') return false
    // The answer follows from the call alone.
    if (isReading && call.operation.method === 'POST' && !this.recording.effectOf(call.operation.id)) return false
    if (isVague && !isReading) return !isSent(call, it)
    const isGone = before.gone.get(collectionNamed(before, field) ?? '')?.has(service as string)
    // What refers to deleted rows is a separate question.
    if (isGone && !isObject(service)) return field !== 'id'
    const row = this.rowBefore(it)?.fields
    const isSaying = isReading || (kind === 'extra' && !(field in call.body))
    // The service says what it said before.
    if (isSaying && row && !isObject(service) && kind !== 'missing' && isSaid(row[field], service)) return true
    if (kind === 'missing') {
      if (!isObject(mock)) return row === undefined
      const id = `${rowId}`.toLowerCase()
      const isListed = this.listed.get(listKey(call, path))?.ids.has(id) || this.isMadeBy(call, it)
      return !isListed && !(isAll && this.inLists(call).ids.has(id) && isAskedFor(call, mock))
    }
    if (kind === 'extra') {
      const names = isObject(service) ? Object.keys(service) : []
      const isWhole = isObject(service) ? names.filter((it) => row && it in row).length * 2 > names.length : row
      return !isWhole && !this.isRemoved(it) && !path.endsWith(' twice')
    }
    if (isCounted && isTotal(path, field)) return false
    const isOfWhole = isReading && !row && isWhole && typeof service === 'boolean' && !isId.test(field)
    if (kind !== 'value' || (row && field in row) || isOfWhole) return false
    return isReading || (typeof mock === 'string' && !textsOf(call).includes(mock))
  }

  /** Whether the order of calls is not known that this one depends on: they were answered at the same time. */
  isMixed(it: Difference): boolean {
    const { gone, rows } = this.before
    const numbers = this.latest.rows.map(
      ({ collection, id }) => gone.get(collection)?.get(id) ?? rows.get(collection)?.get(id)?.number
    )
    const steps = [this.rowBefore(it)?.number, ...numbers].map((number) => this.steps[number ?? -1])
    return [this.latest, ...steps].some((step) => step?.isMixed)
  }

  /** Why the mock cannot know a row: a call that it does not understand may have changed it since it was shown. */
  whyUnclear(it: Difference): string | undefined {
    const rows = it.kind === 'status' ? this.latest.rows : this.rowsIn(it)
    const number = this.rowBefore(it)?.number ?? 0
    const isCause = (step: Step) =>
      step.whyUnclear !== undefined && !step.operation.isReading && step.rows.some((row) => isIn(rows, row))
    return this.steps.slice(number, -1).find(isCause)?.whyUnclear
  }

  /** The row of a difference. */
  private rowsIn({ row, rowId }: Difference): Named[] {
    const collection = row && this.kinds.of(row)
    return collection === undefined ? [] : [{ collection, id: rowId as Id }]
  }

  /** A row as it was known before a call. */
  rowBefore({ row, rowId }: Difference): Entry | undefined {
    const collection = row && this.kinds.of(row)
    if (collection === undefined || (typeof rowId !== 'string' && typeof rowId !== 'number')) return undefined
    const rows = this.before.rowsOf(collection)
    return rows.get(rowId) ?? rows.get(`${rowId}`.toLowerCase())
  }

  /** Whether the caller has made a row, which lists without conditions show. What a call names was there before. */
  private isMadeBy(call: Call, it: Difference): boolean {
    const entry = this.rowBefore(it)
    const step = entry && this.steps[entry.number]
    const isNamed = step?.rows.some(({ id }) => id === it.rowId)
    return call.operation.isReading && call.query.size === 0 && step?.operation.isReading === false && !isNamed
  }

  /** Remembers the rows of lists, whom a call has named, and what was asked for in vain. */
  remember(call: Call): void {
    const [row, ...others] = this.latest.rows
    if (row && others.length === 0 && call.operation.isReading) {
      const name = `${call.caller} ${row.collection} ${row.id}`
      if (call.status === 404) this.absent.add(name)
      else this.absent.delete(name)
      if (call.status < 300) this.read.add(name)
    }
    if (call.status >= 300) return
    for (const it of emailsIn(call)) this.emails.add(it)
    if (!call.operation.isReading) return
    this.rememberLists(call)
    const { number } = call
    for (const [path, id] of listedIn(call.reply)) {
      const list = inMap(this.listed, listKey(call, path), () => ({ ids: new Set(), latest: new Set(), number }))
      if (list.number !== number) Object.assign(list, { latest: new Set(), number })
      for (const ids of [list.ids, list.latest]) ids.add(id)
    }
  }

  inLists({ operation, caller, path }: Call): Shown {
    const key = JSON.stringify([operation.id, caller, path])
    return inMap(this.lists, key, () => ({ ids: new Set(), isWhole: false }))
  }

  /**
   * The rows of a reply that its call excludes, and those that earlier replies have left out: they were shown before and are
   * shown now, and no call has changed anything.
   */
  *misfits(call: Call): Iterable<Misfit> {
    if (!call.operation.isReading || call.status >= 300) return
    const rows = rowsById(call.reply)
    const { last } = this.inLists(call)
    const filters = new Filters(call, [...rows.values(), ...(last?.rows.values() ?? [])])
    for (const [id, row] of rows) if (filters.exclude(row)) yield { id, isMissing: false, since: call.number }
    if (!last || this.steps.slice(last.number + 1).some(({ operation }) => !operation.isReading)) return
    for (const { id, filters, number } of last.missed) {
      const row = rows.get(id)
      if (row && filters.include(row)) yield { id, isMissing: true, since: number }
    }
    // The first page may be 0 or 1.
    const namesPage = [...call.query.keys(), ...Object.keys(call.body)].some((it) => isPlace.test(it))
    if (!filters.areAll || namesPage || !isAll(call, call.reply)) return
    for (const [id, row] of last.rows)
      if (!rows.has(id) && filters.include(row)) last.missed.push({ id, filters, number: call.number })
  }

  private rememberLists(call: Call): void {
    const list = this.inLists(call)
    const shown = new Set(listedIn(call.reply).map(([, id]) => id))
    const isOther = [...shown].some((it) => !list.ids.has(it) && !this.isId(it, this.before))
    const isWhole = isAll(call, call.reply) && [...list.ids].every((it) => shown.has(it) || this.isGone(it))
    list.isWhole = isWhole || (list.isWhole && !isOther)
    if (isWhole) list.last = { rows: rowsById(call.reply), number: call.number, missed: [] }
    for (const it of shown) list.ids.add(it)
  }

  /** A row in a list of a reply that no call has made since the list was shown, with the number of the call that did. */
  appeared(call: Call): { path: string; id: string; since: number } | undefined {
    if (!call.operation.isReading || Object.keys(call.path).length > 0) return undefined
    const rows = listedIn(call.reply)
    for (const [path, id, name] of rows) {
      // What is linked gets an id that no reply to the call shows.
      const { latest, number: since } = this.listed.get(listKey(call, path)) ?? {}
      if (name !== 'id' || !latest || since === undefined || latest.has(id) || this.isId(id)) continue
      // A page that has moved shows other rows.
      if ([...latest].every((old) => rows.some(([at, it]) => at === path && it === old) || this.isGone(old)))
        return { path, id, since }
    }
    return undefined
  }

  /** Whether so many rows may be those that deletions since have removed: no reply has shown which rows they refer to. */
  mayBeRemoved({ row = {} }: Difference, { fields, number }: Entry, count: number): boolean {
    const { references = {} } = this.book.contract.collections.get(this.kinds.of(row)) ?? {}
    const open = Object.keys(references).flatMap((name) => (name in fields ? [] : (references[name] as string)))
    const isOpen = ({ collection }: Named) => open.includes(collection)
    return this.steps.slice(number, -1).filter((it) => it.isDeletion && it.rows.some(isOpen)).length >= count
  }

  /** Whether a caller has seen the one row that a call names. */
  hasRead({ caller }: Call): boolean {
    const [row] = this.latest.rows
    return row !== undefined && this.read.has(`${caller} ${row.collection} ${row.id}`)
  }

  /** Whether the row of a difference is one that a call has removed. */
  isRemoved(it: Difference): boolean {
    return this.rowsIn(it).some(({ collection, id }) => this.before.gone.get(collection)?.has(id))
  }

  /** Whether a call names a row that is known not to be there. */
  isNotThere({ caller }: Call, rows = this.latest.rows): boolean {
    return rows.some(
      ({ collection, id }) =>
        this.before.gone.get(collection)?.has(id) || this.absent.has(`${caller} ${collection} ${id}`)
    )
  }

  /** Whether a call names a row that belongs to another user. */
  isOfAnother({ caller }: Call): boolean {
    const { before } = this
    const { collection: users } = before.contract.api.users
    const id = before.callers.get(caller)?.id
    return this.latest.rows.some((it) => {
      const { references = {} } = before.contract.collections.get(it.collection) ?? {}
      const { fields = {} } = before.rowsOf(it.collection).get(it.id) ?? {}
      return Object.keys(references).some((name) => references[name] === users && (fields[name] ?? id) !== id)
    })
  }

  /** The operations that may have changed something since an exchange, and those that have read this row. */
  causesSince(number = 0, row?: Named): Set<string> {
    const isCause = ({ operation, rows, whyUnclear }: Step) =>
      (!operation.isReading && whyUnclear === undefined) ||
      rows.some((it) => it.collection === row?.collection && it.id === row.id)
    return new Set(this.steps.slice(number, -1).flatMap((it) => (isCause(it) ? [it.operation.id] : [])))
  }

  /** The calls that lead to a finding: the one that showed the row, and those that changed something since. */
  sequence(number: number | undefined, difference?: Difference): string[] {
    const last = this.latest
    if (number === undefined || number === this.steps.length - 1) return [last.curl]
    const all = this.steps.slice(number + 1, -1).filter((it) => !it.operation.isReading)
    const rows = difference ? this.rowsIn(difference) : []
    const own = all.filter((it) => it.rows.some((row) => isIn(rows, row)))
    const between = own.length > 0 ? own : all
    return [this.steps[number] as Step, ...between.slice(-longestSequence), last].map((it) => it.curl)
  }
}

/** Finds the collection that rows in replies are of: the one that has most of their fields. */
class RowKinds {
  private readonly collections: [name: string, fields: Set<string>][]
  private readonly byNames = new Map<string, string>()

  constructor(book: Book) {
    this.collections = [...book.rows.keys()].map((name) => [name, new Set(Object.keys(book.fieldsOf(name)))])
  }

  hasField = (row: JsonObject, field: string): boolean => {
    const name = this.of(row)
    return this.collections.some(([it, fields]) => it === name && fields.has(field))
  }

  of(row: JsonObject): string {
    const names = Object.keys(row)
    return inMap(this.byNames, names.join(), () => {
      const shared = (fields: Set<string>) => names.filter((it) => fields.has(it)).length
      const sorted = this.collections.toSorted(([, a], [, b]) => shared(b) - shared(a) || a.size - b.size)
      return sorted[0]?.[0] ?? ''
    })
  }
}

const isIn = (rows: readonly Named[], { collection, id }: Named) =>
  rows.some((it) => it.collection === collection && it.id === id)

/** The texts that a call sends. */
function textsOf({ body, path, query }: Call): string[] {
  return [...[...textsIn(body)].map(([text]) => text), ...Object.values(path), ...query.values()]
}

/** What a list in a reply depends on. */
const listKey = ({ operation, caller, query, path, body }: Call, at: string) =>
  JSON.stringify([operation.id, caller, `${query}`, path, body, at])

/** The ids of the rows in lists of a reply, with the places of the lists and the names of their fields. */
const listedIn = (reply: Json | undefined) =>
  [...partsIn(reply)].flatMap(({ path, field, value }): [path: string, id: string, name: string][] => {
    const list = path.slice(0, -field.length - 1)
    return /^id$|_id$/.test(field) && list.endsWith('[]') ? [[list, `${value}`.toLowerCase(), field]] : []
  })

/** Whether an operation is for some roles only, and that of the caller is known. */
function isRestricted({ operation, caller }: Call, { contract, callers }: Book): boolean {
  const { roles = null } = contract.access[operation.access.paths ?? ''] ?? {}
  return roles !== null && (callers.get(caller)?.role !== undefined || !callers.has(caller))
}

/** Whether a value is what a row has, or one of a list that it has. */
const isSaid = (field: Json | undefined, value: Json | undefined) =>
  field !== undefined && [field].flat().some((it) => JSON.stringify(it) === JSON.stringify(value ?? null))
