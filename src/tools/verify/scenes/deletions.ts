import { Stopped } from '../calls/patience.js'
import type { Input } from '../calls/request.js'
import type { Id, RowKind } from '../kinds.js'
import type { ValuePath } from '../world.js'
import { credentialBody, has, isOf, leavesTheRest, neighbours } from './any/effects.js'
import { changing, type Play, type Scene } from './any/scene.js'

/** A kind of row that an operation deletes, but that the interface can neither create nor show separately. */
interface Deletion {
  id: string
  kind: RowKind
  inputOf(id: Id): Input
  /** Whether a place may change together with the row. */
  isMeant(place: ValuePath, id: Id | undefined): boolean
}

const unseen: Deletion[] = [
  {
    id: 'deleteTool',
    kind: 'tool',
    inputOf: (id) => ({ path: { tool_id: id } }),
    isMeant: (place, id) => place.includes('tools') && has(id)(place)
  },
  {
    id: 'deleteTokenRateLimit',
    kind: 'limit',
    inputOf: (id) => ({ path: { token_rate_limit_id: id } }),
    isMeant: () => false
  },
  {
    id: 'deleteUser',
    kind: 'user',
    inputOf: (id) => ({ body: { user_email: id } }),
    // The description does not say what happens to the user's rows. Chat sessions may lose their agent.
    isMeant: (place) =>
      place.includes('persona_id') ||
      !['getUserRole', 'listChatSessions', 'listProjects'].some((reader) => isOf(place, reader))
  }
]

/**
 * E7, E20, E28 and E30 delete rows that the interface cannot create, so only disposable rows are deleted. These plays
 * come last, because others need the rows.
 */
export const deletionPlays: Play[] = [
  changing('an agent is deleted', ['deletePersona'], (scene) =>
    leavesTheRest(scene, 'deletePersona', async () => {
      const path = { persona_id: await scene.own('persona') }
      return {
        watched: { persona: neighbours(path.persona_id) },
        act: async () => {
          await scene.must('deletePersona', { path })
          await scene.refused('use_after_free', 'getPersona', { path }, 'a refusal: the agent is deleted')
          await scene.refused('use_after_free', 'deletePersona', { path }, 'a refusal: the agent is deleted')
          await changed(scene, path)
          if (scene.run.settings.userToken === undefined) return
          await scene.refused('use_after_free', 'getPersona', { path }, 'a refusal: the agent is deleted', 'user')
        },
        // Chat sessions may continue with another agent, or none.
        isMeant: (place) =>
          isOf(place, 'getPersona', path.persona_id) ||
          place.includes('persona_id') ||
          place.includes('persona_id_to_is_default')
      }
    })
  ),
  ...unseen.map((deletion) =>
    changing(`a ${deletion.kind === 'limit' ? 'token rate limit' : deletion.kind} is deleted`, [deletion.id], (scene) =>
      deletes(scene, deletion)
    )
  )
]

/** A server may bring a deleted agent back when it is changed. Then it can be read. */
async function changed(scene: Scene, path: Input['path']): Promise<void> {
  const body = { name: scene.run.mark('deleted') }
  if (!(await scene.may('updatePersona', { path, body }, 'missing'))) return
  const read = await scene.ask('getPersona', { path }, 'admin', 'missing')
  const expected = 'the agent, because E6 has changed it'
  scene.check('use_after_free', 'getPersona', read.reply.status < 300, expected)
  await scene.ask('deletePersona', { path }, 'admin', 'missing')
}

async function deletes(scene: Scene, deletion: Deletion): Promise<void> {
  const { id, kind, inputOf, isMeant } = deletion
  let row: Id | undefined
  const callers = kind === 'user' ? await callersOf(scene) : []
  for (const it of callers) scene.rows.unused(kind, it, 'a user of this run is not deleted')
  const left = scene.rows.own(kind).filter((it) => !callers.includes(String(it).toLowerCase()))
  await leavesTheRest(scene, id, async () => ({
    act: async () => {
      row = await firstDeleted(scene, deletion, left)
      if (id === 'deleteUser') scene.run.answers.add('users.delete-active', 'deleted', scene.title)
      const expected = `a refusal: the ${kind} is deleted`
      const { reply } = await scene.refused('use_after_free', id, inputOf(row), expected)
      if (kind === 'tool') await unused(scene, row)
      await othersStay(scene, deletion, left.slice(left.indexOf(row) + 1), reply.status)
    },
    isMeant: (place) => isMeant(place, row)
  }))
}

/** The addresses of the run's own users, from their credentials. These users must not be deleted. */
async function callersOf(scene: Scene): Promise<string[]> {
  const found: string[] = []
  for (const as of scene.run.settings.userToken === undefined ? (['admin'] as const) : (['admin', 'user'] as const)) {
    const body = { ...credentialBody(scene.run, 'caller'), admin_public: false }
    const email = (await scene.may('createCredential', { body }, undefined, as))?.credential.user_email
    if (email) found.push(email.toLowerCase())
  }
  return found
}

/** No agent may still have a deleted tool. */
async function unused(scene: Scene, tool: Id): Promise<void> {
  const persona_id = scene.rows.known('persona')
  if (persona_id === undefined) return
  const agent = await scene.may('getPersona', { path: { persona_id } }, 'missing')
  if (!agent) return
  const isGone = !agent.tools.some(({ id }) => id === tool)
  scene.check('use_after_free', 'deleteTool', isGone, 'an agent without the tool')
}

/** Deletes the first disposable row of a kind that exists. */
async function firstDeleted(scene: Scene, { id, kind, inputOf }: Deletion, rows: Id[]): Promise<Id> {
  for (const row of rows) {
    const exchange = await scene.ask(id, inputOf(row), 'admin', 'missing')
    if (exchange.reply.status < 300) return row
    scene.rows.unused(kind, row, `it is refused (${exchange.reply.status}): is its id right?`)
    if (id === 'deleteUser' && exchange.reply.status === 400) {
      scene.run.answers.add('users.delete-active', 'refused', scene.title)
    }
  }
  throw new Stopped(`no ${kind} is known that may be deleted: give one with --disposable ${kind}=<id>`)
}

/**
 * Only deleting another row can show that it still exists. If none of several disposable rows exists, that is a
 * finding.
 */
async function othersStay(scene: Scene, deletion: Deletion, others: Id[], missing: number): Promise<void> {
  const { id, kind, inputOf } = deletion
  for (const row of others) {
    const { reply } = await scene.ask(id, inputOf(row), 'admin', 'missing')
    if (reply.status < 300) return scene.run.results.held(id, 'others_untouched')
    scene.rows.unused(kind, row, `it is refused (${reply.status}) after another one was deleted: is its id right?`)
    // It was refused for another reason.
    if (reply.status !== missing) return
  }
  if (others.length < 2 || scene.run.isMock) return
  scene.check('others_untouched', id, false, `at least one of ${others.join(', ')} still there`, 'none of them')
}
