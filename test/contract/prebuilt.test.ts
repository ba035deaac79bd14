import type { ValidateFunction } from 'ajv'
import { createContract } from '../../src/engine/contract/contract.js'
import { defaultChoices, readLedger } from '../../src/engine/contract/ledger.js'
import { readDocuments } from '../../src/engine/contract/load.js'
import { inputKey, replyKey } from '../../src/engine/contract/validation/compile.js'
import { prebuiltValidators } from '../../src/engine/contract/validation/prebuilt.js'

/** The schemas that a contract under these choices does not take from the build. */
function compiledUnder(choices: Record<string, string>): string[] {
  const { documents, operations } = createContract(readDocuments(), { ...defaultChoices(readLedger()), ...choices })
  const compiled: string[] = []
  const compile = (key: string) => {
    compiled.push(key)
    return (() => true) as unknown as ValidateFunction
  }
  const validators = prebuiltValidators(documents, {
    input: (operation) => compile(inputKey(operation)),
    reply: (operation, status) => compile(replyKey(operation, status)),
    error: () => compile('error'),
    row: ({ name }) => compile(name)
  })
  for (const operation of operations.values()) {
    validators.input(operation)
    for (const [status, { schema }] of Object.entries(operation.responses))
      if (schema) validators.reply(operation, Number(status))
  }
  return compiled
}

test('a choice that changes no schema compiles none, and another one only those that it changes', () => {
  expect(compiledUnder({})).toEqual([])
  // The bodies of deletions are a choice for all of them, which is small.
  expect(compiledUnder({ 'tool.builtin': 'deleted' }).filter((it) => !/^delete\w+\/200$/.test(it))).toEqual([])
  const compiled = compiledUnder({ 'limits.text': 'none' })
  expect(compiled).toEqual(expect.arrayContaining(['createChatSession/input', 'updatePersona/input']))
  expect(compiled).not.toContain('deletePersona/input')
  expect(compiled).not.toContain('getUserRole/200')
})
