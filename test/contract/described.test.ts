import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContract } from '../../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../src/engine/contract/ledger.js'
import { isObject, type Json, type JsonObject, packageRoot, readDocuments } from '../../src/engine/contract/load.js'
import type { Operation } from '../../src/engine/contract/model.js'
import { documentUnder, operationsOf } from './document.js'

const contract = createContract(readDocuments(), defaultChoices(readLedger()))

/** The text of the description for each operation, by its number. */
const sentences = new Map(
  [...interfaceText().matchAll(/^\*\*(E\d+)\. [^\n]*\*\*\n((?:.+\n)+)/gm)].map(([, code, text]) => [
    code as string,
    (text as string).trim()
  ])
)

test('the OpenAPI document has the description of each operation, word for word', () => {
  expect(sentences.size).toBeGreaterThan(0)
  const texts = new Map([...contract.operations.values()].map((it) => [it.code, it.description]))
  for (const [code, sentence] of sentences) expect([code, texts.get(code)]).toEqual([code, sentence])
  for (const { operationId, description } of operationsOf(documentUnder('documented'))) {
    const { code } = contract.operations.get(operationId) as Operation
    expect(description).toContain(`${texts.get(code)}
`)
  }
})

test.each([
  ['documented', []],
  ['observed', []],
  ['documented', [['indexing.operator-name', 'docs_count_comparison']]]
] as ['documented' | 'observed', [string, string][]][])(
  'the OpenAPI document describes every property and every parameter in a sentence: %s %j',
  (profile, pairs) => {
    const document = documentUnder(profile, pairs, true)
    const fields = fieldsIn(document)
    expect(fields.length).toBeGreaterThan(250)
    expect(
      fields.filter(([, { description }]) => !/^(-|[A-Z]).*\.$/s.test(String(description))).map(([at]) => at)
    ).toEqual([])
  }
)

/** Every property of a schema and every parameter, by where it is. */
function fieldsIn(value: Json, at = ''): [string, JsonObject][] {
  if (Array.isArray(value)) return value.flatMap((item, place) => fieldsIn(item, `${at}/${place}`))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, item]): [string, JsonObject][] => {
    const here = `${at}/${key}`
    // Properties in `not` do not exist.
    if (key === 'example' || key === 'examples' || key === 'not') return []
    const isFields = key === 'properties' && !at.endsWith('/properties')
    const own = isFields ? Object.entries(item as Record<string, JsonObject>) : []
    const parameters = key === 'parameters' && Array.isArray(item) ? (item as JsonObject[]) : []
    return [
      ...own.map(([name, field]): [string, JsonObject] => [`${here}/${name}`, field]),
      ...parameters.map((field): [string, JsonObject] => [`${here}/${field.name}`, field]),
      ...fieldsIn(item, here)
    ]
  })
}

function interfaceText(): string {
  return readFileSync(join(packageRoot(), 'contracts/interface.md'), 'utf8')
}
