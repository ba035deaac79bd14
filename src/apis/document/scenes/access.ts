import type { JsonObject } from '../../../engine/contract/load.js'
import type { OpenApiDocument, Operation } from '../../../engine/contract/model.js'
import type { Asker } from '../../../tools/verify/calls/client.js'
import { Stopped } from '../../../tools/verify/calls/patience.js'
import type { Play } from '../../../tools/verify/scene.js'
import { isItem, isKey, Rows } from './rows.js'
import { isAnswer, type Made, type Part, Table } from './table.js'
import { refuses } from './values.js'

/** Without a valid token, an operation that needs one is refused. What hides that a row does not exist is asked about a new one. */
export const access: Part = async (scene, rows) => {
  const { settings } = scene.run
  const nowhere = Table.nowhere(scene, rows)
  let target: { table: Table; row: Made } | undefined
  for (const operation of rows.operations) {
    if (operation.open || (operation.method !== 'GET' && !settings.mutating)) continue
    const keys = isItem(operation) ? [nowhere.unknownKey()] : []
    const body = operation.input.body && (await nowhere.body(operation))
    const isMade = keys.length > 0 && rows.create !== undefined && settings.mutating
    const strangers: [string, Asker][] = [
      ['no token', 'nobody'],
      ['an unknown token', { header: 'Bearer kcm-verify-no-such-token' }]
    ]
    for (const [title, as] of strangers) {
      const { status } = (await nowhere.ask(operation, keys, { body }, as)).reply
      // Only a mock may accept any token.
      const isKnown = as !== 'nobody' && status < 300 && settings.isMock
      const isRefused = status === 401 || status === 403
      // Some look for the row first.
      const isHidden = status === 404 && keys.length + nowhere.owners.length > 0
      if (status >= 400 && !isRefused && !isHidden) {
        scene.couldNot(operation.id, `it was refused for another reason than its token (${status})`, title)
        continue
      }
      scene.check('ignored_auth', operation.id, isRefused || isHidden || isKnown, '401 or 403', `${title}: ${status}`)
      if (isHidden && isMade && as === 'nobody') {
        const table = target?.table ?? (await Table.open(scene, rows))
        target ??= { table, row: await table.created() }
        const again = (await table.ask(operation, [target.row.key], { body }, as)).reply.status
        scene.check('ignored_auth', operation.id, again >= 400, '401 or 403', `${title}, for a new row: ${again}`)
      }
      if (isKnown) nowhere.answer(operation, 'auth.unknown-token', 'admin', `with ${title}`)
      if (!isRefused) continue
      if (as === 'nobody') nowhere.answer(operation, 'auth.unauthenticated', String(status), 'without a token')
      else nowhere.answer(operation, 'auth.unknown-token', 'refused', `with ${title}`)
    }
  }
}

/** What another user sees and may change of a new row. */
export const others: Part = async (scene, rows) => {
  const { list, create, remove, change } = rows
  if (!create) return
  const table = await Table.open(scene, rows)
  const foreignRow = await table.created(undefined, 'user')
  if (list) {
    const { rows: items, isWhole } = await table.listed()
    const isThere = items.some((it) => isKey(it[rows.key], foreignRow.key))
    if (isThere || isWhole) table.answer(list, 'rows.visible', isThere ? 'all' : 'own', 'by another user')
  }
  const operation = change ?? remove
  if (!operation) return
  const body = operation.input.body && (await table.body(operation))
  const { status } = (await table.ask(operation, [foreignRow.key], { body })).reply
  if (status < 300 || status === 403)
    table.answer(operation, 'rows.foreign', status === 403 ? '403' : 'allowed', 'by another user')
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
    const rows = new Rows(users, { create: signUp })
    const table = new Table(scene, rows, [])
    const as = signUp.open ? 'nobody' : undefined
    await refuses(table, signUp, [], as)
    const body = await table.body(signUp)
    await table.accepted(signUp, [], { body }, as)
    const { status } = (await table.ask(signUp, [], { body }, as)).reply
    const choice = status < 300 ? 'accepted' : status === 422 ? '422' : '409'
    if (isAnswer(status)) table.answer(signUp, 'signup.again', choice, 'with the same name and address')
    if (!login?.input.body) return
    const names = ['email', 'username', 'login', 'name', 'password']
    const inner = [body, ...Object.values(body)].find((it) => (it as JsonObject).password !== undefined) as JsonObject
    const sent = Object.fromEntries(Object.entries(inner ?? {}).filter(([name]) => names.includes(name)))
    const form = await table.body(login)
    const enters = async (password: object) => {
      const entering = { body: rows.withFields(form, { ...sent, ...password }) }
      return (await table.ask(login, [], entering, as)).reply.status < 300
    }
    if (!(await enters({}))) throw new Stopped('it does not sign in who has just signed up')
    const isAny = await enters({ password: scene.run.mark('other') })
    table.answer(login, 'auth.password', isAny ? 'any' : 'own', 'with another password')
  }
  return [{ title: 'sign-ups', operations: [signUp.id, ...(login ? [login.id] : [])], mutating: true, play }]
}
