import { type Contract, createContract } from '../../src/engine/contract/contract.js'
import { choose, defaultChoices, readLedger } from '../../src/engine/contract/ledger.js'
import { isObject, type Json, type JsonObject, readDocuments } from '../../src/engine/contract/load.js'
import type { OpenApiDocument } from '../../src/engine/contract/model.js'
import { createAjvs } from '../../src/engine/contract/validation/compile.js'
import { contractErrors, documentErrors } from '../../src/engine/contract/validation/contract-errors.js'
import { sampled } from '../extent.js'

const documents = readDocuments()
const ledger = readLedger()
const contract = createContract(documents, defaultChoices(ledger))
const operations = [...contract.operations.values()]

test('the contract files match contract.schema.json, and name assumptions and choices of the ledger', () => {
  expect(documentErrors(documents, ledger)).toEqual([])
})

test('the contract files are consistent: schemas compile, paths name their parameters, every access is a named one', () => {
  expect(contractErrors(contract)).toEqual([])
})

test('the contract files are made once, also together with documents of the user', () => {
  const own = {
    key: 'document-x',
    document: {},
    replaced: [],
    operations: [],
    collections: []
  } as unknown as OpenApiDocument
  const { documents: all } = createContract(documents, defaultChoices(ledger), [own])
  expect(Object.keys(all)).toEqual([...Object.keys(documents), 'document-x'])
  for (const name of Object.keys(documents)) expect(all[name]).toBe(all[name])
})

test('the contract files are compiled without the meta-schemas, which any other choice would compile again', () => {
  const { inputs } = createAjvs(contract.documents)
  expect(inputs.getSchema('https://json-schema.org/draft/2020-12/schema')).toBeUndefined()
  const bad = (schema: object) => () => inputs.compile(schema)
  for (const schema of [{ type: 'text' }, { minLength: 'x' }, { enum: 7 }, { properties: [] }, { nonsense: 1 }]) {
    expect(bad(schema)).toThrow()
  }
})

test('the contract files number the operations from E1 on, each once', () => {
  const codes = operations.map(({ code }) => Number(code.slice(1))).sort((a, b) => a - b)
  expect(codes).toEqual(codes.map((_, index) => index + 1))
})

test('the contract files never define a name twice', () => {
  const names = Object.values(documents).flatMap((document) => Object.keys(document.$defs as object))
  expect(names.length).toBe(new Set(names).size)
})

test('the contract files have the 55 sources, including the seven named ones', () => {
  const sources = contract.valuesOf('common.json#/$defs/DocumentSource')
  expect(sources?.size).toBe(55)
  for (const named of ['ingestion_api', 'web', 'file', 'not_applicable', 'mock_connector', 'user_file', 'imap']) {
    expect(sources).toContain(named)
  }
})

const variants = patchesIn(Object.values(documents)).flatMap(([id, choices]) =>
  choices.map((choice) => [id, choice] as [string, string])
)

test('each single choice that changes a contract has schemas that compile, and valid examples', () => {
  const single = [...new Map(variants.map((it) => [it.join('='), it])).values()]
  for (const pair of sampled(single, 10)) {
    const variant = createContract(documents, choose(ledger, 'documented', [pair]))
    expect([pair, wrongExamples(variant)]).toEqual([pair, []])
  }
})

test('each single choice that changes a contract and the profile observed have valid examples of responses', () => {
  const observed = createContract(documents, defaultChoices(ledger, 'observed'))
  expect(wrongExamples(observed).filter((text) => !text.includes('Field required'))).toEqual([])
})

/** Compiles everything that a contract has, and checks its examples against it. */
function wrongExamples(variant: Contract): string[] {
  const wrong: string[] = []
  for (const operation of variant.operations.values()) {
    for (const [name, { path = {}, query = {}, body }] of Object.entries(operation.examples)) {
      const input = { path: texts(path), query: texts(query), body: withFiles(body) }
      const { problems, unknown } = variant.checkInput(operation, input, 'strict', new Set())
      for (const { loc, msg } of [...problems, ...unknown])
        wrong.push(`${operation.id} ${name} ${loc.join('.')} ${msg}`)
    }
    for (const [status, { examples, schema }] of Object.entries(operation.responses)) {
      if (schema) expect([operation.id, Object.keys(examples ?? {}).length > 0]).toEqual([operation.id, true])
      for (const [name, example] of Object.entries(examples ?? {})) {
        for (const text of variant.checkReply(operation, Number(status), example, new Set())) {
          wrong.push(`${operation.id} ${status} ${name} ${text}`)
        }
      }
    }
  }
  for (const collection of variant.collections.values()) variant.checkRow(collection, {})
  return wrong
}

function texts(values: JsonObject): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]))
}

function withFiles(value: Json | undefined): unknown {
  if (Array.isArray(value)) return value.map(withFiles)
  if (!isObject(value)) return value
  if (value['x-file']) return { ...(value['x-file'] as JsonObject), bytes: Buffer.from('x') }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withFiles(item)]))
}

function patchesIn(value: Json, found: [string, string[]][] = []): [string, string[]][] {
  if (Array.isArray(value)) for (const item of value) patchesIn(item, found)
  else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (key === 'x-assumption') {
        for (const [id, choices] of Object.entries(item as JsonObject)) found.push([id, Object.keys(choices as object)])
      }
      patchesIn(item, found)
    }
  }
  return found
}
