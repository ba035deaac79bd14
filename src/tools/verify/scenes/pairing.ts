import type { ConnectorSnapshot, StatusResponse } from '../../../apis/knowledge-chat/types.gen.js'
import type { Reply } from '../calls/client.js'
import { type Id, unknownNumber } from '../kinds.js'
import { newCredential } from './any/effects.js'
import { changing, type Play, type Scene } from './any/scene.js'

type Pair = { connector_id: Id; credential_id: number }

/** E13 and E14: an association is created once, and can be removed. */
export const pairingPlays: Play[] = [
  changing(
    'a credential is associated with a connector, again, and not any more',
    ['linkCredential', 'unlinkCredential', 'getConnector', 'getIndexingStatus'],
    async (scene) => {
      const { run } = scene
      const path = await newPair(scene)
      const name = run.mark('pair')
      const first = await scene.must('linkCredential', linkInput(path, name))
      scene.check('values_read_back', 'linkCredential', first.success, 'success true: the association is new')
      await once(scene, path, name)
      const { data, access_type } = await reported(scene, name)
      const isRequired = run.needs.has('linkCredential', 'access_type')
      if (!isRequired && access_type) run.answers.add('pairing.access-type', access_type, scene.title)
      const { reply } = await scene.ask('linkCredential', linkInput(path, name), 'admin', 'missing')
      run.answers.add('pairing.repeated', outcomeOf(reply), scene.title)
      const ofConnector = (it: unknown) => it !== data && it === path.connector_id
      const later = ofConnector((reply.body as Partial<StatusResponse> | null | undefined)?.data)
        ? 'connector-when-repeated'
        : 'association'
      run.answers.add('pairing.data', ofConnector(first.data) ? 'connector' : later, scene.title)
      await once(scene, path, name)
      const ended = await scene.must('unlinkCredential', { path })
      scene.check('values_read_back', 'unlinkCredential', ended.success, 'success true: it was associated')
      const isGone = (await timesOf(scene, path)) === 0
      scene.check('use_after_free', 'unlinkCredential', isGone, 'a connector without the credential')
      const gone = (await reported(scene, name)).times === 0
      scene.check('use_after_free', 'getIndexingStatus', gone, `no pair named ${name}`)
      const again = (await scene.ask('unlinkCredential', { path }, 'admin', 'not-associated')).reply
      run.answers.add('pairing.absent', outcomeOf(again), scene.title)
    }
  ),
  changing(
    'a credential is associated by six requests at the same time',
    ['linkCredential', 'getConnector', 'getIndexingStatus'],
    async (scene) => {
      const path = await newPair(scene)
      const name = scene.run.mark('race')
      const input = linkInput(path, name)
      // Learns required fields first, so that the race starts without an association.
      await scene.run.ask('linkCredential', { path: { ...path, connector_id: unknownNumber }, body: input.body })
      const told = await scene.atOnce(6, () => ['linkCredential', input, 'admin', 'missing'])
      const made = told.filter(({ reply }) => reply.status < 300 && (reply.body as StatusResponse).success).length
      const isTrue = made === 1 || made === 6
      scene.check('association_idempotence', 'linkCredential', isTrue, 'one of six that made it', `${made} that say so`)
      await once(scene, path, name)
      await scene.must('unlinkCredential', { path })
    }
  )
]

async function newPair(scene: Scene): Promise<Pair> {
  const connector_id = await scene.own('connector')
  return { connector_id, credential_id: await newCredential(scene, connector_id, 'pairing') }
}

/** How the server answers a call that has nothing to change. */
function outcomeOf({ status, body }: Reply): string {
  if (status >= 300) return String(status)
  return (body as StatusResponse).success ? 'successful' : 'unsuccessful'
}

function linkInput(path: Pair, name: string) {
  return { path: { ...path }, body: { name, groups: [] } }
}

/** The association must appear once, wherever it is shown. */
async function once(scene: Scene, path: Pair, name: string): Promise<void> {
  const times = await timesOf(scene, path)
  scene.check('ensure_resource_availability', 'linkCredential', times > 0, 'a connector with the credential')
  scene.check('association_idempotence', 'linkCredential', times < 2, 'the credential once', `${times} times`)
  const pairs = (await reported(scene, name)).times
  // The description does not say that E16 shows it at once, or by the name given in E13.
  if (pairs === 0) scene.run.results.couldNot('getIndexingStatus', `the pair ${name}`, 'it shows none of that name')
  scene.check('association_idempotence', 'linkCredential', pairs < 2, `the pair ${name} once`, `${pairs} times`)
}

async function timesOf(scene: Scene, { connector_id, credential_id }: Pair): Promise<number> {
  const { credential_ids } = (await scene.must('getConnector', { path: { connector_id } })) as ConnectorSnapshot
  return credential_ids.filter((id) => id === credential_id).length
}

async function reported(scene: Scene, name: string) {
  const body = { name_filter: name, get_all_connectors: true }
  const groups = await scene.must('getIndexingStatus', { body })
  const pairs = groups.flatMap((group) => group.indexing_statuses).filter((item) => item.name === name)
  const [pair] = pairs
  const isPair = pair && 'cc_pair_id' in pair
  return {
    times: pairs.length,
    data: isPair ? pair.cc_pair_id : null,
    access_type: isPair ? pair.access_type : undefined
  }
}
