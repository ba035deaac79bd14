import type { Json, JsonObject } from '../../../engine/contract/load.js'
import type { OpenApiDocument, Operation } from '../../../engine/contract/model.js'
import type { Asker } from '../../../tools/verify/calls/client.js'
import { Stopped } from '../../../tools/verify/calls/patience.js'
import type { Play, Scene } from '../../../tools/verify/scene.js'
import { answer, isAnswer, isKey, type Part } from './checks.js'
import {
  accepted,
  bodyFor,
  created,
  isItem,
  listed,
  type Made,
  operationsOf,
  ownersOf,
  pathOf,
  type Rows,
  unknownKey,
  withFields
} from './rows.js'

/** Keys of no rows that a row could belong to. */
const unknownOwners = (scene: Scene, { parent }: Rows): Json[] =>
  parent ? [...unknownOwners(scene, parent), unknownKey(scene, parent)] : []

/** Without a valid token, an operation that needs one is refused. What hides that a row does not exist is asked about a new one. */
export const access: Part = async (scene, rows) => {
  const { run } = scene
  const owners = unknownOwners(scene, rows)
  let row: Made | undefined
  for (const operation of operationsOf(rows)) {
    if (operation.open || (operation.method !== 'GET' && !run.settings.mutating)) continue
    const keys = isItem(operation) ? [...owners, unknownKey(scene, rows)] : owners
    const body = operation.input.body && (await bodyFor(scene, rows, operation))
    const input = { path: pathOf(scene, operation, keys), body }
    const isMade = isItem(operation) && rows.create !== undefined && run.settings.mutating
    const strangers: [string, Asker][] = [
      ['no token', 'nobody'],
      ['an unknown token', { header: 'Bearer kcm-verify-no-such-token' }]
    ]
    for (const [title, as] of strangers) {
      const { status } = (await scene.ask(operation.id, input, undefined, as)).reply
      // Only a mock may accept any token.
      const isKnown = as !== 'nobody' && status < 300 && run.settings.isMock
      const isRefused = status === 401 || status === 403
      // Some look for the row first.
      const isHidden = status === 404 && keys.length > 0
      if (status >= 400 && !isRefused && !isHidden) {
        scene.couldNot(operation.id, `it was refused for another reason than its token (${status})`, title)
        continue
      }
      scene.check('ignored_auth', operation.id, isRefused || isHidden || isKnown, '401 or 403', `${title}: ${status}`)
      if (isHidden && isMade && as === 'nobody') {
        const theirs = await ownersOf(scene, rows)
        row ??= await created(scene, rows, theirs)
        const path = pathOf(scene, operation, [...theirs, row.key])
        const again = (await scene.ask(operation.id, { path, body }, undefined, as)).reply.status
        scene.check('ignored_auth', operation.id, again >= 400, '401 or 403', `${title}, for a new row: ${again}`)
      }
      if (isKnown) answer(scene, operation, 'auth.unknown-token', 'admin', `with ${title}`)
      if (!isRefused) continue
      if (as === 'nobody') answer(scene, operation, 'auth.unauthenticated', String(status), 'without a token')
      else answer(scene, operation, 'auth.unknown-token', 'refused', `with ${title}`)
    }
  }
}

/** What another user sees and may change of a new row. */
export const others: Part = async (scene, rows) => {
  const { list, create, remove, change } = rows
  if (!create) return
  const owners = await ownersOf(scene, rows)
  const made = await created(scene, rows, owners, undefined, 'user')
  if (list) {
    const { rows: items, isWhole } = await listed(scene, rows, owners)
    const isThere = items.some((it) => isKey(it[rows.key], made.key))
    if (isThere || isWhole) answer(scene, list, 'rows.visible', isThere ? 'all' : 'own', 'by another user')
  }
  const operation = change ?? remove
  if (!operation) return
  const path = pathOf(scene, operation, [...owners, made.key])
  const body = operation.input.body && (await bodyFor(scene, rows, operation))
  const { status } = (await scene.ask(operation.id, { path, body })).reply
  if (status < 300 || status === 403)
    answer(scene, operation, 'rows.foreign', status === 403 ? '403' : 'allowed', 'by another user')
}

/** Signing up twice, and in with another password. */
export function signingOf({ operations, collections }: OpenApiDocument): Play[] {
  const users = collections.find(({ isUsers }) => isUsers)
  const isSignUp = ({ mock, method, path }: Operation) =>
    mock?.session === 'signup' || (mock?.collection === users?.name && method === 'POST' && !path.includes('{'))
  const signUp = operations.find(isSignUp)
  const login = operations.find(({ mock }) => mock?.session === 'login')
  if (!users || !signUp) return []
  const play: Play['play'] = async (scene) => {
    const rows: Rows = { collection: users, key: users.key ?? 'id', create: signUp }
    const as = signUp.open ? 'nobody' : undefined
    const body = await bodyFor(scene, rows, signUp)
    await accepted(scene, signUp, { body }, as)
    const { status } = (await scene.ask(signUp.id, { body }, undefined, as)).reply
    const choice = status < 300 ? 'accepted' : status === 422 ? '422' : '409'
    if (isAnswer(status)) answer(scene, signUp, 'signup.again', choice, 'with the same name and address')
    if (!login?.input.body) return
    const named = ['email', 'username', 'login', 'name', 'password']
    const inner = [body, ...Object.values(body)].find((it) => (it as JsonObject).password !== undefined) as JsonObject
    const sent = Object.fromEntries(Object.entries(inner ?? {}).filter(([name]) => named.includes(name)))
    const form = await bodyFor(scene, rows, login)
    const enters = async (password: object) => {
      const entering = { body: withFields(rows, form, { ...sent, ...password }) }
      return (await scene.ask(login.id, entering, undefined, as)).reply.status < 300
    }
    if (!(await enters({}))) throw new Stopped('it does not sign in who has just signed up')
    const isAny = await enters({ password: scene.run.mark('other') })
    answer(scene, login, 'auth.password', isAny ? 'any' : 'own', 'with another password')
  }
  return [{ title: 'sign-ups', operations: [signUp.id, ...(login ? [login.id] : [])], mutating: true, play }]
}
