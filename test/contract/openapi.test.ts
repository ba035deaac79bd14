import { createConfig, lintFromString } from '@redocly/openapi-core'
import { profiles } from '../../src/engine/contract/ledger.js'
import { isObject, type Json } from '../../src/engine/contract/load.js'
import { isSample } from '../extent.js'
import { documentUnder, operationIds, operationsOf } from './document.js'

/** The paths of the description end in a slash once, and name a file where a project's number may be; a link redirects. */
const expected = /no-path-trailing-slash|no-ambiguous-paths|operation-2xx-response.*__mock~1enter/

const document = documentUnder('documented')

const sets: ['documented' | 'observed', [string, string][]][] = [
  ['documented', []],
  ['observed', [['delete.body', '204']]],
  ['observed', []],
  ['documented', [['delete.body', 'status-response']]],
  ['documented', [['sources.values', 'any']]]
]
test.each(isSample ? sets.slice(0, 2) : sets)('the OpenAPI document passes Redocly: %s %j', async (profile, pairs) => {
  const source = JSON.stringify(documentUnder(profile, pairs, true))
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source, config })
  const messages = problems.map(
    ({ severity, ruleId, message, location }) => `${severity} ${ruleId} ${message} ${location[0]?.pointer}`
  )
  expect(messages.filter((text) => !expected.test(text))).toEqual([])
})

test.each(profiles)('the OpenAPI document refers only to named schemas that exist: %s', (profile) => {
  const published = documentUnder(profile)
  const schemas = (published.components as { schemas: object }).schemas
  const references = referencesIn(published)
  expect(references.size).toBeGreaterThan(20)
  const named = [...references].map((reference) => /^#\/components\/schemas\/([^/]+)$/.exec(reference)?.[1])
  expect(named.filter((name) => name === undefined || !(name in schemas))).toEqual([])
})

test('the OpenAPI document has every operation of the contracts, each with 200, 401 and 422', () => {
  const operations = operationsOf(document)
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual([...operationIds].sort())
  for (const { responses } of operations) {
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '401', '422']))
  }
})

test('the OpenAPI document marks every other status as assumed', () => {
  for (const item of Object.values(
    document.paths as Record<string, Record<string, { responses: Record<string, object> }>>
  )) {
    for (const { responses } of Object.values(item)) {
      for (const [status, response] of Object.entries(responses)) {
        if (status !== '200' && status !== '422') expect(response).toHaveProperty('x-assumed')
      }
    }
  }
})

function referencesIn(value: Json, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) referencesIn(item, found)
  else if (isObject(value)) {
    if (typeof value.$ref === 'string') found.add(value.$ref)
    for (const item of Object.values(value)) referencesIn(item, found)
  }
  return found
}
