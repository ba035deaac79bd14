import type { Id } from '../rows.js'
import { Stopped } from '../stopped.js'
import { differences, type World, worldOf } from '../world.js'
import type { Play, Scene } from './scene.js'

/** A call that changes something, and where it is meant to. */
interface Write {
  id: string
  /** Makes the call; gives what is meant to differ afterwards. Without: there is no row for it. */
  act(scene: Scene): Promise<((place: string[]) => boolean) | undefined>
}

const has = (id: Id) => (place: string[]) => place.some((step) => step.toLowerCase() === String(id).toLowerCase())
const about = (id: Id, field: string) => (place: string[]) => has(id)(place) && place.includes(field)
const either =
  (...tests: ((place: string[]) => boolean)[]) =>
  (place: string[]) =>
    tests.some((test) => test(place))
const sessions = (place: string[]) => (place[0] as string).startsWith('listChatSessions')
const indexing = (place: string[]) => (place[0] as string).startsWith('getIndexingStatus')

const credential = (scene: Scene, source = 'web') => ({
  credential_json: { api_token: 'made-up' },
  admin_public: true,
  source,
  name: scene.run.mark('effect')
})

/** Each with rows of its own, or rows that may be changed. */
const writes: Write[] = [
  {
    id: 'createChatSession',
    async act(scene) {
      const body = await scene.must('createChatSession', { body: { description: scene.run.mark('effect') } })
      scene.run.made('createChatSession', body)
      // A list of so many at most loses its last.
      return either(has(body.chat_session_id), sessions)
    }
  },
  {
    id: 'deleteChatSession',
    async act(scene) {
      const ids: string[] = []
      for (let n = 0; n < 3; n++) {
        const body = await scene.must('createChatSession', { body: { description: scene.run.mark('effect') } })
        scene.run.made('createChatSession', body)
        ids.push(body.chat_session_id)
      }
      const [first, second, third] = ids as [string, string, string]
      await scene.must('deleteChatSession', { path: { session_id: second } })
      const left = (await scene.must('listChatSessions')).sessions.map((session) => session.id.toLowerCase())
      const isLeft = [first, third].every((id) => left.includes(id.toLowerCase()))
      scene.check('others_untouched', 'deleteChatSession', isLeft, `the sessions ${first} and ${third} still there`)
      return either(...ids.map(has), sessions)
    }
  },
  {
    id: 'createCredential',
    async act(scene) {
      return has((await scene.must('createCredential', { body: credential(scene) })).id)
    }
  },
  {
    id: 'replacePrivateKey',
    async act(scene) {
      const { id } = await scene.must('createCredential', { body: credential(scene) })
      const [example] = Object.values(scene.rows.examplesOf(scene.run.operation('replacePrivateKey')))
      await scene.ask('replacePrivateKey', { path: { credential_id: id }, body: example?.body }, 'admin', 'bad-file')
      return has(id)
    }
  },
  {
    id: 'unlinkCredential',
    async act(scene) {
      const connector_id = await scene.own('connector', 'getConnector')
      const connector = await scene.must('getConnector', { path: { connector_id } })
      const source = 'source' in connector ? connector.source : 'web'
      const ids: number[] = []
      for (let n = 0; n < 2; n++) {
        const { id } = await scene.must('createCredential', { body: credential(scene, source) })
        await scene.must('linkCredential', {
          path: { connector_id, credential_id: id },
          body: { name: scene.run.mark('effect') }
        })
        ids.push(id)
      }
      const [first, second] = ids as [number, number]
      await scene.must('unlinkCredential', { path: { connector_id, credential_id: first } })
      const after = await scene.must('getConnector', { path: { connector_id } })
      const isLeft = 'credential_ids' in after && after.credential_ids.includes(second)
      scene.check('others_untouched', 'unlinkCredential', isLeft, `the credential ${second} still associated`)
      await scene.must('unlinkCredential', { path: { connector_id, credential_id: second } })
      return either(...ids.map(has), indexing)
    }
  },
  {
    id: 'uploadConnectorFiles',
    async act(scene) {
      const file = { 'x-file': { name: 'effect.txt', type: 'text/plain', text: 'effect' } }
      await scene.must('uploadConnectorFiles', { body: { files: [file] } })
      return () => false
    }
  },
  {
    id: 'inviteUsers',
    async act(scene) {
      await scene.ask('inviteUsers', { body: { emails: [`${scene.run.mark('effect')}@example.com`] } })
      return () => false
    }
  },
  {
    id: 'setProjectInstructions',
    async act(scene) {
      const project_id = await scene.own('project', 'getProjectDetails')
      const path = { project_id }
      const before = (await scene.must('getProjectDetails', { path })).project.instructions
      await scene.must('setProjectInstructions', { path, body: { instructions: scene.run.mark('effect') } })
      scene.undo.push(async () => {
        await scene.must('setProjectInstructions', { path, body: { instructions: before ?? '' } })
      })
      return about(project_id, 'instructions')
    }
  },
  {
    id: 'updatePersona',
    async act(scene) {
      const persona_id = await scene.own('persona', 'getPersona')
      const path = { persona_id }
      const { name, builtin_persona } = await scene.must('getPersona', { path })
      if (builtin_persona || scene.run.needs.any('updatePersona')) return undefined
      await scene.must('updatePersona', { path, body: { name: scene.run.mark('effect') } })
      scene.undo.push(async () => {
        await scene.must('updatePersona', { path, body: { name } })
      })
      return (place) => place[1] === String(persona_id) && (place[0] as string).startsWith('getPersona')
    }
  },
  {
    id: 'linkFile',
    async act(scene) {
      const project_id = await scene.own('project', 'getProjectDetails')
      const file_id = await scene.own('file', 'getFile')
      await scene.must('linkFile', { path: { project_id, file_id } })
      const isFile = has(file_id)
      // Other projects have it or not as before; only what it says of itself may differ there.
      const isElsewhere = (place: string[]) =>
        (place[0] as string).startsWith('getProjectDetails') &&
        place[1] !== String(project_id) &&
        !place.includes('project_id')
      return (place) => isFile(place) && !isElsewhere(place)
    }
  }
]

/** After each call that changes something, all else that can be read is as it was before. */
export const effectPlays: Play[] = writes.map((write) => ({
  title: `what ${write.id} changes, and nothing else`,
  operations: [write.id],
  mutating: true,
  async play(scene) {
    let before: World = await worldOf(scene.run, scene.rows)
    for (let look = 1; look <= 2; look++) {
      const isMeant = await write.act(scene)
      if (!isMeant) throw new Stopped('no row is known for which the server shows what changed')
      const after = await worldOf(scene.run, scene.rows)
      const found = differences(before, after, isMeant)
      for (const undo of scene.undo.splice(0)) await undo()
      // Somebody else may have changed it meanwhile: what the same call does again counts. A link is made only once.
      if (found.length > 0 && look === 1 && write.id !== 'linkFile') {
        before = await worldOf(scene.run, scene.rows)
        continue
      }
      const expected = `nothing changed but what ${write.id} names`
      scene.check('others_untouched', write.id, found.length === 0, expected, found.slice(0, 3).join('; '))
      return
    }
  }
}))
