import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { compareCommand } from '../../../src/doors/cli/compare.js'
import { packageRoot } from '../../../src/engine/contract/load.js'
import {
  body,
  create,
  type Document,
  documentOf,
  type Edit,
  edited as editedOf,
  instructions as instructionsPath,
  parameter,
  persona,
  schema,
  search
} from '../../checks/compare/documents.js'
import { documentWith } from '../../documents.js'
import { invoke, refusalOf } from '../../invoke.js'

const compare = (args: string[], env = {}) => invoke(compareCommand(), args, { env })

const folder = mkdtempSync(join(tmpdir(), 'kcm-compare-'))

const contracts = join(packageRoot(), 'contracts')
const write = (name: string, content: string | object): string => {
  const file = join(folder, name)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}
const fresh = (): Document => structuredClone(documentOf())
const edited = (edit: Edit) => editedOf(edit, fresh())
const old = write('old.json', fresh())
const now = write(
  'new.json',
  edited((it) => {
    body(it, create).properties.project_id.type = 'string'
    schema(it, 'Persona').required = ['id']
    parameter(it, search, 'page').schema.default = 2
    it.paths[persona].delete.deprecated = true
  })
)

test('a folder of contracts and its OpenAPI document, in JSON or YAML, are equal and end with 0', async () => {
  const yaml = write('old.yaml', stringify(fresh()))
  for (const pair of [
    [contracts, contracts],
    [contracts, old],
    [old, yaml]
  ]) {
    expect(await compare([...pair])).toEqual({
      code: 0,
      stdout: `No changes from ${pair[0]} to ${pair[1]}.\n`,
      stderr: ''
    })
  }
})

test('a folder of contracts is read with its own ledger, under the requested profile and choices', async () => {
  const copy = join(folder, 'contracts')
  cpSync(contracts, copy, { recursive: true })
  const file = join(copy, 'files.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace('"chat_file_type",\n', ''))
  const { code, stdout } = await compare([contracts, copy])
  expect([code, stdout]).toEqual([1, expect.stringContaining('response-property-became-optional')])
  const deleted = await compare([old, contracts, '--assume', 'delete.body=204'])
  expect([deleted.code, deleted.stdout]).toEqual([1, expect.stringContaining('response-success-status-removed')])
  const observed = await compare([old, contracts], { KCM_PROFILE: 'observed' })
  expect(observed.stdout).toContain('BREAKING')
})

test('changes that break nothing end with 0, and so do warnings', async () => {
  const harmless = write(
    'harmless.json',
    edited((it) => {
      parameter(it, search, 'page').schema.default = 2
      it.paths[persona].delete.deprecated = true
    })
  )
  const { code, stdout } = await compare([old, harmless])
  expect([code, stdout]).toEqual([0, expect.stringContaining('0 breaking, 1 warning, 1 info.')])
})

test('a breaking change ends with 1 and comes first, with its place and the values before and after', async () => {
  const { code, stdout, stderr } = await compare([old, now])
  expect([code, stderr]).toEqual([1, ''])
  expect(stdout).toContain(
    `BREAKING POST ${create}\n  request-property-type-changed: request body project_id, was integer, is string\n`
  )
  expect(stdout).toContain(
    `WARNING GET ${search}\n  request-parameter-default-value-changed: query parameter page, was 1`
  )
  expect(stdout).toContain(`INFO DELETE ${persona}\n  endpoint-deprecated\n`)
  const order = stdout.match(/^(BREAKING|WARNING|INFO)/gm)
  expect(order).toEqual(
    [...(order as string[])].sort((a, b) => 'BWI'.indexOf(a[0] as string) - 'BWI'.indexOf(b[0] as string))
  )
  expect(stdout.trim().split('\n').at(-1)).toMatch(/^From .* to .*: \d+ breaking, 1 warning, 1 info\.$/)
})

test('the example in the document is what the command prints', async () => {
  const command = '$ npx knowledge-chat-mock compare '
  const [, answer] = /compare contracts .*\n([\s\S]*?)```/.exec(documentWith(command)) as unknown as string[]
  const service = write(
    'service.json',
    edited((it) => {
      const instructions = body(it, instructionsPath)
      instructions.properties.language = { type: 'string' }
      instructions.required.push('language')
      schema(it, 'Role').enum.push('auditor')
      it.paths[search].get.parameters.push({ name: 'order', in: 'query', schema: { type: 'string' } })
    })
  )
  const { stdout } = await compare([contracts, service])
  expect(stdout.replace(contracts, 'contracts').replace(service, 'service.json')).toBe(answer)
})

describe('the format', () => {
  test('json lists every change and the counts', async () => {
    const { code, stdout } = await compare([old, now, '--format', 'json'])
    const report = JSON.parse(stdout)
    expect([code, report.old, report.new, report.warning, report.info]).toEqual([1, old, now, 1, 1])
    expect(report.changes).toHaveLength(report.breaking + 2)
    expect(report.changes).toContainEqual({
      id: 'request-property-type-changed',
      level: 'breaking',
      operation: `POST ${create}`,
      place: 'request body project_id',
      was: 'integer',
      is: 'string'
    })
  })

  test('markdown is a table, and escapes markup in texts of the documents', async () => {
    const marked = edited((it) => {
      body(it, create).properties.description.pattern = '^(<b>|\\*)$'
    })
    const { stdout } = await compare([old, write('marked.json', marked)], { KCM_FORMAT: 'markdown' })
    expect(stdout).toContain('| level | change | operation | place | was | is |\n|---|---|---|---|---|---|\n')
    expect(stdout).toContain(
      '| **breaking** | `request-property-pattern-added` | <code>POST /api/chat/create-chat-session</code> | <code>request body description</code> |  | <code>^(&lt;b&gt;&#124;\\&#42;)$</code> |'
    )
  })

  test('github has an annotation for each operation, and no more than ten of each level', async () => {
    const { stdout } = await compare([old, now, '--format', 'github'])
    expect(stdout).toContain(`::warning title=GET ${search}::request-parameter-default-value-changed`)
    expect(stdout).toContain(`::notice title=DELETE ${persona}::endpoint-deprecated\n`)
    expect(stdout.match(/^::error .*became-optional.*%0Aresponse-property/gm)).toHaveLength(2)

    const removed = write(
      'removed.json',
      edited((it) => {
        for (const path of Object.keys(it.paths).slice(0, 15)) delete it.paths[path]
      })
    )
    const lines = (await compare([old, removed, '--format', 'github'])).stdout.split('\n')
    expect(lines.filter((line) => line.startsWith('::error'))).toHaveLength(10)
    expect(lines[9]).toMatch(/^::error title=\d+ more operations::/)
  })
})

const refusal = (...args: string[]) => refusalOf(compareCommand(), args)
const document = (changes: object) => ({ ...fresh(), ...changes })

test.each<[string, string | object | undefined, string]>([
  ['a file that does not exist', undefined, 'does not exist.'],
  ['an address', 'http://127.0.0.1:4010/openapi.json', 'is an address. Save the document and give the file.'],
  ['half a document', '{"openapi": "3.1.0", "paths": {', ':1:32: '],
  ['no YAML', 'openapi: [3.1.0', ':1:16: '],
  ['an empty file', '', 'is not an object.'],
  ['a list', [], 'is not an object.'],
  ['another kind of document', { name: 'x' }, 'is not an OpenAPI document: it has no "openapi".'],
  ['OpenAPI 2', { swagger: '2.0', paths: {} }, 'is OpenAPI 2.0. Convert it to 3.0 or 3.1 first.'],
  ['an unknown version', document({ openapi: '4.0.0' }), 'is OpenAPI 4.0.0.'],
  ['no paths', document({ paths: undefined }), 'has no paths: there is nothing to compare.'],
  ['no operations', document({ paths: { '/a': {} } }), 'has no operations: there is nothing to compare.'],
  ['a broken reference', document({ components: {} }), 'cannot be resolved.'],
  [
    'a reference to another file',
    document({ paths: { '/a': { $ref: 'a.yaml' } } }),
    'refers to another file, a.yaml. Bundle it into one document first.'
  ],
  [
    'a reference to itself',
    document({ paths: { '/a': { $ref: '#/paths/~1a' } } }),
    'the reference #/paths/~1a leads to itself.'
  ]
])(
  'compare refuses documents that cannot be compared, with the reason in one sentence: %s',
  async (what, content, sentence) => {
    const isAddress = what === 'an address'
    const file = isAddress ? String(content) : join(folder, 'broken')
    if (!isAddress && content !== undefined) write('broken', content)
    else rmSync(join(folder, 'broken'), { force: true })
    const error = await refusal(old, file)
    expect(error).toContain(`error: ${file}`)
    expect(error.split('\n')[0]).toContain(sentence)
  }
)

test('compare refuses documents that cannot be compared, with the reason in one sentence: one contract, a folder without any, and a folder whose contracts are broken', async () => {
  expect(await refusal(join(contracts, 'chat.json'), old)).toContain('is one contract. Give its folder.')
  expect(await refusal(folder, old)).toContain('is not a folder of contracts: it has no assumptions.json.')
  const broken = join(folder, 'broken-contracts')
  cpSync(contracts, broken, { recursive: true })
  writeFileSync(join(broken, 'chat.json'), '{')
  const { code, stdout, stderr } = await compare([contracts, broken])
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('chat.json')])
  writeFileSync(join(broken, 'chat.json'), '{}')
  expect(await refusal(contracts, broken)).toContain('error: ')
})

test('compare refuses documents that cannot be compared, with the reason in one sentence: one side only, a wrong format and a wrong choice', async () => {
  expect(await refusal(old)).toContain("'new'")
  expect(await refusal(old, now, '--format', 'html')).toContain('text, json, markdown, github')
  expect(await refusal(old, contracts, '--assume', 'delete.body=gone')).toContain('204, null, empty-object')
})
