import { startMock } from '../../src/doors/program/server.js'
import type { JsonObject } from '../../src/engine/contract/load.js'
import { type Described, operationsOf } from './document.js'

/** As users start it: with no option but a free port. */
const mock = await startMock({ port: 0, strict: true })
afterAll(() => mock.close())

const document = (await (await fetch(`${mock.url}/openapi.json`)).json()) as JsonObject
let sandboxes = 0

const requests = operationsOf(document).flatMap((operation) =>
  bodiesOf(operation).map(([name, body]) => ({ ...operation, name, body }))
)

test.each(requests)(
  'the documented examples work on a mock with the defaults: $method $path, $name',
  async ({ method, path, parameters = [], body, requestBody }) => {
    for (const { name, example } of parameters) expect([name, example]).not.toEqual([name, undefined])
    const named = (place: string) => parameters.filter((it) => it.in === place)
    const filled = named('path').reduce((at, it) => at.replace(`{${it.name}}`, String(it.example)), path)
    const search = new URLSearchParams(named('query').map((it): [string, string] => [it.name, String(it.example)]))
    const response = await fetch(`${mock.url}${filled}${search.size > 0 ? `?${search}` : ''}`, {
      method,
      // Changes are made in a separate sandbox.
      headers: {
        Authorization: `Bearer admin~example-${sandboxes++}`,
        ...(requestBody?.content['application/json'] && { 'Content-Type': 'application/json' })
      },
      ...(body !== undefined && { body: bodyOf(requestBody, body) })
    })
    expect([response.status, response.headers.get('x-mock-violations'), await response.text()]).toEqual([
      200,
      null,
      expect.any(String)
    ])
  }
)

test('every request body has an example, and every 422 one that the checks of its operation made', async () => {
  for (const { operationId, requestBody, responses } of operationsOf(document)) {
    for (const { examples } of Object.values(requestBody?.content ?? {})) {
      expect([operationId, Object.keys(examples).length > 0]).toEqual([operationId, true])
    }
    const { content } = responses[422] as unknown as Record<'content', Record<string, { examples: object }>>
    const details = Object.values(content['application/json']?.examples ?? {}).map(({ value }) => value.detail[0])
    expect([operationId, details.length > 0]).toEqual([operationId, true])
    for (const item of details) expect(item).toMatchObject({ type: expect.any(String), msg: expect.any(String) })
  }
})

/** The bodies to send, by the names of their examples. */
function bodiesOf({ requestBody }: Described): [string, unknown][] {
  const [media] = Object.values(requestBody?.content ?? {})
  return media ? Object.entries(media.examples).map(([name, { value }]) => [name, value]) : [['no body', undefined]]
}

/** A form's files are written as texts of bytes. */
function bodyOf(requestBody: Described['requestBody'], body: unknown): string | FormData {
  const media = requestBody?.content['multipart/form-data']
  if (!media) return JSON.stringify(body)
  const files = Object.keys((media as unknown as { encoding: object }).encoding)
  const form = new FormData()
  for (const [name, value] of Object.entries(body as object)) {
    for (const item of [value].flat()) {
      if (files.includes(name)) form.append(name, new Blob([Buffer.from(String(item), 'latin1')]), `${name}.bin`)
      else form.append(name, String(item))
    }
  }
  return form
}
