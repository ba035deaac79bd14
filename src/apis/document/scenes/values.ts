import { isObject, type Json, type JsonObject, schemaOf } from '../../../engine/contract/load.js'
import type { Operation } from '../../../engine/contract/model.js'
import { responseOf } from '../../../engine/contract/outcomes.js'
import { fieldsIn, rowFieldsIn } from '../../../engine/contract/schemas/schemas.js'
import { uniqueFields } from '../../../engine/ledger/extensions.js'
import type { Asker } from '../../../tools/verify/calls/client.js'
import { fieldNamed, itemsIn } from '../../../tools/verify/calls/lists.js'
import type { Input } from '../../../tools/verify/calls/request.js'
import { type Mutation, mutationsOf } from '../../../tools/verify/phases/negative.js'
import { contains } from '../../../tools/verify/scene.js'
import { isItem, type Rows, steady } from './rows.js'
import { type Part, Table } from './table.js'

const textOf = ({ what }: Mutation) => what.replace(/^\S+ \S+: /, '')

/** Bodies with one mistake are refused, and change nothing. What is at a bound is accepted. */
export const values: Part = async (scene, rows) => {
  const table = await Table.open(scene, rows)
  const isOwn = rows.create !== undefined || rows.isPut
  const target = isOwn ? await table.created() : undefined
  // Without a key, only a row below one of this run may be changed.
  const single = table.owners.length > 0 ? (rows.single ?? []) : []
  for (const operation of [rows.create, rows.change, rows.replace, ...single]) {
    if (!operation?.input.body || (isItem(operation) && !target)) continue
    const keys = isItem(operation) && target ? [target.key] : []
    await refuses(table, operation, keys)
    await accepts(table, operation, keys)
  }
}

/** Bodies with one mistake are refused, and change nothing. */
export async function refuses(table: Table, operation: Operation, keys: Json[], as?: Asker): Promise<void> {
  const { scene, rows } = table
  const path = table.path(operation, ...keys)
  const body = await table.body(operation)
  const rowNow = async () => steady(await table.read(keys[0] as Json))
  let before = keys.length > 0 ? await rowNow() : undefined
  for (const wrong of wrongOf(table, operation, 'body', { path, query: {}, body })) {
    const exchange = await table.send(operation, keys, { body: wrong.body }, as)
    const { status } = exchange.reply
    // What it answers to a wrong value may be as wrong.
    if (status >= 300) table.judge(exchange)
    scene.check('negative_data_rejection', operation.id, status >= 400, `a refusal: ${textOf(wrong)}`)
    if (status === 400 || status === 422)
      table.answer(operation, 'errors.invalid-request', String(status), `with a wrong body: ${textOf(wrong)}`)
    if (status < 300 && operation === rows.create && isObject(wrong.body)) table.madeBy(wrong.body, exchange)
    if (status < 300 && before) {
      // The row is right again.
      await table.accepted(operation, keys, { body }, as)
      before = await rowNow()
    }
    if (status < 400) continue
    scene.forget(exchange)
    const isSame = before === undefined || contains(await rowNow(), before)
    if (before) scene.check('others_untouched', operation.id, isSame, 'the row as it was: the change was refused')
  }
}

/** Values at the bounds of fields are accepted: all together, or else those that the refusal names, alone. */
async function accepts(table: Table, operation: Operation, keys: Json[]): Promise<void> {
  const { scene, rows } = table
  const { documents } = table.contract
  const { links = {}, row } = rows.collection
  const fields = Object.entries(rowFieldsIn(documents, operation.input.body, fieldsIn({ documents }, row)).properties)
  const send = async (at: JsonObject) => {
    const body = rows.withFields(await table.body(operation), at)
    if (!table.takes(operation, 'body', { body }, 'strict')) return undefined
    const exchange = await table.ask(operation, keys, { body })
    if (exchange.reply.status < 300 && operation === rows.create) table.madeBy(body, exchange)
    return exchange.reply
  }
  for (const isUpper of [false, true]) {
    const at = fields.flatMap(([name, schema]): [string, Json][] => {
      const isFree = name !== rows.key && links[name] === undefined && !uniqueFields.includes(name)
      const value = atBound(schemaOf(documents, schema), isUpper, scene.mark('v'))
      return isFree && value !== undefined ? [[name, value]] : []
    })
    const { status = 0 } = (at.length > 0 && (await send(Object.fromEntries(at)))) || {}
    if (status > 0 && status < 300) scene.run.results.held(operation.id, 'positive_data_acceptance')
    if ((status !== 400 && status !== 422) || ((await send({}))?.status ?? 400) >= 400) continue
    for (const [name, value] of at) {
      const alone = await send({ [name]: value })
      const isRefused = (alone?.status === 400 || alone?.status === 422) && alone.text.includes(name)
      const shown = typeof value === 'string' ? `${value.length} characters` : value
      if (isRefused)
        scene.check('positive_data_acceptance', operation.id, false, `a success: ${name} may have ${shown}`)
    }
  }
}

/** Query parameters with a wrong value are refused where the document has a refusal. */
export const queries: Part = async (scene, rows) => {
  const list = rows.list as Operation
  if (!responseOf(list, 400) && !responseOf(list, 422)) return
  const table = await Table.open(scene, rows)
  const { size = '', start, page, properties } = rows.paging
  const texts = new Set<string>()
  for (const wrong of wrongOf(table, list, 'query', { path: table.path(list), query: {} })) {
    const text = textOf(wrong)
    // Others may be compared with rows, whatever they are.
    const isOfPage = [size, start, page].includes(String(wrong.locs[0]?.[1]))
    const isSure = (isOfPage && wrong.kind === 'bound') || text.endsWith(' is not one of its values')
    if (!isSure || texts.has(text)) continue
    texts.add(text)
    const { status, body } = (await table.ask(list, [], { query: wrong.query })).reply
    const { maximum } = schemaOf(table.contract.documents, properties[size])
    const isMost = status < 300 && wrong.locs[0]?.[1] === size && text.endsWith('too large')
    // Some show as many as they can.
    const isIgnored =
      (itemsIn(body)?.length ?? 0) > Number(maximum) ||
      fieldNamed(body, (it) => it === size) === Number(wrong.query[size])
    if (isMost && !isIgnored) scene.couldNot(list.id, 'no answer shows whether its pages are shortened', text)
    else scene.check('negative_data_rejection', list.id, status >= 400, `a refusal: ${text}`)
  }
}

/** An action sets the status that its name leads to, or nothing, and is refused the second time or not. */
export const actions: Part = async (scene, rows) => {
  let isFollowed = scene.run.answers.get('actions.status') === 'followed'
  for (const operation of (rows as Rows).actions) {
    const { field = '', value } = operation.mock?.row?.action ?? {}
    const table = await Table.open(scene, rows)
    const { key, row } = await table.created()
    const call = async () => table.ask(operation, [key], operation.input.body && { body: await table.body(operation) })
    const { status } = row[field] === value ? { status: 300 } : (await call()).reply
    if (status >= 300) continue
    const after = await table.read(key)
    const isSet = after[field] === value
    isFollowed ||= isSet
    // A service that follows others is to follow each, now or later.
    const isIdle = after[field] === row[field] && status !== 202
    if (isFollowed && (isSet || isIdle)) scene.check('values_read_back', operation.id, isSet, `${field} ${value}`)
    table.answer(operation, 'actions.status', isSet ? 'followed' : 'kept', `then ${field}`)
    const again = isSet ? (await call()).reply.status : 0
    if (again === 409 || (again > 0 && again < 300))
      table.answer(operation, 'actions.again', again === 409 ? '409' : 'success', 'for the second time')
  }
}

/** The most wrong values of one field that are not values beyond its bounds, and of one operation. */
const mostOfField = 2
const most = 40

/** Wrong inputs of an operation, a few for each field, however values are read. */
function wrongOf(table: Table, operation: Operation, part: 'query' | 'body', input: Input): Mutation[] {
  const counts = new Map<string, number>()
  const all = [...mutationsOf(table.contract, operation, { it: input })].filter((it) => {
    const { kind, locs, body } = it
    const [[place] = []] = locs
    const isOpen = kind === 'null' || kind === 'number-for-text' || (part === 'body' && (body ?? null) === null)
    // A form has only texts, and nothing of an empty object.
    const isInForm = kind === 'bound' || (kind === 'left-out' && locs[0]?.length === 2)
    if (isOpen || place !== part || (operation.form && part === 'body' && !isInForm)) return false
    if ((['strict', 'lax'] as const).some((read) => table.takes(operation, part, it, read))) return false
    const field = `${kind === 'bound'} ${locs.join()}`
    counts.set(field, (counts.get(field) ?? 0) + 1)
    return kind === 'bound' || (counts.get(field) as number) <= mostOfField
  })
  return all.slice(0, most)
}

/** The value at the lower or upper bound of a schema. A text begins or ends with a mark. Undefined: it has none. */
function atBound(
  { type, format, pattern, enum: listed, ...bounds }: JsonObject,
  isUpper: boolean,
  mark: string
): string | number | undefined {
  const number = (name: string) => (typeof bounds[name] === 'number' ? (bounds[name] as number) : undefined)
  const types = [type].flat()
  const value = number(isUpper ? 'maximum' : 'minimum')
  if (types.includes('integer') || types.includes('number'))
    return Math.abs(value ?? Infinity) < 1e6 ? value : undefined
  const length = number(isUpper ? 'maxLength' : 'minLength') ?? 0
  if (!types.includes('string') || (format ?? pattern ?? listed) !== undefined || length < 1 || length > 1000)
    return undefined
  return isUpper ? mark.padEnd(length, 'x').slice(0, length) : mark.slice(-length).padStart(length, 'x')
}
