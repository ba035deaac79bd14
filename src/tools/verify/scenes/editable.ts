import type { CredentialSnapshot } from '../../../apis/knowledge-chat/types.gen.js'
import { isObject } from '../../../engine/contract/load.js'
import type { Asker } from '../calls/client.js'
import { Stopped } from '../calls/patience.js'
import { newCredential } from './any/effects.js'
import { changing, type Play, reading, type Scene } from './any/scene.js'

const id = 'listSimilarCredentials'

/** Names that services give to the boolean, which the description does not show. */
const candidates = ['get_editable', 'only_editable', 'editable', 'editable_only', 'is_editable', 'getEditable']

/** Their spellings of true and false, which the description does not show either. */
const spellings = [
  ['true', 'false'],
  ['True', 'False'],
  ['1', '0'],
  ['yes', 'no'],
  ['on', 'off']
] as const

/** The boolean as the server reads it. */
interface Flag {
  name: string
  yes: string
  no: string
}

/** E11: "when true, only editable credentials are returned". */
export const editablePlays: Play[] = [
  reading('similar credentials that can be edited', [id], async (scene) => {
    const flag = await flagOf(scene)
    const askers: Asker[] = scene.run.settings.userToken === undefined ? ['admin'] : ['admin', 'user']
    for (const source of await sourcesOf(scene)) {
      for (const as of askers) {
        const all = await listed(scene, source, flag.name, flag.no, as)
        const editable = await listed(scene, source, flag.name, flag.yes, as)
        if (!all || !editable) continue
        const ids = new Set(all.map((row) => row.id))
        const more = editable.find((it) => it.source !== source || !ids.has(it.id))
        const expected = `with ${flag.name}=${flag.yes} none but those of ${flag.name}=${flag.no}`
        scene.check('filter_respected', id, more === undefined, expected, `the credential ${more?.id} too`)
      }
    }
  }),
  changing('a credential of one’s own among those that can be edited', [id], async (scene) => {
    const { name, yes } = await flagOf(scene)
    const own = await newCredential(scene)
    const editable = await listed(scene, 'web', name, yes)
    const isThere = editable?.some((it) => it.id === own) ?? true
    scene.check('filter_respected', id, isThere, `the credential ${own}, which was just made, with ${name}=${yes}`)
  })
]

/** Learns the name of the boolean and its spelling: a server that knows the name refuses a bad value. */
async function flagOf(scene: Scene): Promise<Flag> {
  const { run } = scene
  const told = run.hints?.query(run, id).filter(({ name, type }) => type === 'boolean' || /edit/i.test(name)) ?? []
  const names = told.length > 0 ? told.map((it) => it.name) : candidates
  let refused: string | undefined
  for (const name of names) {
    const { status } = (await asked(scene, 'web', name, 'kcm-verify')).reply
    if (status === 401 || status === 403) throw new Stopped(`the token may not call it (${status})`, true)
    if (status !== 422) continue
    refused = name
    // A name that is refused with every value is one that the server does not know.
    for (const [yes, no] of spellings) {
      if ((await asked(scene, 'web', name, yes)).reply.status >= 300) continue
      if (yes !== 'true') run.answers.add('credential.editable-spelling', yes, `${name}=${yes}`)
      return { name, yes, no }
    }
  }
  const [own] = told
  if (own && refused === undefined) {
    scene.check('negative_data_rejection', id, false, `422: ${own.name} is a boolean, as the server says itself`)
  }
  if (own && refused !== undefined) {
    scene.check('positive_data_acceptance', id, false, `a success of ${refused}=true, True, 1, yes or on`)
    throw new Stopped()
  }
  throw new Stopped(`the name of ${id}'s boolean is not known: the description does not show it`)
}

function asked(scene: Scene, source_type: string, name: string, value: string, as: Asker = 'admin') {
  return scene.ask(id, { path: { source_type }, query: { [name]: value } }, as)
}

async function listed(scene: Scene, source: string, name: string, value: string, as: Asker = 'admin') {
  const { status, body } = (await asked(scene, source, name, value, as)).reply
  return status < 300 ? (body as CredentialSnapshot[]) : undefined
}

/** Sources that have credentials. */
async function sourcesOf(scene: Scene): Promise<string[]> {
  const body = (await scene.run.tried('listCredentials', {}))?.reply.body
  const rows = Array.isArray(body) ? body.filter(isObject) : []
  return [...new Set(['web', ...rows.map((it) => String(it.source))])].slice(0, 3)
}
