import type { Json } from '../../../src/engine/contract/load.js'
import type { Random } from '../../property/random.js'
import type { Generator } from '../case.js'
import { json, message } from '../message.js'

/** Texts that are long where work may grow with their length, or with more than that: refused, or answered soon. */
export const sendLong: Generator = (random, sandbox) => {
  const isWrong = random.chance(0.5)
  const [start, body] = random.pick(isWrong ? refused : answered)(random)
  const [method, target] = start.split(' ') as [string, string]
  const text = body === undefined ? undefined : JSON.stringify(body)
  return { isWrong, method, bytes: message(method, target, sandbox, { headers: json, body: text }) }
}

type Long = (random: Random) => [start: string, body?: Json]

const chat = 'POST /api/chat/create-chat-session'
const agent = 'PATCH /api/persona/1'
const tool = 'POST /api/admin/tool/custom/validate'
const web = 'POST /api/web-search/open-urls'
const indexing = 'POST /api/manage/admin/connector/indexing-status'

const long = (random: Random, unit: string) => unit.repeat(random.pick([2000, 2000, 50_000, 300_000]))
const words = (random: Random, most: number) =>
  Array.from({ length: most }, () => random.int(0, 36 ** 4).toString(36)).join(' ')
const definition = (path: string, get: Json): Json => ({
  openapi: '3.0.0',
  info: { title: 'a', description: 'b' },
  servers: [{ url: 'http://a.example' }],
  paths: { [path]: { get } }
})
const method = { operationId: 'a', summary: 'b' }

const refused: Long[] = [
  (random) => [chat, { description: words(random, 50_000) }],
  (random) => [agent, { name: long(random, 'word ').padEnd(10_001, 'a') }],
  (random) => [agent, { search_start_date: long(random, random.pick(['1', '0', '-', '2026-01-01T', ' '])) }],
  (random) => [agent, { users: [long(random, random.pick(['-', 'a', '{', 'urn:uuid:']))] }],
  (random) => [agent, { num_chunks: long(random, random.pick(['1', ' ', '1_', '0_'])) }],
  (random) => [tool, definition(`/${long(random, '{}')}`, method)],
  (random) => [indexing, { source_to_page: { [long(random, random.pick(['/', '~', 'a']))]: 1 } }],
  (random) => [indexing, { name_filter: long(random, 'a') }],
  (random) => ['PUT /api/manage/admin/users', { emails: [long(random, random.pick(['@', 'a.', '<', 'ü']))] }],
  (random) => ['DELETE /api/manage/admin/delete-user', { user_email: long(random, random.pick(['@', 'İ'])) }]
]

const answered: Long[] = [
  (random) => [chat, { description: words(random, 1500) }],
  (random) => [`GET /api/chat/search?query=${words(random, 150).replaceAll(' ', '+')}`],
  (random) => [
    tool,
    definition('/a', { ...method, parameters: [{ $ref: `#/${long(random, random.pick(['/', 'a/', '~1']))}` }] })
  ],
  () => [
    tool,
    definition('/a', {
      ...method,
      parameters: Array.from({ length: 2000 }, () => ({ $ref: `#/${'paths/'.repeat(100)}` }))
    })
  ],
  (random) => [web, { urls: [`http://${long(random, random.pick(['a', 'ü', 'a.', '1.', '%61']))}`] }],
  (random) => [web, { urls: [`http://a.example/${long(random, random.pick(['/', 'a-', '../', '%2e/', '.']))}`] }],
  (random) => [
    web,
    {
      urls: Array.from(
        { length: 100 },
        (_, at) => `http://${at}.example/${random.pick(['/', 'a-', 'b/']).repeat(3900)}`
      )
    }
  ],
  () => ['GET /__mock/state'],
  () => ['GET /__mock/requests']
]
