import type { JsonObject } from '../../../../contract/load.js'
import type { Input } from '../../calls/request.js'
import type { Watched } from '../../world.js'
import { wholeBody } from '../personas.js'
import { isOf, leavesTheRest } from './around.js'
import { newCredential } from './effects.js'
import type { Play, Scene } from './scene.js'

/** A request with one wrong field. Its other fields would change something. */
interface Wrong {
  input: Input
  watched?: Watched
}

const wrongs: { [id: string]: (scene: Scene) => Promise<Wrong> } = {
  async createChatSession({ run }) {
    return { input: { body: { description: run.mark('refused'), persona_id: {} } } }
  },
  async updatePersona(scene) {
    const path = { persona_id: await scene.own('persona', 'getPersona') }
    const before = await scene.must('getPersona', { path })
    const text = scene.run.mark('refused')
    const body = { ...wholeBody(before), name: text, description: text, num_chunks: {}, system_prompt: text }
    scene.undo.push(async () => {
      const { name } = await scene.must('getPersona', { path })
      if (name === text) await scene.ask('updatePersona', { path, body: wholeBody(before) })
    })
    return { input: { path, body } }
  },
  async setProjectInstructions(scene) {
    const path = { project_id: await scene.own('project', 'getProjectDetails') }
    const { instructions } = (await scene.must('getProjectDetails', { path })).project
    scene.undo.push(async () => {
      const now = (await scene.must('getProjectDetails', { path })).project.instructions
      if (now === instructions) return
      await scene.must('setProjectInstructions', { path, body: { instructions: instructions ?? '' } })
    })
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
    const connector_id = await scene.own('connector', 'getConnector')
    const credential_id = await newCredential(scene, connector_id)
    return {
      input: { path: { connector_id, credential_id }, body: { name: scene.run.mark('refused'), groups: 'none' } },
      watched: { connector: [connector_id], credential: [credential_id] }
    }
  }
}

/** 7.1: a rejected request changes nothing, not even in part. */
export const refusalPlays: Play[] = Object.entries(wrongs).map(([id, prepare]) => ({
  title: `what ${id} leaves where it refuses a request`,
  operations: [id],
  mutating: true,
  play: (scene) =>
    leavesTheRest(scene, id, async () => {
      const { input, watched = {} } = await prepare(scene)
      let status = 0
      return {
        watched,
        act: async () => {
          status = (await scene.ask(id, input, 'admin', 'missing')).reply.status
        },
        // An accepted request is judged by other checks. A new pair is scheduled by itself.
        isMeant: (place) => status < 300 || (isOf(place, 'getIndexingStatus') && id !== 'linkCredential')
      }
    })
}))
