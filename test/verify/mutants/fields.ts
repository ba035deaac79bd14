import { follow, isObject, type Json, type JsonObject } from '../../../src/engine/contract/load.js'
import type { Mutant } from './mutant.js'
import { contract, operations } from './server.js'

/** A field of a reply: where it is, as a path in which `*` stands for every item. */
interface Field {
  operation: string
  resource: string
  path: string[]
  name: string
  schema: JsonObject
}

/** What can be wrong with a field. */
const faults = {
  dropped(fields: JsonObject, { name }: Field) {
    delete fields[name]
  },
  renamed(fields: JsonObject, { name }: Field) {
    fields[`${name}_`] = fields[name] as Json
    delete fields[name]
  },
  retyped(fields: JsonObject, { name, schema }: Field) {
    fields[name] = otherType(schema)
  },
  null(fields: JsonObject, { name }: Field) {
    fields[name] = null
  }
}
type FaultName = keyof typeof faults

/** Resources whose fields the description does not show: a server may have anything here. */
const open = new Set(['CustomHeader', 'FederatedConnectorStatus'])

/**
 * For every required field of every resource one fault, each kind in its turn; or all that `isWhole` makes of it:
 * dropped, renamed, retyped, and null where it cannot be null.
 */
export function fieldMutants(isWhole: boolean): Mutant[] {
  return allFields().flatMap((field, index) => {
    const isEmpty = takesNull(field.schema)
    // A server may leave out what is null: nobody who does not know the row can tell that it is not.
    const unseen: FaultName[] = isEmpty ? ['null', ...('x-null' in field.schema ? (['dropped'] as const) : [])] : []
    const kinds = (Object.keys(faults) as FaultName[]).filter((kind) => !unseen.includes(kind))
    return (isWhole ? kinds : [kinds[index % kinds.length] as FaultName]).map((kind) => mutantOf(field, kind))
  })
}

function mutantOf(field: Field, kind: FaultName): Mutant {
  return {
    name: `${field.resource}.${field.name} ${kind === 'null' ? 'is null' : `is ${kind}`} in ${field.operation}`,
    operations: field.operation,
    check: 'response_schema_conformance',
    fault: () => async (asked) => {
      const reply = await asked.pass()
      if (asked.operation === field.operation && reply.status === 200) {
        for (const fields of objectsAt(reply.body, field.path)) {
          if (field.name in fields) faults[kind](fields, field)
        }
      }
      return reply
    }
  }
}

/** Each field of a resource once: in the first operation that shows it. */
function allFields(): Field[] {
  const seen = new Set<string>()
  return [...operations.values()]
    .flatMap(({ id, responses }) =>
      responses['200']?.schema ? [...fieldsIn(id, responses['200'].schema, [], id)] : []
    )
    .filter(({ resource, name }) => {
      const key = `${resource}.${name}`
      if (open.has(resource) || seen.has(key)) return false
      seen.add(key)
      return true
    })
}

function* fieldsIn(operation: string, given: JsonObject, path: string[], resource: string): Iterable<Field> {
  if (typeof given.$ref === 'string') {
    yield* fieldsIn(
      operation,
      follow(contract.documents, given.$ref) as JsonObject,
      path,
      given.$ref.replace(/.*\//, '')
    )
    return
  }
  for (const part of [...((given.anyOf ?? []) as JsonObject[]), ...((given.allOf ?? []) as JsonObject[])]) {
    if (part.$ref !== 'common.json#/$defs/StatusResponse') yield* fieldsIn(operation, part, path, resource)
  }
  if (isObject(given.items)) yield* fieldsIn(operation, given.items, [...path, '*'], resource)
  for (const [name, schema] of Object.entries((given.properties ?? {}) as Record<string, JsonObject>)) {
    if (((given.required ?? []) as string[]).includes(name))
      yield { operation, resource, path, name, schema: resolved(schema) }
    yield* fieldsIn(operation, schema, [...path, name], resource)
  }
}

function resolved(schema: JsonObject): JsonObject {
  return typeof schema.$ref === 'string' ? resolved(follow(contract.documents, schema.$ref) as JsonObject) : schema
}

function takesNull({ type, anyOf }: JsonObject): boolean {
  return [type].flat().includes('null') || JSON.stringify(anyOf ?? '').includes('"null"')
}

/** A value of a type that the schema does not take. */
function otherType({ type, enum: values, anyOf }: JsonObject): Json {
  const types = [type].flat()
  if (values || anyOf || types.includes('string')) return 7
  return types.includes('array') ? { wrong: true } : 'wrong'
}

/** The objects at a path; of alternatives only those that have the field. */
function objectsAt(value: unknown, path: string[]): JsonObject[] {
  const [step, ...rest] = path
  if (step === undefined) return isObject(value) ? [value] : []
  if (step === '*') return Array.isArray(value) ? value.flatMap((item) => objectsAt(item, rest)) : []
  return isObject(value) && value[step] !== undefined ? objectsAt(value[step], rest) : []
}
