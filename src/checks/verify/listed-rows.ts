import type { Operation } from '../../contract/contract.js'
import { isObject } from '../../contract/load.js'
import { type Id, kindOfName, kinds, type RowIds } from './rows.js'
import type { Run } from './run.js'

/** The ids in examples of requests. */
export function examplesOf(operations: Operation[]): RowIds {
  const given: RowIds = {}
  for (const { examples } of operations) {
    for (const { path = {}, body } of Object.values(examples)) {
      for (const [name, value] of Object.entries({ ...path, ...(isObject(body) ? body : {}) })) {
        const kind = kindOfName[name]
        if (kind && value !== null) given[kind] = [...new Set([...(given[kind] ?? []), value as Id])]
      }
    }
  }
  return given
}

/** Both, each id once. */
export function merged(first: RowIds, second: RowIds): RowIds {
  return Object.fromEntries(
    kinds.map((kind) => [kind, [...new Set([...(first[kind] ?? []), ...(second[kind] ?? [])])]])
  )
}

/** The ids in the lists of the interface. */
export async function listedIds(run: Run): Promise<RowIds> {
  const [projects, credentials, sessions] = await Promise.all(
    ['listProjects', 'listCredentials', 'listChatSessions'].map(async (id) => (await run.tried(id, {}))?.reply.body)
  )
  const project = idsIn(projects, 'id')
  const files = await Promise.all(
    project.slice(0, 5).map(async (id) => {
      const body = (await run.tried('getProjectDetails', { path: { project_id: id } }))?.reply.body
      return idsIn(isObject(body) ? body.files : undefined, 'id')
    })
  )
  return {
    project,
    credential: idsIn(credentials, 'id'),
    persona: idsIn(isObject(sessions) ? sessions.sessions : undefined, 'persona_id'),
    file: files.flat()
  }
}

/** The ids in the items of a list. The server may have sent anything. */
function idsIn(list: unknown, field: string): Id[] {
  const ids = Array.isArray(list) ? list.map((item) => (isObject(item) ? item[field] : undefined)) : []
  return [...new Set(ids.filter((id): id is Id => typeof id === 'number' || typeof id === 'string'))]
}
