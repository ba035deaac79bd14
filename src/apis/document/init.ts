import { isObject, type Json, type JsonObject, schemaOf } from '../../engine/contract/load.js'
import type { CollectionRow, OpenApiDocument, Operation } from '../../engine/contract/model.js'
import { memberField } from '../../engine/contract/reader/document.js'
import { flattened } from '../../engine/contract/schemas/schemas.js'
import { mockUsers } from './infer.js'
import type { Question } from './questions.js'

/** The texts of the files of a new folder for an API, by name. The document is not one of them. */
export function filesFor(
  title: string,
  document: OpenApiDocument,
  questions: readonly Question[]
): Record<string, string> {
  const collections = document.collections.filter(({ name }) => name !== mockUsers)
  const others = document.operations.filter(({ mock }) => mock?.collection === undefined && mock?.session === undefined)
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  return {
    'api.mjs': definitionText(title, document, collections),
    'rules.mjs': rulesText(others),
    'operations.d.ts': typesText(document),
    'fixtures.mjs': fixturesText(document, collections),
    'ledger.json': json(questions),
    'assumptions.json': json(Object.fromEntries(questions.map((it) => [it.id, it.default]))),
    ...Object.fromEntries(scenariosFor(document, collections).map((it) => [`scenarios/${it.name}.json`, json(it)]))
  }
}

/** A schema as the document writes it: references begin with `#`. */
function plain(value: Json): Json {
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value)) return value
  const { $ref, 'x-file': isFile, ...others } = value
  const rest = Object.fromEntries(Object.entries(others).map(([key, it]) => [key, plain(it)]))
  if (isFile === true) rest.type = 'string'
  return typeof $ref === 'string' ? { $ref: $ref.slice($ref.indexOf('#')), ...rest } : rest
}

/** The collections as marks. Hidden fields of the mock are left out. */
function definitionText(title: string, { document }: OpenApiDocument, collections: readonly CollectionRow[]): string {
  const marks = (document['x-mock-collections'] ?? {}) as Record<string, JsonObject>
  const texts = collections.map(({ name, count }) => {
    const { schema, ...mark } = plain(marks[name] as JsonObject) as { schema: Json }
    const rowSchema = isObject(schema) && Object.keys(schema).join() === '$ref' ? (schema.$ref as Json) : schema
    return `    ${name}: ${JSON.stringify({ schema: rowSchema, count, ...mark })}`
  })
  return `import { defineApi } from 'knowledge-chat-mock'

// Who may call, and which rows there are. The choices of assumptions.json answer the questions of ledger.json.
export default defineApi({
  title: ${JSON.stringify(title)},
  users: [
    { key: 'admin', name: 'Admin', email: 'admin@example.com', role: 'admin' },
    { key: 'user', name: 'User', email: 'user@example.com', role: 'user' }
  ],
  collections: {
${texts.join(',\n')}
  }
})
`
}

const skeleton = '(input, context) => context.otherwise()'
/** Whether a rule is as `init` wrote it. */
export const isSkeleton = (rule: unknown) => String(rule).replace(/\s+/g, ' ') === skeleton

/** A function for each operation that is not a plain call of a collection. */
function rulesText(operations: readonly Operation[]): string {
  const head = `// Operations that are not plain calls of a collection. \`otherwise()\` is what the mock answers without the function: an example of
// the document, or a value made from its schema. Return the body, or \`context.reply(status, body)\`.

/** @typedef {import('knowledge-chat-mock').Rules<import('./operations.js').operations>} Rules */
`
  const skeletons = operations
    .filter(({ id }) => /^[A-Za-z_$][\w$]*$/.test(id) && !reserved.has(id))
    .map(
      ({ id, method, path, summary }) => `
/**
 * ${method} ${path}${summary === id ? '' : `: ${clean(summary)}`}
 * @type {NonNullable<Rules['${id}']>}
 */
export const ${id} = ${skeleton}
`
    )
  return head + (skeletons.length === 0 ? '\nexport default {}\n' : skeletons.join(''))
}

type MediaFields = { media?: string | readonly string[]; formType?: string; jsonType?: string }

/** The types of all operations in the form of openapi-typescript, which may replace this file. */
function typesText({ key, document, operations }: OpenApiDocument): string {
  const typeOf = createTypes({ [key]: document })
  const partOf = (name: string, schema: Json | undefined) =>
    schema === undefined ? `${name}?: never` : `${name}: ${typeOf(schema)}`
  const contentOf = (...schemas: [type: string, schema: Json | undefined][]) => {
    const types = schemas.flatMap(([type, schema]) => (schema === undefined ? [] : `'${type}': ${typeOf(schema)}`))
    return types.length === 0 ? 'content?: never' : `content: { ${types.join('; ')} }`
  }
  const typed = ({ media, formType, jsonType = 'application/json' }: MediaFields, schema: Json | undefined) =>
    [media ?? formType ?? jsonType].flat().map((it): [string, Json | undefined] => [it, schema])
  const bodyOf = (it: Operation) =>
    contentOf(...typed(it, it.input.body), [it.withForm?.formType ?? '', it.withForm?.input.body])
  const texts = operations.map((operation) => {
    const { id, input, responses } = operation
    const parameters = (['query', 'header', 'path', 'cookie'] as const).map((it) => partOf(it, input[it]))
    const replies = Object.entries(responses).map(
      ([status, it]) => `      ${status}: { ${contentOf(...typed(it, it.schema))} }`
    )
    return `  ${fieldName(id)}: {
    parameters: { ${parameters.join('; ')} }
    ${input.body === undefined ? 'requestBody?: never' : `requestBody: { ${bodyOf(operation)} }`}
    responses: {
${replies.join('\n')}
    }
  }
`
  })
  return `// What the document says of its operations. openapi-typescript writes the same form.
export interface operations {
${texts.join('')}}
`
}

const reserved = new Set(
  'default delete new in of import export class function return this null true false void typeof'.split(' ')
)
const clean = (text: string) => text.replace(/\s+/g, ' ').replaceAll('*/', '* /')

/** The types of schemas, in TypeScript, at most three levels deep. */
function createTypes(documents: Record<string, JsonObject>): (schema: Json) => string {
  const typeOf = (schema: Json, depth = 0): string => {
    const whole = schemaOf(documents, schema)
    if (whole['x-file'] === true) return '{ name: string; type: string; bytes: Uint8Array }'
    if (Array.isArray(whole.enum)) return whole.enum.map((it) => clean(JSON.stringify(it))).join(' | ')
    const union = whole.oneOf ?? whole.anyOf
    if (Array.isArray(union)) return [...new Set(union.map((it) => typeOf(it, depth)))].join(' | ')
    const { properties, required } = flattened(documents, whole)
    if (Object.keys(properties).length > 0) {
      if (depth > 2) return 'object'
      const fields = Object.entries(properties).map(([name, it]) => {
        const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
        return `${key}${required.includes(name) ? '' : '?'}: ${typeOf(it, depth + 1)}`
      })
      return `{ ${fields.join('; ')} }`
    }
    const types = [whole.type].flat().map((it) => {
      if (it === 'array') return `(${typeOf(whole.items ?? {}, depth + 1)})[]`
      return it === 'integer' ? 'number' : typeof it === 'string' ? it : 'unknown'
    })
    return types.join(' | ')
  }
  return typeOf
}

/** How to make values by the names of fields. */
const makers: [RegExp, string][] = [
  [/^e_?mail(_?address)?$/i, 'faker.internet.email()'],
  [/^(user_?name|login|handle|nick_?name)$/i, 'faker.internet.username()'],
  [/^first_?name$/i, 'faker.person.firstName()'],
  [/^(last|sur)_?name$/i, 'faker.person.lastName()'],
  [/^(full_?name|author|owner|customer_?name|display_?name)$/i, 'faker.person.fullName()'],
  [/^(company|organi[sz]ation)(_?name)?$/i, 'faker.company.name()'],
  [/^(product_?name|product)$/i, 'faker.commerce.productName()'],
  [/^(phone|mobile)(_?number)?$/i, 'faker.phone.number()'],
  [/^(street|address|line_?1)$/i, 'faker.location.streetAddress()'],
  [/^(city|town)$/i, 'faker.location.city()'],
  [/^country$/i, 'faker.location.country()'],
  [/^(zip|post)(al)?_?(code)?$/i, 'faker.location.zipCode()'],
  [/^(colou?r)$/i, 'faker.color.human()'],
  [/^(title|subject|headline)$/i, 'faker.lorem.sentence({ min: 2, max: 5 })'],
  [/^(name|label)$/i, 'faker.commerce.productName()'],
  [/^(description|summary|bio|about|text|content|body|comment|note|message)$/i, 'faker.lorem.paragraph()']
]

const formats: Record<string, string> = {
  email: 'faker.internet.email()',
  uuid: 'faker.string.uuid()',
  uri: 'faker.internet.url()',
  url: 'faker.internet.url()',
  ipv4: 'faker.internet.ipv4()',
  'date-time': 'faker.date.recent({ days: 30 }).toISOString()',
  date: 'faker.date.recent({ days: 30 }).toISOString().slice(0, 10)'
}

/** A function that makes the rows of all collections. Fields that it does not make are made from the schemas. */
function fixturesText({ key, document }: OpenApiDocument, collections: readonly CollectionRow[]): string {
  const documents = { [key]: document }
  // Rows that others belong to come first.
  const depths = new Map<CollectionRow, number>()
  const depth = (it: CollectionRow): number => {
    const result = depths.get(it)
    if (result !== undefined) return result
    depths.set(it, 0)
    const names = [it.parent?.collection, it.member?.collection, ...Object.values(it.links ?? {})]
    const above = collections.filter((other) => other !== it && names.includes(other.name))
    depths.set(it, above.length === 0 ? 0 : 1 + Math.max(...above.map(depth)))
    return depths.get(it) as number
  }
  const ordered = [...collections].sort((a, b) => depth(a) - depth(b))
  const places = new Set<string>()
  const lists = ordered.map(({ name, count, row, key: keyField, parent, member, links = {} }) => {
    const properties = (row.properties ?? {}) as JsonObject
    // Only people have an address, and slugs are those of titles.
    const isPerson = Object.hasOwn(properties, 'email')
    const isTitled = Object.hasOwn(properties, 'title') || Object.hasOwn(properties, 'name')
    const of = Object.entries(properties).flatMap(([field, schema]) => {
      const isOfParent = field === parent?.field || parent?.above?.[field] !== undefined
      const isShared = keyField === memberField && field !== 'id' && places.has(`${member?.collection}.${field}`)
      const isOfMember = field === keyField || isShared
      const other = isOfParent ? parent?.collection : isOfMember ? member?.collection : links[field]
      const target = isOfParent ? (parent?.above?.[field] ?? parent?.by) : isShared ? field : undefined
      const { key: theirKey = 'id', row: { properties: their = {} } = {} } =
        collections.find((it) => it.name === other) ?? {}
      const typeOf = (schema: Json | undefined) => [schemaOf(documents, schema).type].flat()[0]
      const isAlike = (it: string) => [typeOf((their as JsonObject)[it]), undefined].includes(typeOf(schema))
      const theirs = target ?? ['id', theirKey].find((it) => places.has(`${other}.${it}`) && isAlike(it))
      // The mock then names a row that is there.
      if (other !== undefined && other === links[field] && theirs === undefined) return []
      if (other !== undefined && places.has(`${other}.${theirs}`))
        return [`${fieldName(field)}: ${listName(other)}[at % ${listName(other)}.length].${theirs}`]
      const whole = schemaOf(documents, schema)
      if (field === keyField && isTitled && whole.type === 'string' && whole.format === undefined) return []
      const isKey = field === 'id' || field === keyField
      const value = isKey ? idMaker(name, whole) : makerOf(isPerson && field === 'name' ? 'full_name' : field, whole)
      return value === undefined ? [] : [`${fieldName(field)}: ${value}`]
    })
    for (const it of of) places.add(`${name}.${it.slice(0, it.indexOf(':'))}`)
    return `  const ${listName(name)} = Array.from({ length: ${count} }, (_, at) => ({\n${of.map((it) => `    ${it}`).join(',\n')}\n  }))\n`
  })
  return `// The rows that a sandbox starts with. Any part of a row will do: the mock makes the other fields. The same seed gives the same rows.
/** @param {import('knowledge-chat-mock').FixturesFrom} from */
export default (${/: now\b/.test(lists.join()) ? '{ faker, now }' : '{ faker }'}) => {
${lists.join('\n')}
  return { ${ordered.map(({ name }) => (listName(name) === name ? name : `${name}: ${listName(name)}`)).join(', ')} }
}
`
}

/** A name that a list may have in the file. */
const listName = (name: string) => (reserved.has(name) ? `${name}Rows` : name)
const fieldName = (field: string) => (/^[A-Za-z_$][\w$]*$/.test(field) ? field : JSON.stringify(field))
const textBounds = 'enum const pattern minLength maxLength'.split(' ')
const bounds = [...textBounds, ...'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'.split(' ')]

function idMaker(name: string, schema: JsonObject): string | undefined {
  if (textBounds.some((it) => schema[it] !== undefined)) return undefined
  const type = [schema.type].flat()[0]
  if (type === 'integer' || type === 'number') return 'at + 1'
  if (type !== 'string' || (schema.format !== undefined && schema.format !== 'uuid')) return undefined
  return schema.format === 'uuid' ? 'faker.string.uuid()' : `\`${name}-\${at + 1}\``
}

/** The call that makes a value. Undefined: the schema has bounds, or its name says nothing. */
function makerOf(field: string, schema: JsonObject): string | undefined {
  const [type, ...others] = [schema.type].flat()
  if (bounds.some((it) => schema[it] !== undefined && !(it === 'minimum' && Number(schema[it]) <= 1))) return undefined
  if (type === 'number' && /price|amount|total|cost/i.test(field)) return 'Number(faker.commerce.price())'
  if (type === 'integer' && /quantity|stock|count/i.test(field)) return 'faker.number.int({ max: 100 })'
  if (type !== 'string') return undefined
  // What has not happened has no time.
  if (schema.format === 'date-time' && others.length > 0) return undefined
  if (schema.format === 'date-time' && /^(last_?)?(updat|modif|chang)/i.test(field)) return 'now'
  if (schema.format !== undefined) return formats[schema.format as string]
  return makers.find(([form]) => form.test(field))?.[1]
}

/** Three scenarios: no rows, many rows, and a service that fails. */
function scenariosFor({ operations }: OpenApiDocument, collections: readonly CollectionRow[]): JsonObject[] {
  const [first] = collections
  const list = operations.find(
    ({ method, path, mock }) => method === 'GET' && mock?.collection === first?.name && !path.includes('{')
  )
  const shown: JsonObject[] = list ? [{ call: { operation: list.id } }] : []
  const many: JsonObject[] = first ? [{ create: { collection: first.name, count: 50 } }] : []
  const failing = (list ?? operations[0])?.id
  return [
    { name: 'empty', description: 'No rows at all.', start: { fixtures: 'empty' }, steps: shown },
    { name: 'many-rows', description: 'Fifty more rows than usual.', steps: [...many, ...shown] },
    {
      name: 'failing',
      description: 'The first of two requests fails.',
      steps: failing === undefined ? [] : [{ override: { operation: failing, status: 503, times: 1 } }]
    }
  ]
}
