import { isObject, type JsonObject } from '../../../engine/contract/load.js'
import { groupBy } from '../../../tools/texts.js'
import { type Id, unknownNumber } from '../../../tools/verify/api.js'
import type { Asker, Reply } from '../../../tools/verify/calls/client.js'
import { Stopped } from '../../../tools/verify/calls/patience.js'
import type { Input } from '../../../tools/verify/calls/request.js'
import { judgeInput } from '../../../tools/verify/inputs/inputs.js'
import { conforms } from '../../../tools/verify/judge.js'
import { changeable } from '../../../tools/verify/phases/hostile.js'
import type { CredentialSnapshot, StatusResponse } from '../types.gen.js'
import { pairsOf } from './indexing.js'
import { poolOf, privateCredential, secret, twoCredentials } from './pool.js'
import { changing, keyForm, type Play, reading, type Scene, withId } from './scene.js'

const similar = 'listSimilarCredentials'

/** Sources without a third party, because some of those have no credentials. */
const sources = ['web', 'file', 'imap', 'ingestion_api', 'not_applicable', 'mock_connector', 'user_file']

const finding = ['createCredential', 'getCredential', 'listCredentials', 'listSimilarCredentials']

/** E8: credentials that were created at the same time are stored and found. */
export const creationPlays: Play[] = [
  changing('credentials are created at the same time, stored and found', finding, async (scene) => {
    const { run, title } = scene
    const { requests, credentials } = poolOf(run)
    // Another finding, or the report, says why.
    if (requests.length === 0) throw new Stopped()
    for (const { exchange, sent, isPlain } of requests) {
      scene.note(exchange)
      const { status } = exchange.reply
      if (isPlain || status < 300) judgeInput(run, exchange, { body: sent }, { title })
      const { credential } = (exchange.reply.body ?? {}) as { credential?: CredentialSnapshot }
      if (status < 300 && credential) scene.isNew('createCredential', credential.time_created)
      else if (status >= 500 || status === 422) conforms(run, exchange, { title })
    }
    scene.unique('createCredential', credentials)
    const listed = await scene.must('listCredentials')
    const [full, empty]: [number[], number[]] = [[], []]
    for (const { id, sent, credential } of credentials) {
      const { credential_json: _, groups = [], ...others } = sent
      const fields = { curator_public: false, ...others, id, groups: inOrder(groups as number[]) }
      scene.shows('createCredential', withFlags(credential), fields)
      const read = await readBack(scene, fields)
      if (read) (Object.keys(read.credential_json).length > 0 ? full : empty).push(id)
      if (sent.admin_public) inList(scene, 'listCredentials', listed, id)
      else {
        await publicOnly(scene, id)
        const path = { source_type: sent.source as string }
        inList(scene, similar, await scene.must(similar, { path }), id)
      }
      for (const row of [credential, ...(read ? [read] : [])]) {
        const wrong = changedIn(sent.credential_json, row.credential_json)
        const expected = `the credential_json of the credential ${id}, whose texts may be masked`
        scene.check('values_read_back', 'createCredential', wrong === undefined, expected, wrong)
      }
    }
    const all = `names in credential_json, as for ${full.join(', ')}`
    const isShown = full.length === 0 || empty.length === 0
    scene.check('values_read_back', 'getCredential', isShown, all, `none for ${empty.join(', ')}`)
    const [own] = credentials.filter(({ sent }) => sent.admin_public)
    if (!own) throw new Stopped('no public credential could be created')
    const { id, credential, sent } = own
    const isPlain = JSON.stringify(credential.credential_json).includes(secret)
    scene.answer('credential.masking', isPlain ? 'plain' : 'masked', 'createCredential')
    const alike = await scene.must(similar, { path: { source_type: sent.source as string } })
    inList(scene, similar, alike, id)
    await maskedAlike(scene, id, [
      ['createCredential', credential],
      ['listCredentials', listed.find((it) => it.id === id)],
      [similar, alike.find((it) => it.id === id)]
    ])
  })
]

/** E9 to E12. */
export const credentialPlays: Play[] = [
  changing('a credential is given a key', ['getCredential', 'replacePrivateKey'], async (scene) => {
    const open = poolOf(scene.run).credentials.find(({ sent, as }) => as === 'admin' && sent.curator_public === true)
    await replaceKey(scene, open?.id ?? (await twoCredentials(scene))[0], (form) => form)
    // Fields come in any order.
    const reversed = (form: JsonObject) => Object.fromEntries(Object.entries(form).reverse())
    await replaceKey(scene, (await privateCredential(scene)).id, reversed)
  }),
  reading('listed credentials are found', finding.slice(1), async (scene) => {
    const rows = await scene.must('listCredentials')
    for (const { id } of rows.slice(0, 5)) await readBack(scene, { id })
    const owned = rows.filter(({ user_id, user_email }) => user_id && user_email)
    for (const [at, { user_id, user_email }] of owned.entries()) {
      const other = owned.slice(0, at).find((it) => (it.user_id === user_id) !== (it.user_email === user_email))
      const got = `${user_email} of ${user_id}, and ${other?.user_email} of ${other?.user_id}`
      scene.check('values_read_back', 'listCredentials', !other, 'one user_email for each user_id', got)
    }
    for (const source_type of sources) {
      const isOne = (await scene.must(similar, { path: { source_type } })).every(({ source }) => source === source_type)
      scene.check('filter_respected', similar, isOne, `only credentials of the source ${source_type}`)
    }
  })
]

/** Where it is not what was sent. A server may mask values and hide names, but what it shows is of the same kind. */
function changedIn(sent: unknown, shown: unknown, place = 'credential_json'): string | undefined {
  if (isObject(sent) && isObject(shown)) {
    const names = Object.keys(shown).length === 0 ? [] : Object.keys({ ...sent, ...shown })
    for (const name of names) {
      const [was, is]: unknown[] = [sent[name], shown[name]]
      const isHidden = is === undefined && typeof was === 'string'
      if (was === undefined || (is === undefined && !isHidden)) return `${place} with other names than "${name}"`
      const deeper = isHidden ? undefined : changedIn(was, is, `${place}.${name}`)
      if (deeper !== undefined) return deeper
    }
    return undefined
  }
  const isPlain = (value: unknown) => typeof value === 'number' || typeof value === 'boolean'
  const isOther = isPlain(sent) && isPlain(shown) && sent !== shown
  // An object as text.
  const isText =
    isObject(sent) && typeof shown === 'string' && Object.keys(sent).some((name) => shown.includes(`"${name}"`))
  return isOther || isText ? `${JSON.stringify(shown)} at ${place}` : undefined
}

const inOrder = (ids: readonly number[]) => ids.toSorted((a, b) => a - b)

/** A server may leave out what is false, and show groups in any order. */
function withFlags(row: CredentialSnapshot) {
  const { admin_public = false, curator_public = false, groups = [] } = row
  return { ...row, admin_public, curator_public, groups: inOrder(groups) }
}

/** E10 lists public credentials. Others may appear only if the server is known to list all visible ones. */
async function publicOnly(scene: Scene, id: number): Promise<void> {
  const { settings, readings } = scene.run
  const isListed = (await scene.must('listCredentials')).some((it) => it.id === id)
  const mayBe = settings.isMock || readings.choices['credential.admin-list'] === 'visible'
  if (mayBe) scene.answer('credential.admin-list', isListed ? 'visible' : 'admin-public')
  else scene.check('filter_respected', 'listCredentials', !isListed, `no credential ${id}: it is not public`)
}

/** A value that one operation masks must be masked by all others for the same user. */
async function maskedAlike(scene: Scene, id: number, shown: [string, object | undefined][]): Promise<void> {
  const read = await scene.must('getCredential', { path: { credential_id: id } })
  const rows = [...shown, ['getCredential', read] as const].filter(([, row]) => row && 'credential_json' in row)
  const isShowing = ([, row]: readonly [string, object | undefined]) => JSON.stringify(row).includes(secret)
  if (rows.every(isShowing)) return
  const masking = rows.filter((it) => !isShowing(it)).map(([operation]) => operation)
  for (const [operation, row] of rows) {
    const expected = 'the content of credential_json masked, as in other replies'
    const got = `the secret, which ${masking.join(' and ')} does not show`
    scene.check('secrets_hidden', operation, !isShowing([operation, row]), expected, got)
  }
}

async function readBack(scene: Scene, expected: Record<string, unknown> & { id: number }) {
  const read = await scene.must('getCredential', { path: { credential_id: expected.id } })
  const isThere = !('success' in read)
  scene.check('ensure_resource_availability', 'getCredential', isThere, `the credential ${expected.id}`)
  if (!isThere) return undefined
  scene.shows('getCredential', withFlags(read), expected)
  return read
}

function inList(scene: Scene, operation: string, list: CredentialSnapshot[], id: number): void {
  const isThere = list.some((credential) => credential.id === id)
  scene.check('ensure_resource_availability', operation, isThere, `the credential ${id}`, 'a list without it')
}

async function replaceKey(scene: Scene, id: number, ordered: (form: JsonObject) => JsonObject): Promise<void> {
  const name = `${changeable}${scene.mark('key')}${changeable}`
  const form = ordered({ ...keyForm(scene, 'key'), name, credential_json: JSON.stringify({ api_token: secret }) })
  const path = { credential_id: id }
  const before = (await scene.must('getCredential', { path })) as CredentialSnapshot
  const { reply } = await scene.ask('replacePrivateKey', { path, body: form }, 'bad-file')
  if (reply.status >= 300) {
    return scene.couldNot('replacePrivateKey', `the server does not accept a generated key (${reply.status})`)
  }
  const replaced = reply.body as CredentialSnapshot
  const { source, admin_public, curator_public = false } = before
  const expected = { name, source, admin_public, curator_public }
  scene.shows('replacePrivateKey', withFlags(replaced), expected)
  await maskedAlike(scene, id, [['replacePrivateKey', replaced]])
  const read = await readBack(scene, { id, ...expected })
  for (const row of [replaced, ...(read ? [read] : [])]) {
    // A server may hide even the names of secrets.
    const names = Object.keys(row.credential_json)
    const areNew = names.length === 0 || ['private_key', 'api_token'].every((it) => names.includes(it))
    scene.check('values_read_back', 'replacePrivateKey', areNew, 'credential_json with private_key and api_token')
  }
  for (const credential_json of [`{"api_token": "${secret}"`, '[]']) {
    const wrong = { path, body: { ...form, credential_json } }
    await scene.refused('negative_data_rejection', 'replacePrivateKey', wrong, '422: credential_json is not an object')
  }
  const note = { 'x-file': { name: 'note.txt', type: 'text/plain', text: 'no key '.repeat(5000) } }
  const other = await scene.may('replacePrivateKey', { path, body: { ...form, uploaded_file: note } }, 'bad-file')
  scene.answer('credential.private-key', other ? 'any-file' : 'pkcs12', 'a text as the key file')
}

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

/** E11: "when true, only editable credentials are returned". */
export const editablePlays: Play[] = [
  reading('the credentials that can be edited', [similar], async (scene) => {
    const { name, yes, no } = await flagOf(scene)
    for (const source of await sourcesOf(scene)) {
      for (const as of scene.run.users) {
        const all = await listed(scene, source, name, no, as)
        const editable = await listed(scene, source, name, yes, as)
        // Another client may have created one in the meantime.
        const later = await listed(scene, source, name, no, as)
        const { reply } = await scene.ask(similar, { path: { source_type: source } }, undefined, as)
        if (!all || !editable || !later || reply.status >= 300) continue
        const plain = reply.body as CredentialSnapshot[]
        const lost = all.find(({ id }) => withId(later, id).length > 0 && withId(plain, id).length === 0)
        const closed = all.filter((it) => !it.admin_public && !it.curator_public && !scene.run.made.has(it.id))
        for (const { id } of closed.slice(0, 2)) {
          const read = await scene.may('getCredential', { path: { credential_id: id } }, 'missing', as)
          const isShown = read && !('success' in read)
          scene.check('filter_respected', similar, Boolean(isShown), `no credential ${id}: the caller cannot read it`)
        }
        const whole = `all credentials without ${name}`
        scene.check('filter_respected', similar, lost === undefined, whole, `not the credential ${lost?.id}`)
        const ids = new Set([...all, ...later].map((row) => row.id))
        const more = editable.find((it) => it.source !== source || !ids.has(it.id))
        const expected = `with ${name}=${yes} none but those of ${name}=${no}`
        scene.check('filter_respected', similar, more === undefined, expected, `the credential ${more?.id} too`)
      }
    }
  }),
  changing('a new credential is one that can be edited', [similar], async (scene) => {
    const { name, yes } = await flagOf(scene)
    const [own] = await twoCredentials(scene)
    const { source = 'web' } = poolOf(scene.run).credentials.find(({ id }) => id === own)?.sent ?? {}
    const isThere = (await listed(scene, String(source), name, yes))?.some((it) => it.id === own) ?? true
    const expected = `the credential ${own}, which was just created, with ${name}=${yes}`
    scene.check('filter_respected', similar, isThere, expected, undefined, { shownBy: similar, fault: 'lacks' })
  })
]

/** Learns the name of the boolean and its spelling: a server that knows the name refuses a bad value. */
async function flagOf(scene: Scene): Promise<{ name: string; yes: string; no: string }> {
  const { hints } = scene.run
  const documented = hints?.query(scene.run.operation(similar)) ?? []
  const names = documented.flatMap(({ name, type }) => (type === 'boolean' || /edit/i.test(name) ? [name] : []))
  let refused: string | undefined
  for (const name of names.length > 0 ? names : candidates) {
    const { status } = (await exchangeOf(scene, 'web', name, 'kcm-verify')).reply
    if (status === 401 || status === 403) throw new Stopped(`the token may not call it (${status})`, true)
    if (status !== 422) continue
    refused = name
    // A name that is refused with every value is one that the server does not know.
    for (const [yes, no] of spellings) {
      if ((await exchangeOf(scene, 'web', name, yes)).reply.status >= 300) continue
      if (yes !== 'true') scene.answer('credential.editable-spelling', yes, `${name}=${yes}`)
      return { name, yes, no }
    }
  }
  const [own] = names
  if (own !== undefined && refused === undefined) {
    scene.check('negative_data_rejection', similar, false, `422: ${own} is a boolean, as the server says itself`)
  }
  if (own !== undefined && refused !== undefined) {
    scene.check('positive_data_acceptance', similar, false, `a success of ${refused}=true, True, 1, yes or on`)
    throw new Stopped()
  }
  throw new Stopped(`the name of ${similar}'s boolean is not known: the description does not show it`)
}

function exchangeOf(scene: Scene, source_type: string, name: string, value: string, as?: Asker) {
  return scene.ask(similar, { path: { source_type }, query: { [name]: value } }, undefined, as)
}

async function listed(scene: Scene, source: string, name: string, value: string, as?: Asker) {
  const { status, body } = (await exchangeOf(scene, source, name, value, as)).reply
  return status < 300 ? (body as CredentialSnapshot[]) : undefined
}

/** Sources that have credentials. Those of several owners come first. */
async function sourcesOf(scene: Scene): Promise<string[]> {
  const body = (await scene.run.tried('listCredentials', {}))?.reply.body
  const rows = Array.isArray(body) ? body.filter(isObject) : []
  const owners = (some: JsonObject[]) => new Set(some.map((it) => it.user_id)).size
  const groups = groupBy(rows, (it) => String(it.source)).sort(([, a], [, b]) => owners(b) - owners(a))
  return [...new Set([...groups.slice(0, 2).map(([source]) => source), 'web'])]
}

type Pair = { connector_id: Id; credential_id: number }

const pairing = ['linkCredential', 'unlinkCredential', 'getConnector', 'getIndexingStatus']

/** E13 and E14: an association is created once, and can be removed. */
export const pairingPlays: Play[] = [
  changing('a credential is associated with a connector, again, and dissociated', pairing, async (scene) => {
    const connector_id = await scene.own('connector')
    const path = { connector_id, credential_id: (await twoCredentials(scene, connector_id))[0] }
    const name = `${scene.mark('pair')} é &<>"' MiXeD`
    const input = { path, body: { name, groups: [], auto_sync_options: {} } }
    const first = await scene.must('linkCredential', input)
    scene.check('values_read_back', 'linkCredential', first.success, 'success true: the association is new')
    await linkedOnce(scene, path, name)
    const [pair] = await reported(scene, name)
    const isRequired = scene.run.needs.has('linkCredential', 'access_type')
    if (!isRequired && pair) scene.answer('pairing.access-type', pair.access_type)
    const { reply } = await scene.ask('linkCredential', input, 'missing')
    scene.answer('pairing.repeated', outcomeOf(reply))
    const isOfConnector = (data: unknown) => data !== (pair?.cc_pair_id ?? null) && data === path.connector_id
    const again = (reply.body ?? {}) as Partial<StatusResponse>
    const later = isOfConnector(again.data) ? 'connector-when-repeated' : 'association'
    scene.answer('pairing.data', isOfConnector(first.data) ? 'connector' : later)
    await linkedOnce(scene, path, name)
    const ended = await scene.must('unlinkCredential', { path })
    scene.check('values_read_back', 'unlinkCredential', ended.success, 'success true: it was associated')
    await dissociated(scene, path)
    const none = (await reported(scene, name)).length === 0
    scene.check('use_after_free', 'getIndexingStatus', none, `no pair named ${name}`)
    scene.answer('pairing.absent', outcomeOf((await scene.ask('unlinkCredential', { path }, 'not-associated')).reply))
  }),
  changing('other credentials are associated with a connector', pairing, async (scene) => {
    const connector_id = await scene.own('connector')
    const body = { name: scene.mark('pair'), groups: [] }
    const { id, sent } = await privateCredential(scene)
    for (const credential_id of [unknownNumber, id]) {
      const path = { connector_id, credential_id }
      scene.undo.push(async () => {
        if ((await timesOf(scene, path)) > 0) await scene.ask('unlinkCredential', { path }, 'not-associated')
      })
      const isLinked = (await scene.ask('linkCredential', { path, body }, 'missing')).reply.status < 300
      const isFree = credential_id === id || (await timesOf(scene, path)) === 0
      const expected = `the connector without ${credential_id}, which is not a credential`
      scene.check('values_read_back', 'linkCredential', isFree, expected)
      const { admin_public = false, curator_public = false } = sent
      if (isLinked && credential_id === id) await readBack(scene, { id, admin_public, curator_public })
    }
  }),
  changing(
    'two credentials are associated by six requests at the same time, and dissociated',
    pairing,
    async (scene) => {
      const connector_id = await scene.own('connector')
      const ids = await twoCredentials(scene, connector_id)
      const pairs = ids.map((credential_id) => ({ path: { connector_id, credential_id }, name: scene.mark('race') }))
      const inputOf = (n: number): Input => {
        const { path, name } = pairs[n % pairs.length] as (typeof pairs)[number]
        return { path, body: { name, groups: [] } }
      }
      // Learns required fields first, so that the race starts without an association.
      await scene.run.ask('linkCredential', {
        ...inputOf(0),
        path: { ...inputOf(0).path, connector_id: unknownNumber }
      })
      const exchanges = await scene.atOnce(6, (n) => ['linkCredential', inputOf(n), 'missing'])
      scene.undo.push(async () => {
        for (const { path } of pairs) await scene.ask('unlinkCredential', { path }, 'missing')
      })
      for (const [at, { path, name }] of pairs.entries()) {
        const own = exchanges.filter((_, n) => n % pairs.length === at)
        if (own.every(({ reply }) => reply.status >= 300))
          throw new Stopped('the server refuses one of two at the same time')
        const count = own.filter(({ reply }) => reply.status < 300 && (reply.body as StatusResponse).success).length
        const [isOne, one] = [count === 1 || count === own.length, 'one of three that created it']
        scene.check('association_idempotence', 'linkCredential', isOne, one, `${count} that report it`)
        await linkedOnce(scene, path, name)
      }
      const ended = await scene.atOnce(6, (n) => ['unlinkCredential', { path: inputOf(n).path }, 'not-associated'])
      const isEnded = pairs.every((_, at) =>
        ended.some(({ reply }, n) => n % pairs.length === at && reply.status < 300)
      )
      scene.check('use_after_free', 'unlinkCredential', isEnded, 'at least one of three that is a success')
      for (const { path } of pairs) await dissociated(scene, path)
    }
  )
]

async function dissociated(scene: Scene, path: Pair): Promise<void> {
  const isGone = (await timesOf(scene, path)) === 0
  scene.check('use_after_free', 'unlinkCredential', isGone, 'a connector without the credential')
}

/** How the server answers a call that has nothing to change. */
function outcomeOf({ status, body }: Reply): string {
  if (status >= 300) return String(status)
  return (body as StatusResponse).success ? 'successful' : 'unsuccessful'
}

/** The association must appear once, wherever it is shown. */
async function linkedOnce(scene: Scene, path: Pair, name: string): Promise<void> {
  const times = await timesOf(scene, path)
  scene.check('ensure_resource_availability', 'linkCredential', times > 0, 'a connector with the credential')
  scene.check('association_idempotence', 'linkCredential', times < 2, 'the credential once', `${times} times`)
  const pairs = (await reported(scene, name)).length
  // The description does not say that E16 shows it at once, or by the name given in E13.
  if (pairs === 0) scene.couldNot('getIndexingStatus', 'it shows none of that name', `the pair ${name}`)
  scene.check('association_idempotence', 'linkCredential', pairs < 2, `the pair ${name} once`, `${pairs} times`)
}

async function timesOf(scene: Scene, { connector_id, credential_id }: Pair): Promise<number> {
  const connector = await scene.must('getConnector', { path: { connector_id } })
  return 'success' in connector ? 0 : connector.credential_ids.filter((id) => id === credential_id).length
}

async function reported(scene: Scene, name: string) {
  return (await pairsOf(scene, { name_filter: name })).filter((pair) => pair.name === name)
}
