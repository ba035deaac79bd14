import type { Json } from '../../../src/engine/contract/load.js'
import type { Random } from '../../property/random.js'
import type { Generator } from '../case.js'
import { contract } from '../contract.js'
import { json, message } from '../message.js'
import { request } from './operations.js'

const unknown = '00000000-0000-4000-8000-000000000000'
const none = 999_999
const forAdmins = [...contract.operations.values()].filter(({ access }) => access.paths === 'admin')

/** Well-formed requests that a rule refuses after it has read a part: all or nothing. */
export const askInVain: Generator = (random, sandbox) => {
  if (random.chance(0.2)) {
    const operation = random.pick(forAdmins)
    const example = random.pick(Object.values(operation.examples))
    return { isWrong: true, ...request(operation, example, sandbox, 'basic') }
  }
  const [start, body] = random.pick(vain)(random)
  const [method, target] = start.split(' ') as [string, string]
  const text = body === undefined ? undefined : JSON.stringify(body)
  return { isWrong: true, method, bytes: message(method, target, sandbox, { headers: json, body: text }) }
}

type Vain = (random: Random) => [start: string, body?: Json]

/** Valid items in any order around an invalid one. */
function around<Item extends Json>(random: Random, bad: Item, good: (at: number) => Item): Item[] {
  const items = Array.from({ length: random.int(0, 20) }, (_, at) => good(at))
  items.splice(random.int(0, items.length), 0, bad)
  return items
}

const patched =
  (field: string, body: (random: Random) => Json): Vain =>
  (random) => ['PATCH /api/persona/1', { name: 'Changed', num_chunks: random.int(1, 20), [field]: body(random) }]

const vain: Vain[] = [
  (random) => [
    'PUT /api/manage/admin/users',
    {
      emails: around(
        random,
        random.pick(['bad', '@x', 'a@', 'a@b', 'a b@example.com', '']),
        (at) => `a${at}@example.com`
      )
    }
  ],
  patched('tool_ids', (random) => around(random, none, () => 1)),
  patched('document_set_ids', (random) => around(random, none, () => 1)),
  patched('label_ids', (random) => around(random, none, () => 1)),
  patched('users', (random) => around(random, unknown, () => unknown)),
  patched('user_file_ids', (random) => around(random, unknown, () => unknown)),
  () => [`PATCH /api/persona/${none}`, { name: 'Changed' }],
  () => [`DELETE /api/persona/${none}`],
  () => [`DELETE /api/admin/tool/custom/${none}`],
  () => [`DELETE /api/admin/token-rate-limits/rate-limit/${none}`],
  () => [`DELETE /api/chat/delete-chat-session/${unknown}`],
  () => [`DELETE /api/user/projects/file/${unknown}`],
  () => [`POST /api/user/projects/1/files/${unknown}`],
  () => [`POST /api/user/projects/${none}/instructions`, { instructions: 'changed' }],
  () => ['DELETE /api/manage/admin/delete-user', { user_email: 'nobody@example.com' }],
  () => ['POST /api/chat/create-chat-session', { persona_id: none, description: 'made' }],
  () => ['POST /api/chat/create-chat-session', { project_id: none, description: 'made' }],
  () => ['POST /api/web-search/open-urls', { urls: Array(1001).fill('http://example.com') }],
  () => ['POST /api/manage/admin/connector/file/upload', {}],
  (random) => [
    'POST /api/admin/tool/custom/validate',
    { definition: random.pick<Json>([{}, { openapi: '3.0.0' }, { paths: 7 }]) as Json }
  ],
  () => ['POST /__mock/state/labels', { id: 1, name: 'Twice' }],
  () => ['POST /__mock/state/personas', { name: 'Half' }],
  () => ['DELETE /__mock/state/users/1'],
  (random) => [
    'PUT /__mock/state',
    { collections: { labels: around<Json>(random, { id: 'x' }, (at) => ({ id: at, name: 'New' })) } }
  ],
  () => ['PUT /__mock/state', { collections: { projects: [{ id: 1 }] } }],
  () => ['POST /__mock/snapshots/none/restore'],
  () => ['DELETE /__mock/snapshots/none'],
  () => ['DELETE /__mock/overrides/o999'],
  () => ['PATCH /__mock/assumptions', { 'delete.body': '204', 'files.deletion': 'nothing' }],
  () => ['PUT /__mock/clock', { advance: '2h', speed: -1 }],
  () => ['PUT /__mock/clock', { now: '2027-01-01T00:00:00Z', advance: 'soon' }],
  () => ['POST /__mock/reset', { fixtures: 'empty', seed: 'x' }],
  () => ['POST /__mock/overrides', { operation: 'getPersona', status: 99 }],
  () => ['POST /__mock/sandboxes', { name: 'no name' }],
  () => ['POST /__mock/sandboxes', { name: 'made', from: 'nowhere-at-all' }]
]
