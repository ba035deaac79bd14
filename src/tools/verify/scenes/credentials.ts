import type { CredentialSnapshot, Operations } from '../../../apis/knowledge-chat/types.gen.js'
import type { JsonObject } from '../../../engine/contract/load.js'
import { changing, type Play, reading, type Scene } from './any/scene.js'

const secret = 'kcm-verify-made-up-key'

/** Sources without a third party, because some of those have no credentials. */
const sources = ['web', 'file', 'imap', 'ingestion_api', 'not_applicable', 'mock_connector', 'user_file']

/** E8 to E12. */
export const credentialPlays: Play[] = [
  changing(
    'a credential is stored, found and given a key',
    ['createCredential', 'getCredential', 'listCredentials', 'listSimilarCredentials', 'replacePrivateKey'],
    async (scene) => {
      const body = {
        credential_json: { api_token: secret },
        admin_public: true,
        source: 'web',
        name: scene.run.mark('credential')
      }
      const { id, credential } = await scene.must('createCredential', { body })
      sameAs(scene, 'createCredential', credential, { ...body, id })
      const shown = credential.credential_json.api_token
      scene.run.answers.add('credential.masking', shown === secret ? 'plain' : 'masked', 'createCredential')
      await readBack(scene, { ...body, id })
      const listed = await scene.must('listCredentials')
      once(scene, 'listCredentials', listed, id)
      await steady(scene, id)
      await publicOnly(scene, { ...body, admin_public: false, curator_public: false })
      const similar = await scene.must('listSimilarCredentials', { path: { source_type: 'web' } })
      once(scene, 'listSimilarCredentials', similar, id)
      await maskedAlike(scene, id, [
        ['createCredential', credential],
        ['listCredentials', listed.find((it) => it.id === id)],
        ['listSimilarCredentials', similar.find((it) => it.id === id)]
      ])
      await replaceKey(scene, id, body)
    }
  ),
  reading(
    'listed credentials are found',
    ['listCredentials', 'listSimilarCredentials', 'getCredential'],
    async (scene) => {
      const listed = await scene.must('listCredentials')
      scene.unique('listCredentials', listed)
      for (const credential of listed.slice(0, 5)) {
        const { id, source, name, admin_public } = credential
        await readBack(scene, { id, source, ...(name !== undefined && { name }), admin_public })
      }
      for (const source_type of sources) {
        const similar = await scene.must('listSimilarCredentials', { path: { source_type } })
        scene.unique('listSimilarCredentials', similar)
        const isOne = similar.every(({ source }) => source === source_type)
        const expected = `only credentials of the source ${source_type}`
        scene.check('filter_respected', 'listSimilarCredentials', isOne, expected)
      }
    }
  )
]

/** Its creation time is the same each time. */
async function steady(scene: Scene, credential_id: number): Promise<void> {
  const [first, second] = [await timeOf(scene, credential_id), await timeOf(scene, credential_id)]
  const expected = `the time_created ${first} each time`
  scene.check('values_read_back', 'getCredential', first === second, expected, `then ${second}`)
}

async function timeOf(scene: Scene, credential_id: number): Promise<string | undefined> {
  const read = await scene.must('getCredential', { path: { credential_id } })
  return 'time_created' in read ? read.time_created : undefined
}

/** E10 lists public credentials. Others may appear only if the server is known to list all visible ones. */
async function publicOnly(scene: Scene, body: JsonObject): Promise<void> {
  const { run } = scene
  const made = await scene.may('createCredential', { body: { ...body, name: run.mark('private') } })
  if (!made) return
  const { id } = made
  const isListed = (await scene.must('listCredentials')).some((credential) => credential.id === id)
  const mayBe = run.isMock || run.readings.choices['credential.admin-list'] === 'visible'
  if (mayBe) return run.answers.add('credential.admin-list', isListed ? 'visible' : 'admin-public', scene.title)
  scene.check('filter_respected', 'listCredentials', !isListed, `no credential ${id}: it is not public`)
}

/** A value that one operation masks must be masked by all others for the same user. */
async function maskedAlike(scene: Scene, id: number, shown: [string, object | undefined][]): Promise<void> {
  const read = await scene.must('getCredential', { path: { credential_id: id } })
  const all = [...shown, ['getCredential', read] as const].filter(([, row]) => row && 'credential_json' in row)
  const showing = all.filter(([, row]) => JSON.stringify(row).includes(secret))
  if (showing.length === all.length) return
  const masking = all.filter(([, row]) => !JSON.stringify(row).includes(secret)).map(([operation]) => operation)
  for (const [operation] of all) {
    const shows = showing.some(([it]) => it === operation)
    const got = `the secret, which ${masking.join(' and ')} does not show`
    scene.check('secrets_hidden', operation, !shows, 'what credential_json holds masked, as elsewhere', got)
  }
}

type Fields = Record<string, unknown>

async function readBack(scene: Scene, expected: Fields & { id: number }): Promise<void> {
  const read = await scene.must('getCredential', { path: { credential_id: expected.id } })
  const isThere = !('success' in read)
  scene.check('ensure_resource_availability', 'getCredential', isThere, `the credential ${expected.id}`)
  if (isThere) sameAs(scene, 'getCredential', read, expected)
}

/** The sent values must be shown, except for secrets. */
function sameAs(scene: Scene, operation: string, row: object, { credential_json: _, ...expected }: Fields): void {
  const shown = row as Fields
  const differing = Object.keys(expected).filter((name) => (shown[name] ?? null) !== (expected[name] ?? null))
  const wanted = differing.map((name) => `${name} ${JSON.stringify(expected[name])}`).join(', ')
  scene.check('values_read_back', operation, differing.length === 0, wanted)
}

function once(scene: Scene, operation: string, list: CredentialSnapshot[], id: number): void {
  const times = list.filter((credential) => credential.id === id).length
  scene.check('ensure_resource_availability', operation, times > 0, `the credential ${id}`, 'a list without it')
  scene.check('unique_rows', operation, times < 2, `the credential ${id} once`, `${times} of it`)
}

async function replaceKey(scene: Scene, id: number, { source, admin_public }: Fields): Promise<void> {
  const [example] = Object.values(scene.run.operation('replacePrivateKey').examples)
  const name = `${scene.run.mark('key')} é`
  const form = { ...(example?.body as object), name, credential_json: JSON.stringify({ api_token: secret }) }
  const told = await scene.ask('replacePrivateKey', { path: { credential_id: id }, body: form }, 'admin', 'bad-file')
  if (told.reply.status >= 300) {
    const why = `the server takes no key that is made up (${told.reply.status})`
    return scene.run.results.couldNot('replacePrivateKey', scene.title, why)
  }
  const replaced = told.reply.body as Operations['replacePrivateKey']['reply']
  sameAs(scene, 'replacePrivateKey', replaced, { name, source, admin_public })
  // A server may hide even the names of secrets.
  const names = Object.keys(replaced.credential_json)
  const hasKey = names.length === 0 || names.includes('private_key')
  scene.check('values_read_back', 'replacePrivateKey', hasKey, 'credential_json with the key private_key')
  await maskedAlike(scene, id, [['replacePrivateKey', replaced]])
  await readBack(scene, { id, name, source, admin_public })
  const note = { 'x-file': { name: 'note.txt', type: 'text/plain', text: 'no key' } }
  const input = { path: { credential_id: id }, body: { ...form, uploaded_file: note } }
  const { reply } = await scene.ask('replacePrivateKey', input, 'admin', 'bad-file')
  scene.run.answers.add('credential.private-key', reply.status < 300 ? 'any-file' : 'pkcs12', 'a text as the key file')
}
