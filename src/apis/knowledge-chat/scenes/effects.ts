import type { JsonObject } from '../../../engine/contract/load.js'
import { type Id, unknownNumber, unknownUuid } from '../../../tools/verify/api.js'
import type { Asker } from '../../../tools/verify/calls/client.js'
import { Stopped } from '../../../tools/verify/calls/patience.js'
import type { Input } from '../../../tools/verify/calls/request.js'
import {
  eachLeavesTheRest,
  has,
  isOf,
  leavesTheRest,
  neighbours,
  type PreparedCall
} from '../../../tools/verify/plays/neighbours.js'
import { noneKnown } from '../../../tools/verify/scene.js'
import { pairsOf } from './indexing.js'
import { corruptZip } from './others.js'
import { keepAgent, ownAgent, wholeBody } from './personas.js'
import { credentialBody, newCredential, poolOf, sourceOf, twoCredentials } from './pool.js'
import { linkedOnce, usableFiles } from './projects.js'
import { changing, keyForm, newSession, ownInstructions, type Play, type Scene } from './scene.js'

/** A call that changes nothing that can be read. */
function quiet(act: (scene: Scene) => Promise<unknown>) {
  return async (scene: Scene): Promise<PreparedCall> => ({ act: () => act(scene), isMeant: () => false })
}

/** Each one creates the rows that it needs, or uses rows that may be changed. */
const writes: { [id: string]: (scene: Scene, isFirst?: boolean) => Promise<PreparedCall> } = {
  // A deleted session stays deleted when another one is created.
  async deleteChatSession(scene) {
    const { rows } = scene
    // All have the same name, and two the same project.
    const project_id = rows.own('project').find((id) => rows.readable('project').includes(id))
    const name = scene.mark('effect')
    const create = (more = {}) => newSession(scene, name, more)
    const more = project_id === undefined ? {} : { project_id }
    const [, session_id] = [await create(), await create(more), await create(more)]
    return {
      act: () => scene.must('deleteChatSession', { path: { session_id } }),
      isWide: true,
      isMeant: (place, how) => has(session_id, place) || (isOf(place, 'listChatSessions') && how === 'added')
    }
  },
  async createChatSession(scene) {
    let id: string | undefined
    return {
      act: async () => {
        id = await newSession(scene, scene.mark('effect'))
      },
      isWide: true,
      // A list with a limit loses its last row.
      isMeant: (place, how) => has(id, place) || (isOf(place, 'listChatSessions') && how === 'removed')
    }
  },
  async createCredential(scene) {
    let id: number | undefined
    return {
      act: async () => {
        // The names of credentials are not keys.
        const like = poolOf(scene.run).credentials.find(({ sent }) => sent.admin_public)
        id = (await newCredential(scene, String(like?.sent.source ?? 'web'), like?.sent.name)).id
      },
      isMeant: (place) => has(id, place)
    }
  },
  async replacePrivateKey(scene) {
    const [first, second] = await twoCredentials(scene)
    const input = { path: { credential_id: first }, body: keyForm(scene, 'effect') }
    return {
      watched: { credential: [first, second] },
      act: () => scene.ask('replacePrivateKey', input, 'bad-file'),
      isMeant: (place) => has(first, place)
    }
  },
  async linkCredential(scene, isFirst) {
    const [connector_id, ...others] = isFirst ? [await scene.own('connector')] : await connectors(scene)
    const [credential_id] = await twoCredentials(scene, connector_id)
    for (const other of others) await link(scene, other, credential_id)
    return {
      watched: { connector: [connector_id, ...others], credential: [credential_id] },
      act: () => link(scene, connector_id, credential_id),
      isMeant: (place, how) =>
        isOf(place, 'getIndexingStatus')
          ? how === 'added'
          : isOf(place, 'getConnector', connector_id) && place.includes('credential_ids')
    }
  },
  async unlinkCredential(scene) {
    const [connector_id, ...others] = await connectors(scene)
    const [first, second] = await twoCredentials(scene, connector_id)
    const pairs = async () => (await pairsOf(scene)).map((pair) => pair.cc_pair_id)
    await link(scene, connector_id, first)
    const before = new Set(await pairs())
    await link(scene, connector_id, second)
    const own = (await pairs()).find((pair) => !before.has(pair))
    for (const other of others) await link(scene, other, second)
    return {
      watched: { connector: [connector_id, ...others], credential: [first, second] },
      act: () => scene.must('unlinkCredential', { path: { connector_id, credential_id: second } }),
      isMeant: (place) =>
        isOf(place, 'getIndexingStatus')
          ? has(own, place)
          : isOf(place, 'getConnector', connector_id) && has(second, place)
    }
  },
  validateTool: quiet((scene) => scene.ask('validateTool', exampleFor(scene, 'validateTool'))),
  uploadConnectorFiles: quiet(corruptZip),
  inviteUsers: quiet((scene) =>
    scene.ask('inviteUsers', { body: { emails: [`${scene.mark('effect')}@example.com`] } })
  ),
  async setProjectInstructions(scene) {
    const { path } = await ownInstructions(scene)
    const body = { instructions: scene.mark('effect') }
    return {
      act: () => scene.must('setProjectInstructions', { path, body }),
      isMeant: (place) => has(path.project_id, place) && place.includes('instructions')
    }
  },
  async updatePersona(scene) {
    const { path, before } = await ownAgent(scene)
    if (before.builtin_persona || scene.run.needs.any('updatePersona')) {
      throw new Stopped('no row is known for which the server shows what changed')
    }
    keepAgent(scene, path, before)
    const text = scene.mark('effect')
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
    if (file_id === undefined) throw noneKnown('file')
    const other = isFirst ? undefined : scene.rows.own('project').find((id) => id !== project_id)
    const path = { project_id: other as Id, file_id }
    const isShared = other !== undefined && (await scene.may('linkFile', { path }, 'missing')) !== undefined
    // The file may be in other projects. Only its own fields may differ there.
    const isElsewhere = (place: string[]) =>
      isOf(place, 'getProjectDetails') && place[1] !== String(project_id) && !place.includes('project_id')
    return {
      act: async () => {
        await scene.must('linkFile', { path: { project_id, file_id } })
        if (isShared) await linkedOnce(scene, path)
      },
      isMeant: (place) => has(file_id, place) && !isElsewhere(place)
    }
  }
}

type Inputs = { [id: string]: (scene: Scene) => Input | Promise<Input> }

/** Requests of which one field is wrong. Their valid parts would change something. */
const wrongs: Inputs = {
  createChatSession: (scene) => ({ body: { description: scene.mark('refused'), persona_id: {} } }),
  updatePersona: (scene) => changedAgent(scene, { num_chunks: {} }),
  async setProjectInstructions(scene) {
    const { path } = await ownInstructions(scene)
    return { path, body: { instructions: { refused: true } } }
  },
  createCredential: ({ run }) => ({ body: { ...credentialBody(run, 'web'), curator_public: false, admin_public: {} } }),
  async replacePrivateKey(scene) {
    const path = { credential_id: (await twoCredentials(scene))[0] }
    return { path, body: { ...keyForm(scene, 'refused'), uploaded_file: 'no file' } }
  },
  async linkCredential(scene) {
    const connector_id = await scene.own('connector')
    const path = { connector_id, credential_id: (await twoCredentials(scene, connector_id))[0] }
    return { path, body: { name: scene.mark('refused'), groups: 'none' } }
  }
}

const unknownPair = async (scene: Scene) => ({
  connector_id: await scene.own('connector'),
  credential_id: unknownNumber
})

/** Requests for a row that does not exist. A deletion could undo what another one made, so deletions come first. */
const missing: Inputs = {
  deleteChatSession: () => ({ path: { session_id: unknownUuid } }),
  deletePersona: () => ({ path: { persona_id: unknownNumber } }),
  deleteFile: () => ({ path: { file_id: unknownUuid } }),
  unlinkCredential: async (scene) => ({ path: await unknownPair(scene) }),
  createChatSession: (scene) => ({ body: { description: scene.mark('refused'), project_id: unknownNumber } }),
  updatePersona: (scene) => changedAgent(scene, { tool_ids: [unknownNumber] }),
  linkCredential: async (scene) => ({ path: await unknownPair(scene), body: { name: scene.mark('refused') } }),
  setProjectInstructions: (scene) => ({
    path: { project_id: unknownNumber },
    body: { instructions: scene.mark('refused') }
  }),
  linkFile: async (scene) => ({ path: { project_id: await scene.own('project'), file_id: unknownUuid } })
}

type Prepare = (scene: Scene) => Promise<PreparedCall>

/** After a call, all else is as before. A refused one changes nothing. `isFirst`: some prepare with the same call. */
export const effectPlays: Play[] = [
  ...Object.entries(writes)
    .filter(([, prepare]) => prepare.length > 1)
    .map(([id, prepare]) =>
      changing(`what ${id} changes`, [id], async (scene) => {
        await leavesTheRest(scene, id, () => prepare(scene, true))
        await leavesTheRest(scene, id, () => prepare(scene))
      })
    ),
  inTurn(
    'what a call changes',
    true,
    Object.entries(writes).filter(([, prepare]) => prepare.length < 2)
  ),
  inTurn('what a refused call changes', false, [
    ...[...Object.entries(wrongs), ...Object.entries(missing)].map(([id, inputOf]): [string, Prepare] => [
      id,
      (scene) => refused(scene, id, inputOf)
    ]),
    ...Object.keys(writes).map((id): [string, Prepare] => [
      id,
      (scene) => refused(scene, id, (it) => exampleFor(it, id), 'nobody')
    ])
  ])
]

const exampleFor = ({ run, rows }: Scene, id: string) =>
  run.needs.complete(run.operation(id), rows.exampleOf(run.operation(id), true))

function inTurn(title: string, isChange: boolean, entries: [id: string, prepare: Prepare][]): Play {
  return changing(title, [...new Set(entries.map(([id]) => id))], async (scene) => {
    const chosen = entries.filter(([id]) => scene.run.results.isChosen(id))
    const calls = chosen.map(([id, prepare]) => [id, () => prepare(scene)] as const)
    await eachLeavesTheRest(scene, isChange, calls)
  })
}

async function refused(scene: Scene, id: string, inputOf: Inputs[string], as: Asker = 'admin'): Promise<PreparedCall> {
  const input = await inputOf(scene)
  let status = 0
  return {
    watched: { connector: idsOf(input.path?.connector_id), credential: idsOf(input.path?.credential_id) },
    act: async () => {
      status = (await scene.ask(id, input, 'missing', as)).reply.status
    },
    // An accepted request is judged by other checks. A deletion of nothing changes nothing, whatever its answer.
    isMeant: (place) =>
      (status < 300 && !id.startsWith('delete')) || (isOf(place, 'getIndexingStatus') && id !== 'linkCredential')
  }
}

const idsOf = (id: unknown) => (id === undefined || id === unknownNumber ? [] : [id as Id])

/** A change of an agent's texts with something wrong in it. */
async function changedAgent(scene: Scene, wrong: JsonObject): Promise<Input> {
  const { path, before } = await ownAgent(scene)
  const text = scene.mark('refused')
  keepAgent(scene, path, before)
  return { path, body: { ...wholeBody(before), name: text, description: text, system_prompt: text, ...wrong } }
}

/** A connector that may be changed, and another one of the same source if possible. */
async function connectors(scene: Scene): Promise<[Id, ...Id[]]> {
  const first = await scene.own('connector')
  const source = await sourceOf(scene, first)
  for (const connector_id of scene.rows.own('connector')) {
    if (connector_id === first) continue
    const other = await scene.may('getConnector', { path: { connector_id } }, 'missing')
    if (other && 'source' in other && other.source === source) return [first, connector_id]
  }
  scene.couldNot('unlinkCredential', 'give two connectors of one source', 'other connectors keep a credential')
  return [first]
}

/** Associates them until the play ends. */
export async function link(scene: Scene, connector_id: Id, credential_id: number): Promise<void> {
  const path = { connector_id, credential_id }
  scene.undo.push(async () => {
    const connector = await scene.may('getConnector', { path: { connector_id } }, 'missing')
    const isLinked = connector && 'credential_ids' in connector && connector.credential_ids.includes(credential_id)
    if (isLinked) await scene.ask('unlinkCredential', { path }, 'missing')
  })
  await scene.must('linkCredential', { path, body: { name: scene.mark('link') } })
}
