import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { documentOf, gives, integer, objectOf, text } from '../../apis/document/shop.js'
import { start } from '../../cli.js'

/** The request that `serve` proposes for an API. */
async function proposed(paths: object, others: object = {}): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), 'hints-')), 'openapi.json')
  writeFileSync(file, JSON.stringify({ ...documentOf(paths), ...others }))
  const child = start(['--api', file, '--port', '0'])
  let said = ''
  for await (const chunk of child.stderr as NonNullable<typeof child.stderr>) {
    said += chunk
    const line = /^ *try +(.*)\n/m.exec(said)?.[1]
    if (line !== undefined) return line.replace(/http:\/\/[^/]+/, '')
  }
  throw new Error(`no request was proposed: ${said}`)
}

const ticket = objectOf({ id: integer, title: text }, ['id'])

test('the first request that serve proposes names a row of the mock', async () => {
  const parameters = [{ name: 'id', in: 'path', required: true, schema: integer }]
  const paths = {
    '/tickets': { post: { requestBody: { content: {} }, ...gives(ticket, 201) } },
    '/tickets/{id}': { get: { parameters, ...gives(ticket) } }
  }
  expect(await proposed(paths)).toBe('curl /tickets/1')
})

test('the first request that serve proposes has each value of a path, and each header once', async () => {
  const parameters = [{ name: 'colour', in: 'path', required: true, schema: { type: 'string', enum: ['deep blue'] } }]
  const token = { type: 'apiKey', in: 'header', name: 'Authorization' }
  const components = { securitySchemes: { token, bearer: { type: 'http', scheme: 'bearer' } } }
  const paths = { '/paint/{colour}': { get: { parameters, ...gives(text) } } }
  const line = await proposed(paths, { components, security: [{ token: [], bearer: [] }] })
  expect(line).toBe("curl -H 'Authorization: Bearer admin' /paint/deep%20blue")
})
