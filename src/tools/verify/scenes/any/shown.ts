import { isObject, type JsonObject } from '../../../../engine/contract/load.js'
import type { Input } from '../../calls/request.js'
import { namesOf } from '../../learn/any-reply.js'
import { moving } from '../../world.js'
import { type Play, reading, type Scene } from './scene.js'

/** A row as an operation shows it. */
interface ShownRow {
  id: string
  input: Input
  row: JsonObject
}

/** Fields that depend on the user and the project, because a file can be in several projects. */
const local = new Set(['project_id'])

/** A row has the same fields wherever it is shown. A change by another client in the meantime is the same the second time. */
export const shownPlay: Play = reading(
  'what several operations show of one row',
  [
    ...['listChatSessions', 'searchChats', 'getCredential', 'listCredentials', 'listSimilarCredentials'],
    ...['listProjects', 'getProjectDetails', 'getFile']
  ],
  async (scene) => {
    const first = await differing(scene)
    const again = first.size > 0 ? await differing(scene) : first
    for (const [key, { id, input, text }] of again) {
      if (first.get(key)?.text !== text) continue
      await scene.ask(id, input)
      return void scene.check('values_read_back', id, false, 'the same as in other replies', `${key}: ${text}`)
    }
    for (const id of shownPlay.operations) scene.run.results.held(id, 'values_read_back')
  }
)

/** The fields that differ, by kind, row and name. */
async function differing(scene: Scene): Promise<Map<string, { id: string; input: Input; text: string }>> {
  const { named, free } = namesOf(scene.run)
  const found = new Map<string, { id: string; input: Input; text: string }>()
  const known = new Map<string, unknown>()
  for (const [kind, { id, input, row }] of await rowsOf(scene)) {
    for (const [name, value] of Object.entries(row)) {
      const isCompared = named.has(name) && !free.has(name) && !moving.test(name) && !local.has(name)
      if (!isCompared || value === null || typeof value === 'object') continue
      const key = `${kind} ${String(row.id).toLowerCase()} ${name}`
      if (!known.has(key)) known.set(key, value)
      const text = `${JSON.stringify(known.get(key))} and ${JSON.stringify(value)}`
      if (known.get(key) !== value) found.set(key, { id, input, text })
    }
  }
  return found
}

/** Rows of each kind, as each operation shows them. */
async function rowsOf({ run, rows }: Scene): Promise<[kind: string, shown: ShownRow][]> {
  const found: [string, ShownRow][] = []
  const read = async (id: string, input: Input, pick: (body: JsonObject) => [kind: string, list: unknown][]) => {
    const { status = 0, body } = (await run.tried(id, input))?.reply ?? {}
    if (status >= 300 || typeof body !== 'object' || body === null) return
    for (const [kind, list] of pick(body as JsonObject)) {
      for (const row of Array.isArray(list) ? list : [])
        if (isObject(row) && row.id !== undefined) found.push([kind, { id, input, row }])
    }
  }
  const inside = (list: unknown, name: string) =>
    Array.isArray(list) ? list.flatMap((it) => (isObject(it) && Array.isArray(it[name]) ? it[name] : [])) : []
  const sessions = (list: unknown): [string, unknown][] => [['session', inside(list, 'chat_sessions')]]
  await read('listChatSessions', {}, (body) => [['session', body.sessions]])
  await read('searchChats', {}, (body) => [['session', inside(body.groups, 'chats')]])
  await read('listProjects', {}, (body) => [['project', body], ...sessions(body)])
  for (const project_id of rows.readable('project')) {
    await read('getProjectDetails', { path: { project_id } }, ({ project, files }) => [
      ['project', [project]],
      ['file', files],
      ...sessions([project])
    ])
  }
  for (const file_id of rows.readable('file'))
    await read('getFile', { path: { file_id } }, (body) => [['file', [body]]])
  await read('listCredentials', {}, (body) => [['credential', body]])
  const listed = found.flatMap(([kind, { row }]) => (kind === 'credential' ? [row] : [])).slice(-3)
  for (const { id, source } of listed) {
    await read('getCredential', { path: { credential_id: id as number } }, (body) => [['credential', [body]]])
    await read('listSimilarCredentials', { path: { source_type: source as string } }, (body) => [['credential', body]])
  }
  return found
}
