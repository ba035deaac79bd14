import type { Contract } from '../../../engine/contract/contract.js'
import { isObject, type Json, type JsonObject } from '../../../engine/contract/load.js'
import { isReading, type Operation } from '../../../engine/contract/model.js'
import { mainType } from '../../../engine/contract/pydantic/coerce.js'
import { locsOf } from '../learn/readings.js'
import { unknownOf } from '../rows.js'
import type { Run } from '../run.js'
import { answered } from './batches.js'

const required = 'requests.required'
const nulls = 'requests.null'

/** What the server reports about the fields of a body. */
interface ReportedFields {
  id: string
  /** The commands of a request without fields and of one with nulls. */
  missing: string | undefined
  nulls: string | undefined
  /** The fields that the server knows. */
  known: string[]
  /** The fields that the server requires. */
  required: string[]
  /** The fields that may be null, of those that may be under some choice. Undefined if unknown. */
  nullable: string[] | undefined
}

/**
 * Learns which fields are required and which may be null. The requests are always invalid and name missing rows, so
 * that none can succeed. Each is sent twice with a different wrong field, because that field itself shows nothing. A
 * server that reports only the first error is not asked further.
 */
export async function learnFields(run: Run, operations: Operation[]): Promise<void> {
  const told: ReportedFields[] = []
  for (const { id } of operations) {
    const operation = run.operation(id)
    if (run.settings.mutating || isReading(operation)) {
      const answer = await answered(() => ask(run, operation))
      if (answer?.value) told.push(answer.value)
    }
  }
  if (told.length === 0) return
  const nullable = told.filter((it) => it.nullable !== undefined)
  const taking = choiceOf(run, nulls, nullable, (it) => it.nullable ?? [])
  const needing = choiceOf(run, required, told, (it) => it.required)
  const spare = told.flatMap(({ id, required: needed }) =>
    requiredOf(run.readings.contractOf(id, { [required]: 'listed' }), id).flatMap((name) =>
      needed.includes(name) ? [] : `${id}.${name}`
    )
  )
  const also = spare.length > 0 ? `; may be left out here: ${spare.join(', ')}` : ''
  const shown = (some: ReportedFields[], choice: string) => some.find(({ id }) => choice.includes(`${id}.`)) ?? some[0]
  run.answers.add(required, needing, `bodies without their fields${also}`, shown(told, needing)?.missing)
  if (nullable.length > 0) run.answers.add(nulls, taking, 'bodies of null', shown(nullable, taking)?.nulls)
}

async function ask(run: Run, operation: Operation): Promise<ReportedFields | undefined> {
  const { id, form, examples } = operation
  const properties = (operation.input.body?.properties ?? {}) as Record<string, JsonObject>
  const path = Object.fromEntries(
    Object.entries(Object.values(examples)[0]?.path ?? {}).map(([name, value]) => [name, unknownOf(value)])
  )
  const toldOf = async (body: JsonObject): Promise<string[] | undefined> => {
    const exchange = await run.exactly(id, { path, body })
    if (exchange.reply.status !== 422) return undefined
    const names = locsOf(exchange).flatMap(([part, name]) =>
      part === 'body' && name !== undefined ? [String(name)] : []
    )
    return [...new Set(names)]
  }
  const curls = (missing = run.answers.latest) => ({ missing, nulls: run.answers.latest })
  if (form) {
    const missing = await toldOf({})
    return missing && missing.length > 1
      ? { id, ...curls(), known: missing, required: missing, nullable: undefined }
      : undefined
  }
  const names = Object.keys(properties)
  if (names.length < 2 || operation.input.body?.['x-embedded']) return undefined
  const wrong = (name: string): JsonObject => ({ [name]: mainType(properties[name] ?? {}) === 'object' ? 7 : {} })
  const known = (await toldOf(Object.assign({}, ...names.map(wrong)))) ?? []
  const [first, second] = names.filter((name) => known.includes(name))
  if (first === undefined || second === undefined) return undefined
  const inTurn = async (body: JsonObject) => {
    const one = await toldOf({ ...body, ...wrong(first) })
    const other = await toldOf({ ...body, ...wrong(second) })
    return one && other && [...one.filter((it) => it !== first), ...other.filter((it) => it !== second)]
  }
  const missing = await inTurn({})
  if (!missing) return undefined
  const needed = [...new Set(missing)]
  const locs = needed.map((name) => ['body', name])
  run.needs.demand(operation, { path, body: {} }, locs)
  const shown = run.answers.latest
  const refused = await inTurn(Object.fromEntries(names.map((name): [string, Json] => [name, null])))
  const nullable = optionalOf(run.readings.contractOf(id), id).filter(
    (it) => known.includes(it) && !refused?.includes(it)
  )
  return { id, ...curls(shown), known, required: needed, nullable: refused && nullable }
}

/** The choice that describes all operations, or else one that lists the fields. */
function choiceOf({ readings }: Run, id: string, told: ReportedFields[], of: (it: ReportedFields) => string[]): string {
  const entry = readings.ledger.find((it) => it.id === id)
  const plain = Object.keys(entry?.choices ?? {}).filter((choice) => !choice.includes('<'))
  const expected = (choice: string, it: ReportedFields) => {
    const contract = readings.contractOf(it.id, { [id]: choice })
    return id === required
      ? requiredOf(contract, it.id)
      : nullableOf(contract, it.id).filter((name) => it.known.includes(name))
  }
  const base = (it: ReportedFields) => expected(plain[0] as string, it)
  const extra = (it: ReportedFields) => of(it).filter((name) => !base(it).includes(name))
  const isSame = (choice: string) =>
    told.every((it) => {
      const wanted = expected(choice, it).filter((name) => !base(it).includes(name))
      return wanted.length === extra(it).length && wanted.every((name) => extra(it).includes(name))
    })
  const known = plain.find(isSame)
  if (known !== undefined) return known
  const names = told.flatMap((it) => {
    const fields = Object.keys(readings.operation(it.id).input.body?.properties ?? {})
    return fields.filter((name) => extra(it).includes(name)).map((name) => `${it.id}.${name}`)
  })
  return names.length === 0 ? (plain[0] as string) : `fields:${names.join(',')}`
}

function requiredOf({ operations }: Contract, id: string): string[] {
  return (operations.get(id)?.input.body?.required ?? []) as string[]
}

/** The fields that may be null under some choice. */
function optionalOf({ operations }: Contract, id: string): string[] {
  const properties = Object.entries((operations.get(id)?.input.body?.properties ?? {}) as JsonObject)
  return properties.flatMap(([name, field]) => (JSON.stringify(field).includes(nulls) ? [name] : []))
}

function nullableOf(contract: Contract, id: string): string[] {
  const properties = (contract.operations.get(id)?.input.body?.properties ?? {}) as JsonObject
  const takes = (field: Json | undefined) =>
    isObject(field) && JSON.stringify([field.type, field.anyOf]).includes('"null"')
  return optionalOf(contract, id).filter((name) => takes(properties[name]))
}
