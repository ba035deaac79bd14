// Run by npm run build: generates the files of the repository that follow from contracts/, and compiles its schemas.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { _, type Ajv2020, type AnySchema } from 'ajv/dist/2020.js'
import standaloneModule from 'ajv/dist/standalone/index.js'
import { transformSync } from 'esbuild'
import { withoutLinks } from '../doors/options/option.js'
import { serveTable } from '../doors/options/table.js'
import { failOn } from '../doors/program/edition/edition.js'
import { type Contract, createContract } from '../engine/contract/contract.js'
import { defaultChoices, readLedger } from '../engine/contract/ledger.js'
import {
  contractsFolder,
  type Documents,
  follow,
  type JsonObject,
  packageRoot,
  readDocuments
} from '../engine/contract/load.js'
import { errorForms, type Operation } from '../engine/contract/model.js'
import { openapiOf, schemasOf, usedIn } from '../engine/contract/openapi/openapi.js'
import type { Ledger } from '../engine/contract/validation/assumption-lists.js'
import {
  createAjvs,
  errorKey,
  errorSchema,
  inputKey,
  inputSchema,
  replyKey,
  replySchema,
  rowKey
} from '../engine/contract/validation/compile.js'
import { contractErrors, documentErrors } from '../engine/contract/validation/contract-errors.js'
import { compiledFolder } from '../engine/contract/validation/prebuilt.js'
import { configSchema, optionsTable } from './options.js'
import { printTypes } from './types.js'

type Content = Record<string, { schema: JsonObject }>
type Described = { responses: Record<string, { content?: Content }> }

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/**
 * Prints the OpenAPI document as the types `paths` and `components`, in the form of openapi-typescript, which typed clients
 * expect. They consist of the types of `types.gen.ts`, as `printed`.
 */
export function printPaths(contract: Contract, ledger: Ledger, printed: string): string {
  const document = openapiOf(contract, ledger)
  const operations = new Map([...contract.operations.values()].map((it) => [it.id, it]))
  const paths = Object.entries(document.paths as Record<string, Record<string, { operationId: string } & Described>>)
  const { schemas } = document.components as { schemas: JsonObject }
  return [
    '// Printed from contracts/ by npm run build. Do not edit.',
    "import type * as types from './types.gen.js'",
    'type Operations = types.Operations',
    '/** A form as it is sent: files are binary. */',
    'type Sent<Value> = Value extends types.File ? string : Value extends (infer Item)[] ? Sent<Item>[] : Value',
    'type Form<Body> = { [Field in keyof Body]: Sent<Body[Field]> }',
    'interface NoParameters { query?: never; header?: never; path?: never; cookie?: never }',
    'type Headers = { [name: string]: unknown }',
    '/** The operations by path and method, in the shape of openapi-typescript. */',
    'export interface paths {',
    ...paths.flatMap(([path, item]) => [
      `  '${path}': {`,
      '    parameters: NoParameters',
      ...methods.map((method) => {
        const described = item[method]
        return described
          ? `    ${method}: ${operationType(operations.get(described.operationId) as Operation, described)}`
          : `    ${method}?: never`
      }),
      '  }'
    ]),
    '}',
    '/** The schemas by name, in the shape of openapi-typescript. */',
    'export interface components {',
    '  schemas: {',
    ...Object.keys(schemas).map((name) => `    ${name}: ${schemaType(name, printed)}`),
    '  }',
    '  responses: never',
    '  parameters: never',
    '  requestBodies: never',
    '  headers: never',
    '  pathItems: never',
    '}\n'
  ].join('\n')
}

/** Files are binary. A name without a type in the contracts may be anything. */
function schemaType(name: string, printed: string): string {
  if (name === 'File') return 'string'
  return new RegExp(`export (type|interface) ${name}\\b`).test(printed)
    ? `types.${name}`
    : '{ [name: string]: unknown }'
}

function operationType(operation: Operation, { responses }: Described): string {
  const input = `Operations['${operation.id}']['input']`
  const part = (name: 'query' | 'path') => {
    const isNeeded = ((operation.input[name]?.required ?? []) as string[]).length > 0
    return operation.input[name] ? `${name}${isNeeded ? '' : '?'}: ${input}['${name}']` : `${name}?: never`
  }
  const body = operation.form
    ? `requestBody: { content: { 'multipart/form-data': Form<${input}['body']> } }`
    : `requestBody: { content: { 'application/json': ${input}['body'] } }`
  const statuses = Object.entries(responses).map(([status, { content }]) => {
    const media = Object.entries(content ?? {}).map(([type, { schema }]) => `'${type}': ${typeOf(operation, schema)}`)
    return `${status}: { headers: Headers; ${media.length > 0 ? `content: { ${media.join('; ')} }` : 'content?: never'} }`
  })
  return [
    `{ parameters: { ${part('query')}; header?: never; ${part('path')}; cookie?: never }`,
    operation.input.body ? body : 'requestBody?: never',
    `responses: { ${statuses.join('; ')} } }`
  ].join('; ')
}

/** A schema with a name is that type; one without is the reply of the operation. */
function typeOf({ id }: Operation, schema: JsonObject): string {
  if (schema.type === 'null') return 'null'
  const names = [schema, ...((schema.anyOf ?? []) as JsonObject[])].flatMap(({ $ref }) =>
    typeof $ref === 'string' ? `types.${$ref.replace('#/components/schemas/', '')}` : []
  )
  return names.length > 0 ? names.join(' | ') : `Operations['${id}']['reply']`
}

const standalone = standaloneModule.default

/** Compiles all schemas, which would take most of a start. Each operation has a file: a run needs few of them. */
function compileSchemas({ documents, operations, control, collections }: Contract): void {
  mkdirSync(compiledFolder(), { recursive: true })
  const { inputs, others } = createAjvs(documents, { source: true, formats: _`formats` })
  const write = (key: string, ajv: Ajv2020, schema: AnySchema) => {
    const [file, name] = key.split('/')
    // A function of its dependencies: the formats, and the hook of x-assumed.
    const compiled = standalone(ajv, ajv.compile(schema))
    const code = `exports['${name}'] = (formats, note) => {\nconst module = {}\n${compiled}\nreturn module.exports\n}\n`
    appendFileSync(join(compiledFolder(), `${file}.cjs`), transformSync(code, { minify: true, target: 'node20' }).code)
  }
  for (const operation of [...operations.values(), ...control.values()]) {
    write(inputKey(operation), inputs, inputSchema(operation))
    for (const [status, { schema }] of Object.entries(operation.responses)) {
      if (schema) write(replyKey(operation, status), others, replySchema(operation, status))
    }
  }
  for (const form of errorForms) write(errorKey(form), others, errorSchema(form))
  for (const collection of collections.values()) write(rowKey(collection), inputs, collection.row)
}

// Tests import the functions, and must not change what others use.
const isRun = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)
// The output of an earlier build must not be mistaken for that of this one.
if (isRun) rmSync(join(packageRoot(), 'dist/schemas'), { recursive: true, force: true })

const entries = readLedger()
const choices = defaultChoices(entries)
const documents = readDocuments()
const contract = createContract(documents, choices)

if (isRun) await printAll()

async function printAll(): Promise<void> {
  failOn(contractsFolder, [...documentErrors(documents, entries), ...contractErrors(contract)])
  compileSchemas(contract)

  const types = await printTypes()
  const api = join(packageRoot(), 'src/apis/knowledge-chat')
  writeIfChanged(join(packageRoot(), 'src/engine/contract/types.gen.ts'), types.engine)
  writeIfChanged(join(api, 'types.gen.ts'), types.api)
  writeIfChanged(join(api, 'rows.gen.ts'), printRows(documents))
  writeIfChanged(join(api, 'paths.gen.ts'), printPaths(contract, { entries, choices }, types.api))
  for (const readme of readmes()) writeIfChanged(readme, withTables(readFileSync(readme, 'utf8')))

  writeIfChanged(join(packageRoot(), 'dist/scenario.schema.json'), scenarioSchema())
  writeIfChanged(join(packageRoot(), 'dist/config.schema.json'), configSchema())
}

function scenarioSchema(): string {
  const name = 'Scenario'
  const { [name]: scenario, ...rest } = usedIn({ $ref: `#/components/schemas/${name}` }, schemasOf(contract.documents))
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: name,
    ...(scenario as object),
    $defs: rest
  }
  return JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/')
}

function writeIfChanged(file: string, text: string): void {
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
}

/**
 * Prints the code of resources whose responses and changes copy most fields, so that a new field needs no code by hand. It is
 * printed because objects built in loops are several times slower to build and to serialize.
 */
export function printRows(documents: Documents): string {
  return [
    '// Printed from contracts/ by npm run build. Do not edit.',
    "import type { Persona, Rows } from './types.gen.js'",
    ...rowCode(documents, 'personas', 'Persona', 'updatePersona')
  ].join('\n')
}

/** A row field that refers to the same field of the response is shown as it is. */
function rowCode(documents: Documents, name: string, shown: string, change: string): string[] {
  const fieldsAt = (path: string) => follow(documents, `${name}.json#/${path}/properties`) as Record<string, JsonObject>
  const row = fieldsAt(`collections/${name}/row`)
  const field = fieldsAt(`$defs/${shown}`)
  const isCopied = (it: string) => row[it]?.$ref === `#/$defs/${shown}/properties/${it}`
  const fields = Object.keys(field)
  const others = fields.filter((it) => !isCopied(it))
  const changed = Object.keys(fieldsAt(`operations/${change}/input/body`)).filter((it) => it in row)
  const type = `Rows['${name}']`
  return [
    `/** ${shown} as responses show it: most fields as the row has them, and the others as given. */`,
    `export function shown${shown}(row: ${type}, others: Required<Pick<${shown}, ${others.map((it) => `'${it}'`).join(' | ')}>>): ${shown} {`,
    '  return {',
    fields.map((it) => `    ${it}: ${isCopied(it) ? 'row' : 'others'}.${it}`).join(',\n'),
    '  }',
    '}',
    `/** What each field of the row that ${change} names is when it is empty. */`,
    `export const empty${shown} = {`,
    changed.map((it) => `  ${it}: ${emptyOf((isCopied(it) ? field : row)[it] as JsonObject)}`).join(',\n'),
    `} satisfies Partial<${type}>`,
    ''
  ]
}

function emptyOf(schema: JsonObject): string {
  const types = [schema.type].flat()
  if ('x-null' in schema || types.includes('null')) return 'null'
  if (types.includes('array')) return '[]'
  if (types.includes('string')) return "''"
  return types.includes('boolean') ? 'false' : '0'
}

/** The paths of the documents that may contain a generated table. */
export function readmes(): string[] {
  return ['contracts', 'src', 'docs'].flatMap((folder) =>
    readdirSync(join(packageRoot(), folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => (folder === 'docs' ? name.endsWith('.md') : basename(name) === 'README.md'))
      .map((name) => join(packageRoot(), folder, name))
  )
}

/** A document with its tables generated again, each between `<!-- name -->` and `<!-- /name -->`. */
export function withTables(readme: string): string {
  const tables: Record<string, string> = {
    operations: operationsTable(),
    assumptions: assumptionsTable(),
    options: optionsTable(serveTable),
    // The manual has no links to READMEs.
    serve: withoutLinks(optionsTable(serveTable)).replaceAll('### ', '## '),
    calls: callsTable()
  }
  return Object.entries(tables).reduce(
    (text, [name, table]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- /${name} -->)`),
        (_, open, close) => `${open}\n${table}\n\n${close}`
      ),
    readme
  )
}

function operationsTable(): string {
  const { operations } = createContract(readDocuments(), defaultChoices(readLedger()))
  const rows = [...operations.values()]
    .sort((a, b) => Number(a.code.slice(1)) - Number(b.code.slice(1)))
    .map(({ code, id, method, path, summary }) => `| ${code} | \`${id}\` | \`${method} ${path}\` | ${summary} |`)
  return ['| | operation | request | does |', '|---|---|---|---|', ...rows].join('\n')
}

function assumptionsTable(): string {
  const rows = readLedger().map(
    ({ id, question, choices, default: documented, observed }) =>
      `| \`${id}\` | ${question} | ${Object.keys(choices)
        .map((choice) => mark(choice, documented, observed))
        .join(', ')} |`
  )
  return ['| assumption | question | choices |', '|---|---|---|', ...rows].join('\n')
}

/** The calls of the control API, with the names of what each takes. */
function callsTable(): string {
  const namesIn = (schema: JsonObject | undefined): string[] => {
    const { $ref } = schema ?? {}
    const { properties = {} } = (typeof $ref === 'string' ? follow(documents, $ref) : (schema ?? {})) as JsonObject
    return Object.keys(properties as JsonObject).map((name) => `\`${name}\``)
  }
  const rows = [...contract.control.values()].map(({ method, path, summary, input: { query, body } }) => {
    const parts = [['query', namesIn(query)] as const, ['body', namesIn(body)] as const]
    const takes = parts.flatMap(([part, names]) => (names.length > 0 ? [`${part}: ${names.join(' ')}`] : [])).join('; ')
    return `| \`${method} ${path}\` | ${summary} | ${takes} |`
  })
  return ['| call | does | takes |', '|---|---|---|', ...rows].join('\n')
}

/** The default is bold; the observed choice is marked if it is a different one. */
function mark(choice: string, documented: string, observed: string): string {
  const name = `\`${choice}\``
  if (choice === documented) return `**${name}**`
  return choice === observed ? `${name} (observed)` : name
}
