import { join } from 'node:path'
import type { ErrorObject } from 'ajv'
import type { Contract } from '../contract.js'
import { lazily } from '../lazy.js'
import { isChoice, type LedgerEntry } from '../ledger.js'
import { contractsFolder, type Documents, follow, isObject, type Json, type JsonObject, readJson } from '../load.js'

export interface ContractError {
  file: string
  path: string[]
  text: string
}

/** Errors in the files as written: their format, their schemas, and the assumptions that they name. */
export function documentErrors(documents: Documents, ledger: LedgerEntry[]): ContractError[] {
  const { Ajv2020 } = lazily('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')
  const ajv = new Ajv2020({ allErrors: true, strict: false })
  ajv.addSchema(readJson(join(contractsFolder, 'contract.schema.json')), 'form')
  const errors: ContractError[] = []
  const check = (file: string, schema: string, value: unknown) => {
    if (!ajv.validate(schema, value)) errors.push(...(ajv.errors ?? []).map((error) => errorOf(file, error)))
  }
  for (const [file, document] of Object.entries(documents)) {
    const source = withoutPatches(document)
    check(file, 'form', source)
    check(file, 'https://json-schema.org/draft/2020-12/schema', source)
    errors.push(...unknownNames(file, document, ledger), ...brokenReferences(documents, file, document))
  }
  check('assumptions.json', 'form#/$defs/ledger', ledger)
  for (const [position, entry] of ledger.entries()) {
    for (const field of ['default', 'observed'] as const) {
      if (isObject(entry.choices) && !isChoice(entry, entry[field])) {
        const text = `${entry[field]} is not a choice of ${entry.id}. Choices: ${Object.keys(entry.choices).join(', ')}`
        errors.push({ file: 'assumptions.json', path: ['assumptions', String(position), field], text })
      }
    }
  }
  return errors
}

/** Errors in a contract as a whole. Compiles every schema and resolves the names that operations use. */
export function contractErrors({ validators, operations, control, collections, access }: Contract): ContractError[] {
  const errors: ContractError[] = []
  const attempt = (resource: string, path: string[], compile: () => unknown) => {
    try {
      compile()
    } catch (error) {
      errors.push({ file: `${resource}.json`, path, text: (error as Error).message })
    }
  }
  for (const operation of [...operations.values(), ...control.values()]) {
    const { id, resource, responses, input } = operation
    const parameters = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    const declared = Object.keys((input.path?.properties ?? {}) as object)
    if (String(parameters) !== String(declared)) {
      const text = `the path names ${parameters.join(', ') || 'nothing'}, input.path declares ${declared.join(', ') || 'nothing'}`
      errors.push({ file: `${resource}.json`, path: ['operations', id, 'path'], text })
    }
    for (const [choice, name] of Object.entries(operation.access)) {
      if (name in access) continue
      const text = `there is no access "${name}". Known: ${Object.keys(access).join(', ')}`
      errors.push({ file: `${resource}.json`, path: ['operations', id, 'access', choice], text })
    }
    attempt(resource, ['operations', id, 'input'], () => validators.input(operation))
    for (const [status, { schema }] of Object.entries(responses)) {
      const path = ['operations', id, 'responses', status]
      if (schema) attempt(resource, path, () => validators.reply(operation, Number(status)))
    }
  }
  for (const collection of collections.values()) {
    attempt(collection.resource, ['collections', collection.name, 'row'], () => validators.row(collection))
  }
  return errors
}

/** Assumptions and choices that a document names but the ledger does not have. */
function unknownNames(file: string, value: Json, ledger: LedgerEntry[], path: string[] = []): ContractError[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, position) => unknownNames(file, item, ledger, [...path, String(position)]))
  }
  if (!isObject(value)) return []
  const entryOf = (id: string) => ledger.find((it) => it.id === id)
  const errors: ContractError[] = []
  for (const keyword of ['x-assumption', 'x-null']) {
    const byId = isObject(value[keyword]) ? value[keyword] : {}
    for (const [id, choices] of Object.entries(byId)) {
      const entry = entryOf(id)
      const at = [...path, keyword, id]
      if (!entry) errors.push({ file, path: at, text: `there is no assumption "${id}" in assumptions.json` })
      for (const choice of (Array.isArray(choices) ? choices : Object.keys(choices as object)) as string[]) {
        if (entry && !isChoice(entry, choice)) {
          errors.push({ file, path: [...at, choice], text: `${id} has no choice "${choice}"` })
        }
      }
    }
  }
  for (const keyword of ['assumed', 'x-assumed']) {
    const ids = Array.isArray(value[keyword]) ? value[keyword] : []
    for (const [position, id] of ids.entries()) {
      if (typeof id !== 'string' || entryOf(id)) continue
      const text = `there is no assumption "${id}" in assumptions.json`
      errors.push({ file, path: [...path, keyword, String(position)], text })
    }
  }
  return [...errors, ...Object.entries(value).flatMap(([key, it]) => unknownNames(file, it, ledger, [...path, key]))]
}

function brokenReferences(documents: Documents, file: string, value: Json, path: string[] = []): ContractError[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => {
    const at = [...path, key]
    // In a patch, null removes a reference.
    if (typeof item !== 'string') return brokenReferences(documents, file, item, at)
    if (key !== '$ref' && key !== 'include') return []
    const reference = key === '$ref' ? item : `common.json#/replies/${item}`
    try {
      follow(documents, reference.startsWith('#') ? file + reference : reference)
      return []
    } catch (error) {
      return [{ file, path: at, text: (error as Error).message }]
    }
  })
}

/** A document without its patches, which the schema of its format does not know. */
function withoutPatches(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutPatches)
  if (!isObject(value)) return value
  const { 'x-assumption': _, ...rest } = value
  return Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, withoutPatches(item)])) as JsonObject
}

function errorOf(file: string, { instancePath, message = '', params }: ErrorObject): ContractError {
  const name = params.additionalProperty ?? params.propertyName ?? params.allowedValues?.join(', ')
  const path = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const at = file === 'assumptions.json' ? ['assumptions', ...path] : path
  return { file, path: at, text: name === undefined ? message : `${message}: ${name}` }
}
