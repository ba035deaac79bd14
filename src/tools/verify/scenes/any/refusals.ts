import type { JsonObject } from '../../../../engine/contract/load.js'
import type { Input } from '../../calls/request.js'
import { unknownNumber, unknownUuid } from '../../kinds.js'
import type { MoreRows } from '../../world.js'
import { ownAgent, ownInstructions } from '../own-rows.js'
import { wholeBody } from '../personas.js'
import { isOf, leavesTheRest, newCredential } from './effects.js'
import { changing, type Play, type Scene } from './scene.js'

/** A request that is refused. Its valid parts would change something. */
interface RefusedRequest {
  input: Input
  watched?: MoreRows
}

type RefusedRequests = { [id: string]: (scene: Scene) => Promise<RefusedRequest> }

/** One field is wrong. */
const wrongs: RefusedRequests = {
  async createChatSession({ run }) {
    return { input: { body: { description: run.mark('refused'), persona_id: {} } } }
  },
  async updatePersona(scene) {
    return { input: await changed(scene, { num_chunks: {} }) }
  },
  async setProjectInstructions(scene) {
    const { path } = await ownInstructions(scene)
    return { input: { path, body: { instructions: { refused: true } } } }
  },
  async createCredential({ run }) {
    const body: JsonObject = { credential_json: {}, source: 'web', name: run.mark('refused'), curator_public: false }
    return { input: { body: { ...body, admin_public: {} } } }
  },
  async replacePrivateKey(scene) {
    const credential_id = await newCredential(scene)
    const [example] = Object.values(scene.rows.examplesOf(scene.run.operation('replacePrivateKey')))
    const body = { ...(example?.body as object), name: scene.run.mark('refused'), uploaded_file: 'no file' }
    return { input: { path: { credential_id }, body }, watched: { credential: [credential_id] } }
  },
  async linkCredential(scene) {
    const connector_id = await scene.own('connector')
    const credential_id = await newCredential(scene, connector_id)
    return {
      input: { path: { connector_id, credential_id }, body: { name: scene.run.mark('refused'), groups: 'none' } },
      watched: { connector: [connector_id], credential: [credential_id] }
    }
  }
}

/** A row does not exist. */
const missing: RefusedRequests = {
  async createChatSession({ run }) {
    return { input: { body: { description: run.mark('refused'), project_id: unknownNumber } } }
  },
  async deleteChatSession() {
    return { input: { path: { session_id: unknownUuid } } }
  },
  async updatePersona(scene) {
    return { input: await changed(scene, { tool_ids: [unknownNumber] }) }
  },
  async deletePersona() {
    return { input: { path: { persona_id: unknownNumber } } }
  },
  async linkCredential(scene) {
    const connector_id = await scene.own('connector')
    const input = { path: { connector_id, credential_id: unknownNumber }, body: { name: scene.run.mark('refused') } }
    return { input, watched: { connector: [connector_id] } }
  },
  async unlinkCredential(scene) {
    const connector_id = await scene.own('connector')
    const input = { path: { connector_id, credential_id: unknownNumber } }
    return { input, watched: { connector: [connector_id] } }
  },
  async setProjectInstructions({ run }) {
    return { input: { path: { project_id: unknownNumber }, body: { instructions: run.mark('refused') } } }
  },
  async linkFile(scene) {
    return { input: { path: { project_id: await scene.own('project'), file_id: unknownUuid } } }
  },
  async deleteFile() {
    return { input: { path: { file_id: unknownUuid } } }
  }
}

/** A change of an agent's texts with something wrong in it. */
async function changed(scene: Scene, wrong: JsonObject): Promise<Input> {
  const { path, before } = await ownAgent(scene)
  const text = scene.run.mark('refused')
  scene.undo.push(async () => {
    const { name } = await scene.must('getPersona', { path })
    if (name === text) await scene.ask('updatePersona', { path, body: wholeBody(before) }, 'admin', 'unknown-reference')
  })
  return { path, body: { ...wholeBody(before), name: text, description: text, system_prompt: text, ...wrong } }
}

/** A refused request changes nothing, not even in part. */
export const refusalPlays: Play[] = [...Object.entries(wrongs), ...Object.entries(missing)].map(([id, prepare]) =>
  changing(`what ${id} leaves where it refuses a request`, [id], (scene) =>
    leavesTheRest(scene, id, async () => {
      const { input, watched = {} } = await prepare(scene)
      let status = 0
      return {
        watched,
        act: async () => {
          status = (await scene.ask(id, input, 'admin', 'missing')).reply.status
        },
        // An accepted request is judged by other checks. A deletion of nothing changes nothing, whatever its answer.
        isMeant: (place) =>
          (status < 300 && !id.startsWith('delete')) || (isOf(place, 'getIndexingStatus') && id !== 'linkCredential')
      }
    })
  )
)
