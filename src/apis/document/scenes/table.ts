import { reasons } from '../../../engine/answers/errors.js'
import { ownerFieldsIn } from '../../../engine/answers/shown.js'
import type { Contract } from '../../../engine/contract/contract.js'
import { isObject, type Json, type JsonObject, schemaOf, wholeOf } from '../../../engine/contract/load.js'
import type { Coercion, OpenApiDocument, Operation } from '../../../engine/contract/model.js'
import { isNeverEmpty, responseOf, statusOf } from '../../../engine/contract/outcomes.js'
import { matches } from '../../../engine/contract/schemas/patterns.js'
import { fieldsIn, rowFieldsIn } from '../../../engine/contract/schemas/schemas.js'
import { parametersOf } from '../../../engine/contract/text.js'
import { unknownNumber, unknownUuid } from '../../../tools/verify/api.js'
import type { Asker, Exchange, Reply } from '../../../tools/verify/calls/client.js'
import { itemsIn, type Listing, pageIn } from '../../../tools/verify/calls/lists.js'
import { Stopped } from '../../../tools/verify/calls/patience.js'
import { type Input, rawOf } from '../../../tools/verify/calls/request.js'
import { exampleOf, valueFor } from '../../../tools/verify/phases/documents.js'
import type { Scene } from '../../../tools/verify/scene.js'
import { isKey, moving, type Rows, rowsOf } from './rows.js'

/** The keys of the rows that a row belongs to, the outermost first. */
type Owners = readonly Json[]

export type Part = (scene: Scene, rows: Rows) => Promise<void>

/** Whether a status says what a service does with a request: others may have any reason. */
export const isAnswer = (status: number) => status < 300 || [400, 404, 409, 422].includes(status)

export interface Made {
  row: JsonObject
  key: Json
  /** The fields that were sent. */
  sent: JsonObject
  body: JsonObject
  exchange: Exchange
}

const mostPages = 50

/** Why an operation with required headers may be refused: their values are made by their schemas. */
const headersNeeded = 'its headers may need other values: see --header'

/** Whether an operation has required headers. */
export const needsHeaders = ({ input }: Operation) => ((input.header?.required ?? []) as string[]).length > 0

/** The rows of a collection in a scene, below the rows that they belong to. */
export class Table {
  readonly contract: Contract
  /** The first day of the latest body. */
  private days = 0

  constructor(
    readonly scene: Scene,
    readonly rows: Rows,
    readonly owners: Owners
  ) {
    this.contract = scene.run.readings.first
  }

  /** Below rows that are created, if that is possible. */
  static async open(scene: Scene, rows: Rows): Promise<Table> {
    const { parent } = rows
    if (!parent) return new Table(scene, rows, [])
    const above = await Table.open(scene, parent)
    const isMade = parent.create && scene.run.settings.mutating
    const row = isMade ? (await above.created()).row : (await above.listed()).rows[0]
    if (!row) throw new Stopped(`no row of ${parent.collection.name} is known`)
    return new Table(scene, rows, [...above.owners, row[parent.key] as Json])
  }

  /** Below rows that do not exist. */
  static nowhere(scene: Scene, rows: Rows): Table {
    const above = rows.parent && Table.nowhere(scene, rows.parent)
    return new Table(scene, rows, above ? [...above.owners, above.unknownKey()] : [])
  }

  /** The table that rows name, by the name of its collection. */
  linked(name: string): Rows | undefined {
    const document = this.contract.extensions[0] as OpenApiDocument
    return rowsOf(document).find(({ collection }) => collection.name === name)
  }

  /** The path of an operation: the last parameters are keys of rows, and others have an example in the document. */
  path(operation: Operation, ...keys: readonly Json[]): JsonObject {
    const names = parametersOf(operation)
    const all = [...this.owners, ...keys]
    const { properties = {} } = operation.input.path ?? {}
    return Object.fromEntries(
      names.map((name, at) => {
        const value = all[at - names.length + all.length] ?? exampleOf(this.contract, (properties as JsonObject)[name])
        if (value === undefined) throw new Stopped(`the document has no example of its path parameter ${name}`)
        return [name, value]
      })
    )
  }

  /** A key that no row has. */
  unknownKey(): Json {
    const { contract, rows } = this
    const { run } = this.scene
    const own = schemaOf(contract.documents, rows.fields[rows.key])
    const operation = rows.read ?? rows.change ?? rows.replace ?? rows.remove
    const parameters = (operation?.input.path?.properties ?? {}) as JsonObject
    const inPath = schemaOf(contract.documents, operation && parameters[parametersOf(operation).at(-1) as string])
    if ([own.type, inPath.type].flat().some((it) => it === 'integer' || it === 'number')) return unknownNumber
    if (own.format === 'uuid' || inPath.format === 'uuid') return unknownUuid
    const { pattern = inPath.pattern } = own
    if (pattern === undefined) return run.mark('none')
    return contract.sample({ type: 'string', pattern }, run.random.next(1e6), 0)
  }

  /** The default of a field, in the requests of an operation or in the rows. */
  defaultOf({ input }: Operation, name: string): Json | undefined {
    const { documents } = this.contract
    const fields = rowFieldsIn(documents, input.body, fieldsIn({ documents }, this.rows.collection.row)).properties
    return schemaOf(documents, fields[name]).default ?? schemaOf(documents, this.rows.fields[name]).default
  }

  /** Some values that a schema allows. A sample may always be its default. */
  valuesOf(property: Json): Json[] {
    const schema = wholeOf(this.contract.documents, property)
    if (schema.type === 'boolean') return [true, false]
    if (Array.isArray(schema.enum)) return schema.enum
    return Array.from({ length: 8 }, (_, at) => this.contract.sample(schema, at, at))
  }

  /** The value that a list filters a field by if no request says another one. */
  usual(name: string): Json | undefined {
    const filters = this.rows.paging.properties
    return Object.hasOwn(this.rows.fields, name) ? schemaOf(this.contract.documents, filters[name]).default : undefined
  }

  /** Whether an operation takes a part of an input. */
  takes(operation: Operation, part: 'path' | 'query' | 'body', input: Input, coercion: Coercion = 'lax'): boolean {
    const { problems } = this.contract.checkInput(operation, rawOf(operation, input), coercion, new Set())
    return problems.every(({ loc }) => loc[0] !== part)
  }

  /** The query parameters that an operation requires. */
  private needed({ input }: Operation): JsonObject {
    const { properties = {}, required = [] } = input.query ?? {}
    const sampleOf = (name: string) => valueFor(this.contract, (properties as JsonObject)[name])
    return Object.fromEntries((required as string[]).map((name) => [name, sampleOf(name)]))
  }

  /** Records the choice of a question that the document leaves open at an operation. */
  answer(operation: Operation, id: string, choice: string, how: string): void {
    const entry = this.scene.run.readings.ledger.find((it) => it.id === id)
    if (entry && (entry.place.length === 0 || entry.place.includes(operation.id)))
      this.scene.answer(id, choice, `${operation.id} ${how}`)
  }

  /** Calls an operation on the rows with these keys. */
  async ask(operation: Operation, keys: readonly Json[], input: Input = {}, as?: Asker): Promise<Exchange> {
    const exchange = await this.send(operation, keys, input, as)
    this.judge(exchange)
    return exchange
  }

  /** Judges a reply. An error says why, if the document has a text for that. */
  judge(exchange: Exchange): void {
    this.scene.judge(exchange)
    const { operation } = exchange.call
    const { status, body } = exchange.reply
    const { documents } = this.contract
    const { properties } = fieldsIn(this.contract, (status >= 400 && responseOf(operation, status)?.schema) || {})
    const inner = fieldsIn(this.contract, schemaOf(documents, properties.error)).properties
    const texts = Object.entries({ ...inner, ...properties }).filter(
      ([name, it]) => reasons.test(name) && [schemaOf(documents, it).type].flat().includes('string')
    )
    const isSaid = [body, isObject(body) && body.error].some(
      (it) => isObject(it) && texts.some(([name]) => typeof it[name] === 'string' && it[name] !== '')
    )
    const expected = `a reason in ${texts.map(([name]) => name).join(' or ')}`
    if (texts.length > 0) this.scene.check('response_schema_conformance', operation.id, isSaid, expected)
  }

  /** The same. The reply is not judged yet. */
  send(operation: Operation, keys: readonly Json[], input: Input = {}, as?: Asker): Promise<Exchange> {
    const query = { ...this.needed(operation), ...input.query }
    return this.scene.send(operation.id, { path: this.path(operation, ...keys), ...input, query }, as)
  }

  /** The same with a valid input. One that is refused for reasons of the server stops the scene. */
  async accepted(operation: Operation, keys: readonly Json[], input: Input = {}, as?: Asker): Promise<Exchange> {
    const exchange = await this.ask(operation, keys, input, as)
    const { status, text, headers } = exchange.reply
    if (status < 400) {
      const promised = Object.entries(responseOf(operation, status)?.headers ?? {}).filter(([, it]) => it.isRequired)
      const [missing] = promised.find(([name]) => headers[name] === undefined) ?? []
      if (promised.length > 0)
        this.scene.check('response_schema_conformance', operation.id, !missing, `the header ${missing}`)
      return exchange
    }
    if (needsHeaders(operation)) throw new Stopped(headersNeeded)
    if (!responseOf(operation, status)) {
      this.scene.check('positive_data_acceptance', operation.id, false, 'a success: the request is valid')
      throw new Stopped()
    }
    throw new Stopped(`it was refused, as the document allows: ${status} ${text.slice(0, 80)}`)
  }

  /** Reads the list to its end, with pages of a size if one is given. */
  async listed({ query = {}, size }: { query?: JsonObject; size?: number } = {}): Promise<Listing> {
    const { list } = this.rows
    if (!list) throw new Stopped('no operation lists such rows')
    const { documents } = this.contract
    const paging = this.rows.paging
    const { maximum } = schemaOf(documents, paging.properties[paging.size ?? ''])
    const limit = size ?? Math.min(Number(maximum ?? 100), 100)
    const usual = { ...query, ...(paging.size !== undefined && { [paging.size]: limit }) }
    const isFixed = [paging.size, paging.start, paging.page, paging.cursor].every((it) => it === undefined)
    const listing: Listing = { rows: [], isWhole: false, pages: [], isFixed }
    const cannotEnd = isNeverEmpty(documents, list)
    let next: JsonObject | undefined = {}
    let isCut = false
    while (next && listing.pages.length < mostPages) {
      const input: Input = { query: { ...usual, ...next } }
      const isFirst = listing.pages.length === 0
      const { status, body }: Reply = (await (isFirst ? this.accepted(list, [], input) : this.ask(list, [], input)))
        .reply
      // There may be no page after the last one.
      if (status === 404) break
      const items = itemsIn(body)
      if (!items) throw new Stopped('no list was found in its answer')
      // Where a page must have a row, the last one may come again.
      if (cannotEnd && JSON.stringify(items) === JSON.stringify(listing.pages.at(-1))) break
      listing.pages.push(items)
      listing.rows.push(...items)
      const page = pageIn(body)
      listing.total ??= page.total
      if (isFirst) listing.count = page.count
      const isFull = items.length > 0 && (paging.size === undefined || items.length >= limit)
      isCut = isFull && (paging.start ?? paging.page) === undefined && paging.size !== undefined
      if (paging.cursor !== undefined) {
        const following = page.after(paging.cursor)
        // Some name the last row.
        const at = following ?? (page.hasMore === true ? items.at(-1)?.[this.rows.key] : undefined) ?? ''
        next = at === '' ? undefined : { [paging.cursor]: at }
        isCut = isFull && next === undefined && following === undefined && page.hasMore === undefined
      } else if (!isFull) next = undefined
      else if (paging.start !== undefined) next = { [paging.start]: listing.rows.length }
      else next = paging.page === undefined ? undefined : { [paging.page]: paging.first + listing.pages.length }
    }
    const isPart = isFixed && (listing.total ?? listing.count ?? 0) > listing.rows.length
    listing.isWhole = listing.pages.length < mostPages && !isCut && !isPart
    return listing
  }

  /** A row by its key: by its own operation, or else from the list. */
  async read(key: Json): Promise<JsonObject> {
    const { scene, rows } = this
    const { read: operation, list } = rows
    if (operation) {
      const { status, body } = (await this.ask(operation, [key])).reply
      if (status >= 400 && status !== 404 && needsHeaders(operation)) throw new Stopped(headersNeeded)
      const row = rows.rowIn(body)
      scene.check('ensure_resource_availability', operation.id, status < 300, `the row ${key}`)
      if (status >= 300 || !row) throw new Stopped()
      scene.check('values_read_back', operation.id, isKey(row[rows.key], key), `${rows.key} ${key}`)
      return row
    }
    const { rows: items, isWhole } = await this.listed()
    const row = items.find((it) => isKey(it[rows.key], key))
    if (!row && !isWhole) throw new Stopped('its list is too long to be read')
    scene.check('ensure_resource_availability', (list as Operation).id, row !== undefined, `the row ${key} in the list`)
    return row ?? {}
  }

  /** Creates a row. The end of the scene removes it, if there is an operation for it. */
  async created(ownBody?: JsonObject, as?: Asker): Promise<Made> {
    const { create, isPut, replace } = this.rows
    const operation = create ?? (isPut ? replace : undefined)
    if (!operation) return this.madeBySource()
    const body = ownBody ?? (await this.body(operation))
    const keys = create ? [] : [this.unknownKey()]
    const result = this.madeBy(body, await this.accepted(operation, keys, { body }, as), as)
    if (!result) throw new Stopped(`its answer has no ${this.rows.key} of the new row`)
    return result
  }

  /** A row that the module of `--rows` creates. */
  private async madeBySource(): Promise<Made> {
    const { collection, parent, read, remove, key: name } = this.rows
    const calls = { read: read?.id, remove: remove?.id }
    const key = parent ? undefined : await this.scene.run.make(collection.name, calls)
    if (key === undefined || !read) throw new Stopped('no operation creates such rows: see --rows')
    const exchange = await this.accepted(read, [key])
    const row = this.rows.rowIn(exchange.reply.body)
    if (!row) throw new Stopped(`its answer has no ${name}`)
    return { row, key, sent: {}, body: {}, exchange }
  }

  /** The status of a creation that may be refused. */
  async tried(create: Operation, body: JsonObject): Promise<number> {
    const exchange = await this.ask(create, [], { body })
    if (exchange.reply.status < 300) this.madeBy(body, exchange)
    return exchange.reply.status
  }

  /** The row of an accepted creation. */
  madeBy(body: JsonObject, exchange: Exchange, as?: Asker): Made | undefined {
    const { rows, scene } = this
    const row = rows.rowIn(exchange.reply.body) ?? rows.sentIn(body)
    const key = row[rows.key]
    if (key === undefined || key === null) return undefined
    const { remove } = rows
    const item = rows.read ?? remove
    if (item && !this.takes(item, 'path', { path: this.path(item, key) }))
      throw new Stopped(`the path of ${item.id} does not take ${key}`)
    // Rows that belong to others go first.
    if (remove)
      scene.undo.unshift(async () => void (await scene.run.tried(remove.id, { path: this.path(remove, key) }, as)))
    return { row, key, sent: rows.sentIn(body), body, exchange }
  }

  /**
   * A valid body with all fields that the document has, or only the required ones. Texts are of this run, and ids are those of
   * rows. What the server sets is left out.
   */
  async body(operation: Operation, isWhole = true): Promise<JsonObject> {
    const { contract, rows } = this
    const { random } = this.scene.run
    const schema = operation.input.body
    if (!schema || operation.media !== undefined) throw new Stopped('its body is not JSON')
    this.days = random.next(9000)
    const links: JsonObject = {}
    for (const [field, name] of Object.entries(rows.collection.links ?? {})) {
      const other = this.linked(name)
      const isListed = other && !other.parent && other.list
      const row = isListed ? (await new Table(this.scene, other, []).listed()).rows[0] : undefined
      // A row may be named by its id where paths name it by another key.
      const value = [row?.[other?.key ?? ''], row?.id].find((it) => it !== undefined && this.isOfRow(field, it))
      if (value !== undefined) links[field] = value
    }
    for (let attempt = 0; attempt < 8; attempt++) {
      const sample = contract.sample(schema, random.next(1e6), attempt)
      // The values of the schema, if those of this run do not fit.
      for (const own of [links, undefined]) {
        const body = this.fitted(operation, isWhole, own, sample, schema)
        if (isObject(body) && this.takes(operation, 'body', { body }, 'strict')) return body
      }
    }
    throw new Stopped('no valid body could be made from its schema')
  }

  /** Whether rows take a value of a field. */
  isOfRow(name: string, value: Json): boolean {
    const { problems } = this.contract.checkRow(this.rows.collection, { [name]: value })
    return !problems.some(({ loc }) => loc[1] === name)
  }

  /** The fields of a sample that are sent, with values of this run and of rows that it names, if those are given. */
  private fitted(
    operation: Operation,
    isWhole: boolean,
    links: JsonObject | undefined,
    value: Json,
    of: Json,
    isRow = true
  ): Json {
    if (!isObject(value)) return value
    const { contract, rows } = this
    const { properties, required } = fieldsIn(contract, schemaOf(contract.documents, of))
    const reply = responseOf(operation, statusOf(operation))?.schema ?? {}
    const owners = ownerFieldsIn(rows.collection, contract.api.users.collection)
    const isKeyOfClient = operation === rows.create && Object.keys(fieldsIn(contract, reply).properties).length === 0
    const entries = Object.entries(value).flatMap(([name, item]): [string, Json][] => {
      const whole = wholeOf(contract.documents, properties[name])
      const kinds = ((whole.anyOf ?? whole.oneOf ?? [whole]) as Json[]).map((it) => wholeOf(contract.documents, it))
      const field = kinds.find((it) => it.type !== 'null') ?? whole
      const isInner = isObject(item) && isRow && !rows.isOfRow(value)
      const isId = name === rows.key || name === 'id'
      const isSet = field.readOnly || isId || owners.includes(name)
      const isSent =
        required.includes(name) || (isInner && rows.isOfRow(item)) || (isId && isKeyOfClient && !field.readOnly)
      if (!isSent && (!isWhole || isSet)) return []
      const file = { 'x-file': { name: 'notes.txt', type: 'text/plain', text: this.scene.mark('file') } }
      if (field['x-file'] === true) return [[name, file]]
      if (schemaOf(contract.documents, field.items)['x-file'] === true) return [[name, [file]]]
      if (links && Object.hasOwn(links, name)) return [[name, links[name] as Json]]
      // A form has no null.
      if (operation.form && item === null) return []
      if (isInner) return [[name, this.fitted(operation, isWhole, links, item, field, false)]]
      return [[name, links ? this.ownValue(name, item, field) : item]]
    })
    return Object.fromEntries(entries)
  }

  /** Texts and ids of this run, where the schema leaves them free. */
  private ownValue(name: string, value: Json, field: JsonObject): Json {
    const { contract, rows } = this
    const { run } = this.scene
    const isId = name === rows.key || name === 'id'
    if (isId && typeof value === 'number') return 1_000_000_000 + ((Date.now() + run.random.next(1e6)) % 900_000_000)
    // Others are not in the list.
    const usual = this.usual(name)
    if (usual !== undefined) return usual
    // The rows may take fewer values than the requests.
    const own = wholeOf(contract.documents, rows.fields[name])
    const isNarrow = ['enum', 'pattern', 'minLength', 'maxLength'].some((it) => own[it] && !field[it])
    const fitting = isNarrow ? contract.sample(own, run.random.next(1e6), 0) : value
    if (typeof fitting !== 'string' || own.enum || field.enum || field.const) return fitting
    // What is later in a row has a later day.
    if (field.format === 'date') return this.dayAfter(name)
    // Many services want an address, whatever the document says.
    if ((field.format ?? (/e-?mail$/i.test(name) && 'email')) === 'email') return `${run.mark('e')}@example.com`
    const most = Math.min(...[own, field].map((it) => Number(it.maxLength ?? 200)))
    const word = run.mark(name.replace(/\W/g, '').toLowerCase()).slice(0, most)
    const isFree = [own, field].every(({ pattern }) => pattern === undefined || matches(String(pattern), word))
    return field.format === undefined && most > 20 && isFree ? word : fitting
  }

  /** A day of this run, which is later for later fields: a stay ends after it begins. */
  private dayAfter(name: string): string {
    const at = Object.keys(this.rows.fields).indexOf(name)
    return new Date(Date.UTC(2030, 0, 1 + this.days + at)).toISOString().slice(0, 10)
  }

  /**
   * Which of the sent fields a reply must show: those of rows that the server neither sets nor hides. `isWhole`: the reply is the
   * whole row.
   */
  shown(operation: Operation, sent: JsonObject, row: JsonObject, isWhole = false): JsonObject {
    const { contract, rows } = this
    const body = fieldsIn(contract, operation.input.body ?? {}).properties
    const inner = Object.values(body).map((it) => fieldsIn(contract, schemaOf(contract.documents, it)).properties)
    const isSet = (name: string) =>
      [rows.fields[name], body[name], ...inner.map((it) => it[name])].some((it) => {
        const { readOnly, writeOnly, format } = schemaOf(contract.documents, it)
        return readOnly === true || writeOnly === true || format === 'password' || format?.toString().startsWith('date')
      })
    const isPlain = (value: Json | undefined) => [value].flat().every((part) => typeof part !== 'object')
    const isShown = ([name, value]: [string, Json]) =>
      name !== rows.key &&
      !moving.test(name) &&
      (isWhole || Object.hasOwn(row, name)) &&
      !isSet(name) &&
      isPlain(value) &&
      isPlain(row[name]) &&
      this.isOfRow(name, value)
    return Object.fromEntries(Object.entries(sent).filter(isShown))
  }

  /** Whether no reply shows what the document says only requests have. */
  hidesSecrets(operation: Operation, sent: JsonObject): void {
    const text = this.scene.last?.reply.text ?? ''
    const own = this.rows.fields
    const leaked = Object.entries(sent).find(([name, value]) => {
      const { writeOnly, format } = schemaOf(this.contract.documents, own[name])
      const isSecret = writeOnly === true || format === 'password' || (own[name] === undefined && /passw/i.test(name))
      return isSecret && typeof value === 'string' && value.length > 6 && text.includes(value)
    })
    this.scene.check('secrets_hidden', operation.id, leaked === undefined, `no value of ${leaked?.[0]}`)
  }
}
