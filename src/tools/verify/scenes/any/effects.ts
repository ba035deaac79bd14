import type { ConnectorSnapshot, DocumentSource } from '../../../../apis/knowledge-chat/types.gen.js'
import { realTime, Stopped } from '../../calls/patience.js'
import type { Id } from '../../kinds.js'
import type { Run } from '../../run.js'
import { type Difference, differences, type IsExpected, type MoreRows, type ValuePath, worldOf } from '../../world.js'
import { groupsOf, pairsIn } from '../indexing.js'
import { keepAgent, ownAgent, ownInstructions, usableFiles } from '../own-rows.js'
import { changing, type Play, type Scene } from './scene.js'

/** A credential with a name that no other one has. */
export const credentialBody = (run: Run, name: string, source: DocumentSource = 'web') => ({
  credential_json: { api_token: 'made-up' },
  admin_public: true,
  source,
  name: run.mark(name)
})

/** A credential that only its owner sees. */
export const privateCredential = (run: Run) => ({
  credential_json: { api_token: 'made-up' },
  admin_public: false,
  curator_public: false,
  source: 'imap',
  name: run.mark('private')
})

/** Each one creates the rows that it needs, or uses rows that may be changed. */
const writes: { [id: string]: (scene: Scene, isFirst: boolean) => Promise<PreparedCall> } = {
  async createChatSession(scene) {
    let made: string | undefined
    return {
      act: async () => {
        made = await newSession(scene)
      },
      // A list with a limit loses its last row.
      isMeant: (place, how) => has(made)(place) || (isOf(place, 'listChatSessions') && how === 'removed')
    }
  },
  async deleteChatSession(scene) {
    const ids = [await newSession(scene), await newSession(scene), await newSession(scene)]
    return {
      act: () => scene.must('deleteChatSession', { path: { session_id: ids[1] as string } }),
      isMeant: (place, how) => has(ids[1])(place) || (isOf(place, 'listChatSessions') && how === 'added')
    }
  },
  async createCredential(scene) {
    let made: number | undefined
    return {
      act: async () => {
        made = await newCredential(scene)
      },
      isMeant: (place) => has(made)(place)
    }
  },
  async replacePrivateKey(scene) {
    const [first, second] = [await newCredential(scene), await newCredential(scene)]
    const [example] = Object.values(scene.rows.examplesOf(scene.run.operation('replacePrivateKey')))
    const body = { ...(example?.body as object), name: scene.run.mark('effect') }
    return {
      watched: { credential: [first, second] },
      act: () => scene.ask('replacePrivateKey', { path: { credential_id: first }, body }, 'admin', 'bad-file'),
      isMeant: has(first)
    }
  },
  async linkCredential(scene, isFirst) {
    const [connector_id, other] = isFirst ? [await scene.own('connector')] : await connectors(scene)
    const credential_id = await newCredential(scene, connector_id)
    if (other !== undefined) await link(scene, other, credential_id)
    return {
      watched: { connector: [connector_id, ...(other === undefined ? [] : [other])], credential: [credential_id] },
      act: () => link(scene, connector_id, credential_id),
      isMeant: (place, how) =>
        (isOf(place, 'getIndexingStatus') && how === 'added') || isOf(place, 'getConnector', connector_id)
    }
  },
  async unlinkCredential(scene) {
    const [connector_id, other] = await connectors(scene)
    const [first, second] = [await newCredential(scene, connector_id), await newCredential(scene, connector_id)]
    const before = new Set(await pairsOf(scene))
    await link(scene, connector_id, first)
    const [own] = (await pairsOf(scene)).filter((pair) => !before.has(pair))
    await link(scene, connector_id, second)
    if (other !== undefined) await link(scene, other, first)
    return {
      watched: { connector: [connector_id, ...(other === undefined ? [] : [other])], credential: [first, second] },
      act: () => scene.must('unlinkCredential', { path: { connector_id, credential_id: first } }),
      isMeant: (place) =>
        isOf(place, 'getIndexingStatus')
          ? has(own)(place)
          : isOf(place, 'getConnector', connector_id) && has(first)(place)
    }
  },
  async uploadConnectorFiles(scene) {
    const file = { 'x-file': { name: 'effect.txt', type: 'text/plain', text: 'effect' } }
    return { act: () => scene.must('uploadConnectorFiles', { body: { files: [file] } }), isMeant: () => false }
  },
  async inviteUsers(scene) {
    const emails = [`${scene.run.mark('effect')}@example.com`]
    return { act: () => scene.ask('inviteUsers', { body: { emails } }), isMeant: () => false }
  },
  async setProjectInstructions(scene) {
    const { path } = await ownInstructions(scene)
    const body = { instructions: scene.run.mark('effect') }
    return {
      act: () => scene.must('setProjectInstructions', { path, body }),
      isMeant: (place) => has(path.project_id)(place) && place.includes('instructions')
    }
  },
  async updatePersona(scene) {
    const { path, before } = await ownAgent(scene)
    if (before.builtin_persona || scene.run.needs.any('updatePersona')) {
      throw new Stopped('no row is known for which the server shows what changed')
    }
    keepAgent(scene, path, before)
    const text = scene.run.mark('effect')
    const filled = (['name', 'description', 'system_prompt', 'task_prompt'] as const).filter((name) => before[name])
    const body = Object.fromEntries(filled.map((name) => [name, text]))
    return {
      watched: { persona: neighbours(path.persona_id) },
      act: () => scene.must('updatePersona', { path, body }),
      // A project says which of its agents are default ones.
      isMeant: (place) => isOf(place, 'getPersona', path.persona_id) || place.includes('persona_id_to_is_default')
    }
  },
  async linkFile(scene, isFirst) {
    const project_id = await scene.own('project')
    const file_id = (await usableFiles(scene))[0]?.id
    if (file_id === undefined)
      throw new Stopped('no file is known that may be changed: give one with --disposable file=<id>')
    const other = isFirst ? undefined : scene.rows.own('project').find((id) => id !== project_id)
    if (other !== undefined) await scene.ask('linkFile', { path: { project_id: other, file_id } }, 'admin', 'missing')
    // The file may be in other projects. Only its own fields may differ there.
    const isElsewhere = (place: string[]) =>
      isOf(place, 'getProjectDetails') && place[1] !== String(project_id) && !place.includes('project_id')
    return {
      act: () => scene.must('linkFile', { path: { project_id, file_id } }),
      isMeant: (place) => has(file_id)(place) && !isElsewhere(place)
    }
  }
}

/** After each call that changes something, everything else must be as before. Some prepare with the same call. */
export const effectPlays: Play[] = Object.entries(writes).map(([id, prepare]) =>
  changing(`what ${id} changes, and nothing else`, [id], async (scene) => {
    if (prepare.length > 1) await leavesTheRest(scene, id, () => prepare(scene, true))
    await leavesTheRest(scene, id, () => prepare(scene, false))
  })
)

/** A row and likely neighbours of it. */
export function neighbours(id: Id): Id[] {
  return typeof id === 'number' ? [-3, -2, -1, 0, 1, 2, 3].map((step) => id + step).filter((it) => it >= 0) : [id]
}

async function newSession(scene: Scene): Promise<string> {
  const body = await scene.must('createChatSession', { body: { description: scene.run.mark('effect') } })
  return body.chat_session_id
}

/** Creates a credential, with the source of a connector if one is given. */
export async function newCredential(scene: Scene, connector_id?: Id, name = 'effect'): Promise<number> {
  const source = connector_id === undefined ? 'web' : await sourceOf(scene, connector_id)
  return (await scene.must('createCredential', { body: credentialBody(scene.run, name, source) })).id
}

async function sourceOf(scene: Scene, connector_id: Id): Promise<DocumentSource> {
  return ((await scene.must('getConnector', { path: { connector_id } })) as ConnectorSnapshot).source ?? 'web'
}

/** A connector that may be changed, and another one of the same source if possible. */
async function connectors(scene: Scene): Promise<[Id, Id | undefined]> {
  const first = await scene.own('connector')
  const source = await sourceOf(scene, first)
  for (const connector_id of scene.rows.own('connector')) {
    if (connector_id === first) continue
    const other = await scene.may('getConnector', { path: { connector_id } }, 'missing')
    if (other && 'source' in other && other.source === source) return [first, connector_id]
  }
  const why = 'give two connectors of one source'
  scene.run.results.couldNot('unlinkCredential', 'other connectors keep a credential', why)
  return [first, undefined]
}

/** The pairs of connector and credential, by id. */
async function pairsOf(scene: Scene): Promise<Id[]> {
  return pairsIn(await groupsOf(scene, { get_all_connectors: true })).map((pair) => pair.cc_pair_id)
}

/** Associates them until the play ends. */
export async function link(scene: Scene, connector_id: Id, credential_id: Id): Promise<void> {
  const path = { connector_id, credential_id }
  scene.undo.push(async () => {
    const { reply } = await scene.ask('getConnector', { path: { connector_id } }, 'admin', 'missing')
    const { credential_ids = [] } = (reply.body ?? {}) as Partial<ConnectorSnapshot>
    if (credential_ids.includes(Number(credential_id)))
      await scene.ask('unlinkCredential', { path }, 'admin', 'missing')
  })
  await scene.must('linkCredential', { path, body: { name: scene.run.mark('link') } })
}

/** A call that is ready to be made. */
export interface PreparedCall {
  /** Rows to read in addition to the known ones. */
  watched?: MoreRows
  act(): Promise<unknown>
  /** Whether a change at a place is expected. Called after the call. */
  isMeant: IsExpected
}

/** Whether a place is in the row with this id. */
export const has =
  (id: Id | undefined) =>
  (place: ValuePath): boolean =>
    place.some((step) => step.toLowerCase() === String(id).toLowerCase())

/** Whether a place was read by this operation, and from this row if one is given. */
export function isOf([first, row]: ValuePath, operation: string, id?: Id): boolean {
  return (first as string).startsWith(`${operation} `) && (id === undefined || row === String(id))
}

/** How often the rows are read to see what changes by itself, and the milliseconds between two reads. */
const idle = { looks: 8, pause: 250 }

/**
 * Reads everything before and after a call. Only expected changes are allowed. Another client may have changed something in the
 * meantime, so a difference counts only in rows that no one else changes, or if it appears again with the same call and does
 * not change without one.
 */
export async function leavesTheRest(scene: Scene, id: string, prepare: () => Promise<PreparedCall>): Promise<void> {
  const { run, rows } = scene
  const look = async () => {
    const { watched, act, isMeant } = await prepare()
    const before = await worldOf(run, rows, watched)
    await act()
    const after = await worldOf(run, rows, watched)
    const isExcused: IsExpected = (place, how) => isMeant(place, how) || !rows.isOwn(place)
    const isSure = differences(before, after, isExcused).length > 0
    return { watched, isSure, told: differences(before, after, isMeant) }
  }
  const first = await look().finally(() => putBack(scene))
  let { told } = first
  if (told.length > 0 && !first.isSure) {
    told = await look().then((again) => again.told, noneIfStopped)
    await putBack(scene)
    const moving = await movingPlaces(scene, first.watched)
    const before = new Set(first.told.map(({ key }) => key))
    if (moving.size > 0) told = told.filter(({ key }) => before.has(key) && !moving.has(key))
    const [once] = first.told.filter(({ key }) => !moving.has(key))
    if (told.length === 0 && once) run.results.couldNot(id, once.key, 'it changed once, which may be another client')
  }
  const expected = `nothing changed but what ${id} names`
  const got = told.slice(0, 3).map(({ text }) => text)
  scene.check('others_untouched', id, told.length === 0, expected, got.join('; '))
}

/** The places that were seen to change without a call. */
async function movingPlaces({ run, rows }: Scene, watched: MoreRows | undefined): Promise<Set<string>> {
  let before = await worldOf(run, rows, watched)
  for (let look = 0; look < idle.looks && run.moving.size === 0; look++) {
    await realTime.sleep(idle.pause)
    const now = await worldOf(run, rows, watched)
    for (const { key } of differences(before, now)) run.moving.add(key)
    before = now
  }
  return run.moving
}

async function putBack(scene: Scene): Promise<void> {
  for (const undo of scene.undo.splice(0)) await undo()
}

function noneIfStopped(error: unknown): Difference[] {
  if (error instanceof Stopped) return []
  throw error
}
