import { type Id, unknownNumber } from '../../../tools/verify/api.js'
import type { Input } from '../../../tools/verify/calls/request.js'
import { locsOf } from '../../../tools/verify/learn/readings.js'
import { has, isOf, leavesTheRest, neighbours, type ValuePath } from '../../../tools/verify/plays/neighbours.js'
import { noneKnown } from '../../../tools/verify/scene.js'
import type { Persona } from '../types.gen.js'
import { kinds } from './kinds.js'
import { agentWith } from './personas.js'
import { poolOf, privateCredential, theirCredential } from './pool.js'
import { usableFiles } from './projects.js'
import { among, changing, type Play, type Scene, withId } from './scene.js'

/** Kinds of rows that an operation deletes, but that the interface can neither create nor show separately. */
type DeletedKind = 'tool' | 'limit' | 'user'

/** Whether a place may change together with a row of the kind. */
const isMeant: Record<DeletedKind, (place: ValuePath, id: Id) => boolean> = {
  tool: (place, id) => place[place.indexOf('tools') + 1] === String(id),
  limit: () => false,
  // The description does not say what happens to the user's rows. Chat sessions may lose their agent.
  user: (place) =>
    place.includes('persona_id') ||
    !['getUserRole', 'listChatSessions', 'listProjects'].some((reader) => isOf(place, reader))
}

function deletionOf(kind: DeletedKind, row: Id): [id: string, input: Input] {
  const { name, remove } = kinds[kind]
  return [remove, { [kind === 'user' ? 'body' : 'path']: { [name]: row } }]
}

/** The interface cannot create these rows, so only disposable ones are deleted, and last: other plays need them. */
export const deletionPlays: Play[] = [
  changing('an agent is deleted', ['deletePersona'], (scene) =>
    leavesTheRest(scene, 'deletePersona', async () => {
      const path = { persona_id: await scene.own('persona') }
      const expected = 'a refusal: the agent is deleted'
      const name = scene.mark('deleted')
      const file = (await usableFiles(scene)).slice(0, 1).map(({ id }) => id)
      const body = { name, ...(file.length > 0 && { user_file_ids: file }) }
      await scene.may('updatePersona', { path, body }, 'unknown-reference')
      const session = await scene.may('createChatSession', { body: { ...path, description: name } as never }, 'missing')
      return {
        watched: { persona: neighbours(path.persona_id) },
        act: async () => {
          await scene.must('deletePersona', { path })
          await scene.refused('use_after_free', 'getPersona', { path }, expected)
          await scene.refused('use_after_free', 'deletePersona', { path }, expected)
          await changed(scene, path)
          if (session) await continued(scene, session.chat_session_id, path.persona_id)
          for (const file_id of file) {
            const { status = 'DELETING' } = (await scene.may('getFile', { path: { file_id } }, 'missing')) ?? {}
            scene.check('others_untouched', 'deletePersona', status !== 'DELETING', `the file ${file_id} still there`)
            const deletion = await scene.may('deleteFile', { path: { file_id } }, 'missing')
            const isNamed = deletion?.assistant_names.includes(name) ?? false
            scene.check('use_after_free', 'deleteFile', !isNamed, `no agent ${name}: it is deleted`)
          }
          if (scene.run.settings.userToken === undefined) return
          await scene.refused('use_after_free', 'getPersona', { path }, expected, 'user')
        },
        isMeant: (place) =>
          isOf(place, 'getPersona', path.persona_id) ||
          place.some((step) => step.startsWith('persona_id')) ||
          has(file[0], place)
      }
    })
  ),
  ...(['tool', 'limit', 'user'] as const).map((kind) => {
    const name = kind === 'limit' ? 'token rate limit' : kind
    return changing(`a ${name} is deleted`, [kinds[kind].remove], (scene) => deletes(scene, kind))
  })
]

/** A chat session of a deleted agent may keep it, or continue with a default one, or none. */
async function continued(scene: Scene, session: Id, agent: Id): Promise<void> {
  const [row] = withId((await scene.must('listChatSessions')).sessions, session)
  const { persona_id: other = agent } = row ?? {}
  const heir = other === agent || other === null ? undefined : await readAgent(scene, other)
  const isHeir = !heir || heir.is_default_persona || heir.builtin_persona
  scene.check('others_untouched', 'deletePersona', isHeir, `its chat sessions with no other agent`, heir?.name)
}

/** A server may bring a deleted agent back when it is changed. Then it can be read. */
async function changed(scene: Scene, path: Input['path']): Promise<void> {
  const body = { name: scene.mark('deleted') }
  if (!(await scene.may('updatePersona', { path, body }, 'missing'))) return
  const read = await scene.may('getPersona', { path }, 'missing')
  scene.check('use_after_free', 'getPersona', read !== undefined, 'the agent, because E6 has changed it')
  await scene.ask('deletePersona', { path }, 'missing')
}

async function deletes(scene: Scene, kind: DeletedKind): Promise<void> {
  const { remove: id } = kinds[kind]
  let row: Id | undefined
  // Finding them creates rows.
  const callers = kind === 'user' && scene.rows.own(kind).length > 0 ? await callersOf(scene) : []
  for (const it of callers) scene.rows.unused(kind, it, 'a user of this run is not deleted')
  const isCaller = among(callers)
  const rows = scene.rows.own(kind).filter((it) => !isCaller(it))
  if (rows.length === 0) throw noneKnown(kind, 'that may be deleted')
  const agent = kind === 'tool' ? await agentWith(scene, 'tool_ids', rows[0] as Id) : undefined
  const own = kind === 'user' ? poolOf(scene.run).credentials.filter(({ as }) => as === 'admin') : []
  await leavesTheRest(scene, id, async () => ({
    act: async () => {
      row = await firstDeleted(scene, kind, rows)
      if (kind === 'user') scene.answer('users.delete-active', 'deleted')
      const expected = `a refusal: the ${kind} is deleted`
      const { reply } = await scene.refused('use_after_free', ...deletionOf(kind, row), expected)
      if (kind === 'tool') await unused(scene, row, agent)
      await othersStay(scene, kind, rows.slice(rows.indexOf(row)), reply.status)
    },
    // Others are deleted too, to see that they are still there.
    isMeant: (place) =>
      rows.some((it) => isMeant[kind](place, it)) && !own.some((it) => isOf(place, 'listCredentials', it.id))
  }))
}

/** The addresses of the run's own users, from their credentials. These users must not be deleted. */
async function callersOf(scene: Scene): Promise<string[]> {
  await privateCredential(scene)
  if (scene.run.settings.userToken !== undefined) await theirCredential(scene)
  return poolOf(scene.run).credentials.flatMap(({ credential }) => credential.user_email ?? [])
}

const readAgent = (scene: Scene, persona_id: Id) => scene.may('getPersona', { path: { persona_id } }, 'missing')

/** No agent may still have a deleted tool. */
async function unused(scene: Scene, tool: Id, user?: Persona): Promise<void> {
  for (const persona_id of new Set([...(user ? [user.id] : []), ...scene.rows.readable('persona').slice(-6)])) {
    const agent = await readAgent(scene, persona_id)
    if (!agent) continue
    const isGone = !agent.tools.some(({ id }) => id === tool)
    scene.check('use_after_free', 'deleteTool', isGone, `the agent ${persona_id} without the tool`)
  }
}

async function firstDeleted(scene: Scene, kind: DeletedKind, rows: Id[]): Promise<Id> {
  for (const row of rows) {
    let exchange = await scene.ask(...deletionOf(kind, row), 'missing')
    if (exchange.reply.status >= 300 && scene.undo.length > 0) {
      // A server may keep a tool that an agent has.
      await scene.restore()
      exchange = await scene.ask(...deletionOf(kind, row), 'missing')
    }
    const { status } = exchange.reply
    if (status < 300) return row
    if (status === 422 && Number(row) < unknownNumber && locsOf(exchange).some(([part]) => part === 'path')) {
      const missing = (await scene.ask(...deletionOf(kind, unknownNumber), 'missing')).reply.status
      scene.note(exchange)
      const expected = `${row} to be no more invalid than ${unknownNumber}, for which the answer is ${missing}`
      scene.check('positive_data_acceptance', kinds[kind].remove, missing === 422, expected)
    }
    scene.rows.unused(kind, row, `it is refused (${status}): is its id right?`)
    if (kind === 'user' && status === 400) scene.answer('users.delete-active', 'refused')
  }
  throw noneKnown(kind, 'that may be deleted')
}

/**
 * Only deleting another row can show that it still exists. It is a finding if none of several disposable rows exists, or if the
 * next one of two that were deleted is gone: one alone may have a wrong id.
 */
async function othersStay(scene: Scene, kind: DeletedKind, rows: Id[], missing: number): Promise<void> {
  const { remove: id } = kinds[kind]
  const lost: Id[] = []
  let deleted = 1
  for (const row of rows.slice(1)) {
    const { status } = (await scene.ask(...deletionOf(kind, row), 'missing')).reply
    if (status < 300) {
      if (lost.length !== 1 || deleted > 1) return scene.run.results.held(id, 'others_untouched')
      deleted++
      continue
    }
    scene.rows.unused(kind, row, `it is refused (${status}) after another one was deleted: is its id right?`)
    // It was refused for another reason.
    if (status !== missing) return
    lost.push(row)
    if (deleted > 1) break
  }
  if (lost.length < 2 || scene.run.settings.isMock) return
  scene.check('others_untouched', id, false, `the others of ${rows.join(', ')} still there`, `no ${lost.join(', ')}`)
}
