import { isObject, type Json, type JsonObject } from '../../../engine/contract/load.js'
import { inMap } from '../../../engine/contract/once.js'
import type { Id } from '../../../tools/verify/api.js'
import type { Exchange } from '../../../tools/verify/calls/client.js'
import { locsOf } from '../../../tools/verify/learn/readings.js'
import { changeable, texts } from '../../../tools/verify/phases/hostile.js'
import type { KnownRows } from '../../../tools/verify/rows.js'
import type { Run } from '../../../tools/verify/run.js'
import type { Operations } from '../types.gen.js'
import type { Scene } from './scene.js'

type Created = Operations['createCredential']['reply']

/** A credential of the run, with what was sent. */
export interface OwnCredential extends Created {
  sent: JsonObject
  as: 'admin' | 'user'
}

interface Pool {
  credentials: OwnCredential[]
  /** The requests that created the first ones, with refused ones. Of these, `isPlain` must be accepted. */
  requests: { exchange: Exchange; sent: JsonObject; isPlain: boolean }[]
  /** Groups that a credential shows, which proves that the server has groups. */
  groups: number[]
}

/** No operation deletes credentials, so all plays share a few of them. */
const pools = new WeakMap<Run, Pool>()

export const secret = 'kcm-verify-made-up-key'

export function poolOf(run: Run): Pool {
  return inMap(pools, run, () => ({ credentials: [], requests: [], groups: [] }))
}

/** A credential with a name that no other one has. Private ones are seen by their owners only. */
export function credentialBody(run: Run, source: string, admin_public = true): JsonObject {
  const name = run.mark('credential')
  // Their keys differ, so that one that shows up in another is found.
  return { credential_json: { [`${name}_token`]: `${secret}-${name}` }, admin_public, source, name }
}

/** Two public credentials, of the source of the connector that may be changed, and a private one with unusual texts. */
export async function createCredentials(run: Run, rows: KnownRows): Promise<void> {
  const [connector_id] = rows.own('connector')
  const path = connector_id === undefined ? undefined : { connector_id }
  const connector = path && (await run.tried('getConnector', { path }))?.reply.body
  const source = isObject(connector) && typeof connector.source === 'string' ? connector.source : 'web'
  const { credentials, groups } = poolOf(run)
  const listed = (await run.tried('listCredentials', {}))?.reply.body
  const shown = (Array.isArray(listed) ? listed : []).flatMap((it) => (isObject(it) && it.groups) || [])
  groups.push(...new Set((shown as number[]).slice(0, 2)))
  const [usual, open] = [credentialBody(run, source), credentialBody(run, source)]
  const plain = { ...usual, name: `${usual.name} 東京 é` }
  const name = `${changeable}${open.name}${changeable}`
  await Promise.all([
    create(run, plain, true),
    create(run, { ...open, name, curator_public: true, ...(groups.length > 0 && { groups }) }),
    createUnusual(run)
  ])
  // A server may refuse several at the same time.
  if (!credentials.some(({ sent }) => sent === plain)) await create(run, plain, true)
  for (const { id, credential } of credentials.toReversed()) rows.add('credential', id, credential as never)
}

/** Of all unusual texts, leaves out the worst until the server accepts the rest. */
async function createUnusual(run: Run): Promise<void> {
  const worst = ['ten thousand characters', 'a NUL', 'half of a surrogate pair']
  const base: JsonObject = { ...credentialBody(run, 'imap', false), curator_public: false }
  const values: JsonObject = {
    ...(base.credential_json as JsonObject),
    '': 1,
    Rate: 1.5,
    large: 9_007_199_254_740_991,
    list: [1, ['a', null], []],
    map: { a: { b: null } },
    none: null,
    yes: true,
    no: false
  }
  const names = [...worst.keys(), worst.length].map((count) => {
    const some = Object.entries(texts).filter(([what]) => !worst.slice(0, count).includes(what))
    return `${base.name} ${some.map(([, text]) => text).join(' ')}`
  })
  names.push(base.name as string)
  for (const name of names) if (await create(run, { ...base, name, credential_json: values })) return
  const credential_json = await acceptedOf(run, base, values)
  for (const name of names) if (await create(run, { ...base, name, credential_json })) return
  await create(run, base)
}

/** The values that the server does not refuse, each sent together with a wrong field, so that nothing is created. */
async function acceptedOf(run: Run, base: JsonObject, values: JsonObject): Promise<JsonObject> {
  const accepted: JsonObject = {}
  for (const [name, value] of Object.entries(values)) {
    const body = { ...base, credential_json: { [name]: value }, curator_public: {} }
    const exchange = await run.tried('createCredential', { body })
    const isRefused = !exchange || locsOf(exchange).every((loc) => loc.includes('credential_json'))
    if (!isRefused) accepted[name] = value
  }
  return accepted
}

async function create(run: Run, sent: JsonObject, isPlain = false): Promise<boolean> {
  const exchange = await run.tried('createCredential', { body: sent })
  if (!exchange) return false
  const { requests, credentials } = poolOf(run)
  requests.push({ exchange, sent, isPlain })
  const { status, body } = exchange.reply
  if (status >= 300 || !isObject(body) || typeof body.id !== 'number' || !isObject(body.credential)) return false
  credentials.push({ ...(body as unknown as Created), sent, as: 'admin' })
  return true
}

/** Creates one more, with the name of another one if the server takes it twice. */
export async function newCredential(scene: Scene, source: string, name?: Json, isPublic = true) {
  const sent = credentialBody(scene.run, source, isPublic)
  const same = { ...sent, ...(name !== undefined && { name }) }
  const snapshot = name === undefined ? undefined : await scene.may('createCredential', { body: same })
  if (snapshot) return added(scene, same, 'admin', snapshot)
  return added(scene, sent, 'admin', await scene.must('createCredential', { body: sent }))
}

function added(scene: Scene, sent: JsonObject, as: OwnCredential['as'], { id, credential }: Created): OwnCredential {
  const own = { id, sent, credential, as }
  const { credentials } = poolOf(scene.run)
  credentials.push(own)
  scene.unique('createCredential', credentials)
  return own
}

/** Two public credentials, of the source of a connector if one is given. */
export async function twoCredentials(scene: Scene, connector_id?: Id): Promise<[number, number]> {
  const source = connector_id === undefined ? undefined : await sourceOf(scene, connector_id)
  const isFit = ({ sent, as }: OwnCredential) =>
    as === 'admin' && sent.admin_public === true && (source ?? sent.source) === sent.source
  const ids = poolOf(scene.run)
    .credentials.filter(isFit)
    .map(({ id }) => id)
  while (ids.length < 2) ids.push((await newCredential(scene, source ?? 'web')).id)
  return ids.slice(0, 2) as [number, number]
}

/** A credential that only its owner sees. */
export async function privateCredential(scene: Scene): Promise<OwnCredential> {
  const credential = poolOf(scene.run).credentials.find(({ as, sent }) => as === 'admin' && sent.admin_public === false)
  return credential ?? newCredential(scene, 'imap', undefined, false)
}

/** One of the second user, whom a server may refuse to create any, one without a name and a key, or a public one. */
export async function theirCredential(scene: Scene): Promise<OwnCredential | undefined> {
  const credential = poolOf(scene.run).credentials.find(({ as }) => as === 'user')
  const [bare, ...usual] = [true, true, false].map((isPublic) => credentialBody(scene.run, 'imap', isPublic))
  delete bare?.name
  for (const sent of credential ? [] : [{ ...bare, credential_json: {} }, ...usual]) {
    const snapshot = await scene.may('createCredential', { body: sent }, undefined, 'user')
    if (snapshot) return added(scene, sent, 'user', snapshot)
  }
  return credential
}

export async function sourceOf(scene: Scene, connector_id: Id): Promise<string> {
  const connector = await scene.must('getConnector', { path: { connector_id } })
  return 'source' in connector ? connector.source : 'web'
}
