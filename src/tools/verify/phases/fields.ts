import type { Contract } from '../../../engine/contract/contract.js'
import type { Json, JsonObject } from '../../../engine/contract/load.js'
import type { Operation } from '../../../engine/contract/model.js'
import { mainType } from '../../../engine/contract/pydantic/coerce.js'
import { locsOf } from '../learn/readings.js'
import { withUnknownIds } from '../rows.js'
import { answered, type Run } from '../run.js'

const required = 'requests.required'
const nulls = 'requests.null'

/** What the server reports about the fields of a body. */
type ReportedFields = NonNullable<Awaited<ReturnType<typeof ask>>>

/**
 * Learns which fields are required and which may be null. The requests are always invalid and name missing rows, so
 * that none can succeed. Each is sent twice with a different wrong field, because that field itself shows nothing. A
 * server that reports only the first error is not asked further.
 */
export async function learnFields(run: Run, operations: Operation[]): Promise<void> {
  const reports: ReportedFields[] = []
  for (const { id } of operations) {
    const report = await answered(() => ask(run, run.operation(id)))
    if (report?.value) reports.push(report.value)
  }
  if (reports.length === 0) return
  const spare = reports.flatMap(({ id, required: needed }) => {
    const listed = requiredOf(run.readings.contractOf(id, { [required]: 'listed' }), id)
    return listed.filter((name) => !needed.includes(name)).map((name) => `${id}.${name}`)
  })
  const also = spare.length > 0 ? `; may be left out here: ${spare.join(', ')}` : ''
  const nullable = reports.filter((it) => it.nullable)
  const taking = choiceOf(run, nulls, nullable, (it) => it.nullable ?? [])
  const needing = choiceOf(run, required, reports, (it) => it.required)
  const shown = (some: ReportedFields[], choice: string) => some.find(({ id }) => choice.includes(`${id}.`)) ?? some[0]
  run.answers.add(required, needing, `bodies without their fields${also}`, shown(reports, needing)?.missing)
  if (nullable.length > 0) run.answers.add(nulls, taking, 'bodies of null', shown(nullable, taking)?.nulls)
}

async function ask(run: Run, operation: Operation) {
  const { id, form, examples } = operation
  const properties = (operation.input.body?.properties ?? {}) as Record<string, JsonObject>
  const path = withUnknownIds(Object.values(examples)[0]?.path)
  /** The fields at which the server reports errors. Undefined if it reports none. */
  const refusedOf = async (body: JsonObject): Promise<string[] | undefined> => {
    const exchange = await run.exactly(id, { path, body })
    if (exchange.reply.status !== 422) return undefined
    const locs = locsOf(exchange).filter(([part, name]) => part === 'body' && name !== undefined)
    return [...new Set(locs.map(([, name]) => String(name)))]
  }
  if (form) {
    const fields = await refusedOf({})
    const { latest: missing } = run.answers
    return fields && fields.length > 1 ? { id, missing, nulls: missing, known: fields, required: fields } : undefined
  }
  const names = Object.keys(properties)
  if (names.length < 2 || operation.input.body?.['x-embedded']) return undefined
  const wrong = (name: string): JsonObject => ({ [name]: mainType(properties[name] ?? {}) === 'object' ? 7 : {} })
  const fieldNames = (await refusedOf(Object.assign({}, ...names.map(wrong)))) ?? []
  const [first, second] = names.filter((name) => fieldNames.includes(name))
  if (first === undefined || second === undefined) return undefined
  const inTurn = async (body: JsonObject) => {
    const one = await refusedOf({ ...body, ...wrong(first) })
    const other = await refusedOf({ ...body, ...wrong(second) })
    return one && other && [...one.filter((it) => it !== first), ...other.filter((it) => it !== second)]
  }
  const lacking = await inTurn({})
  if (!lacking) return undefined
  const needed = [...new Set(lacking)]
  const missing = run.answers.latest
  const places = needed.map((name) => ['body', name])
  run.needs.demand(operation, { path, body: {} }, places)
  const refused = await inTurn(Object.fromEntries(names.map((name): [string, Json] => [name, null])))
  const isTaken = (name: string) => fieldNames.includes(name) && !refused?.includes(name)
  const nullable = refused && nullableOf(run.readings.contractOf(id), id, true).filter(isTaken)
  return {
    id,
    /** The commands of a request without fields and of one with nulls. */
    missing,
    nulls: run.answers.latest,
    known: fieldNames,
    required: needed,
    /** Of those that may be null under some choice. Undefined if unknown. */
    nullable
  }
}

/** The choice that describes all operations, or else one that lists the fields. */
function choiceOf({ readings }: Run, id: string, reports: ReportedFields[], of: (it: ReportedFields) => string[]) {
  const entry = readings.ledger.find((it) => it.id === id)
  const [first = '', ...others] = Object.keys(entry?.choices ?? {}).filter((choice) => !choice.includes('<'))
  const expected = (choice: string, it: ReportedFields) => {
    const contract = readings.contractOf(it.id, { [id]: choice })
    if (id === required) return requiredOf(contract, it.id)
    return nullableOf(contract, it.id).filter((name) => it.known.includes(name))
  }
  const beyond = (names: string[], it: ReportedFields) => {
    const base = expected(first, it)
    return names.filter((name) => !base.includes(name))
  }
  const isSame = (choice: string) =>
    reports.every((it) => {
      const [target, extra] = [beyond(expected(choice, it), it), beyond(of(it), it)]
      return target.length === extra.length && target.every((name) => extra.includes(name))
    })
  const match = [first, ...others].find(isSame)
  if (match !== undefined) return match
  const names = reports.flatMap((it) => {
    const extra = beyond(of(it), it)
    const fields = Object.keys(readings.operation(it.id).input.body?.properties ?? {})
    return fields.filter((name) => extra.includes(name)).map((name) => `${it.id}.${name}`)
  })
  return names.length === 0 ? first : `fields:${names.join(',')}`
}

function requiredOf({ operations }: Contract, id: string): string[] {
  return (operations.get(id)?.input.body?.required ?? []) as string[]
}

/** The fields that may be null under some choice, or under this one. */
function nullableOf({ operations }: Contract, id: string, isAny = false): string[] {
  const properties = Object.entries((operations.get(id)?.input.body?.properties ?? {}) as Record<string, JsonObject>)
  const isOptional = (field: JsonObject) => JSON.stringify(field).includes(nulls)
  const takesNull = ({ type, anyOf }: JsonObject) => isAny || JSON.stringify([type, anyOf]).includes('"null"')
  return properties.flatMap(([name, field]) => (isOptional(field) && takesNull(field) ? [name] : []))
}
