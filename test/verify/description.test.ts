import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPlaces } from '../../src/tools/verify/report/place.js'

const folder = mkdtempSync(join(tmpdir(), 'kcm-description-'))

function lineIn(name: string, text: string, operation: string): [string | undefined, string | undefined] {
  const file = join(folder, name)
  writeFileSync(file, text)
  const place = createPlaces(file, folder)(operation)
  return [place.file, place.line === undefined ? undefined : text.split('\n')[place.line - 1]?.trim()]
}

const byPath = `openapi: 3.1.0
paths:
  "/api/persona/{id}":
    get: { operationId: read_persona }
    patch: {}
  /manage/admin/credential/:
    get: {}
`

test.each([
  ['of another name', 'a.yaml', byPath, 'getPersona', 'get: { operationId: read_persona }'],
  ['by its method', 'b.yml', byPath, 'updatePersona', 'patch: {}'],
  ['without the prefix', 'c.yaml', byPath, 'listCredentials', 'get: {}'],
  [
    'by its operationId',
    'd.json',
    '{"paths": {\n"/x": {\n"get": {},\n"put": {"operationId": "getPersona"}\n}}}',
    'getPersona',
    '"put": {"operationId": "getPersona"}'
  ],
  [
    'in a text',
    'e.md',
    '# It\n## E5\n`GET /api/persona/{persona_id}`\n',
    'getPersona',
    '`GET /api/persona/{persona_id}`'
  ],
  [
    'in a table',
    'f.md',
    '| POST | /api/chat/create-chat-session-2 |\n| POST | /api/chat/create-chat-session |\n',
    'createChatSession',
    '| POST | /api/chat/create-chat-session |'
  ]
])('an operation is found %s (%s)', (_, name, text, operation, expected) => {
  expect(lineIn(name, text, operation)).toEqual([name, expected])
})

test('an operation that the description does not have claims no file', () => {
  expect(lineIn('g.yaml', byPath, 'deleteTool')).toEqual([undefined, undefined])
})

test.each([
  ['missing.yaml', undefined, 'cannot be read: ENOENT'],
  ['bad.json', '{"paths": ', 'cannot be read: '],
  ['other.json', '{"name": "x"}', 'has no paths: give an OpenAPI document']
])('%s is refused', (name, text, said) => {
  if (text !== undefined) writeFileSync(join(folder, name), text)
  expect(() => createPlaces(join(folder, name))).toThrow(said)
})
