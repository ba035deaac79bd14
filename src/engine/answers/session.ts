import type { Api } from '../api.js'
import { isObject, type Json, type JsonObject, schemaOf } from '../contract/load.js'
import { RuleReply, refuse } from '../contract/message/reply.js'
import type { InputError, MockAnswer } from '../contract/model.js'
import { freeName } from '../contract/openapi/document.js'
import { responseOf, statusOf } from '../contract/outcomes.js'
import { Invalid } from '../contract/pydantic/explain.js'
import { fieldsIn } from '../contract/schemas/schemas.js'
import { createRows } from '../control/state/create.js'
import { hash, mix } from '../sandbox/ids.js'
import { isActive } from '../serve/admit.js'
import { enteredMark } from '../serve/message/caller.js'
import type { AnyRow } from '../store/collection.js'
import { collectionOf } from '../store/rows.js'
import { filled } from './fitting.js'
import { takes } from './page.js'
import { rowsOf } from './rows.js'
import type { Call } from './rule.js'

type Session = NonNullable<MockAnswer['session']>

/**
 * The answer of an operation with `x-mock: { session }`: signs in by the cookie of the token, signs out, or shows the calling
 * user. The cookie keeps the sandbox.
 */
export function ofSession(call: Call, session: Session): RuleReply {
  const { sandbox, user, cookie } = call
  const box = sandbox.name === 'default' ? '' : `~${sandbox.name}`
  const attributes = `Path=/; HttpOnly; SameSite=Lax${cookie.isSecure ? '; Secure' : ''}`
  switch (session) {
    case 'login': {
      const account = namedIn(call)
      const token = `${account[call.contract.api.users.token]}${box}`
      return shown(call, account, token, { 'Set-Cookie': `${cookie.name}=${token}${enteredMark}; ${attributes}` })
    }
    case 'logout': {
      const header =
        box === '' ? `${cookie.name}=; ${attributes}; Max-Age=0` : `${cookie.name}=${box}${enteredMark}; ${attributes}`
      return shown(call, undefined, '', { 'Set-Cookie': header })
    }
    case 'signup': {
      const account = signedUp(call)
      return shown(call, account, `${account[call.contract.api.users.token]}${box}`)
    }
    case 'me': {
      const caller = user ?? refuse(401, 'No user is signed in.')
      const me = call.operation.method === 'GET' ? caller : changed(call, caller)
      return shown(call, me, call.contract.api.document ? `${me[call.contract.api.users.token]}${box}` : '')
    }
  }
}

/**
 * The answer of an operation with `x-mock: { redirect }`: sends a browser on, after a sign-in or sign-out if it is one too. Else it
 * does what a provider of identities does: it names a user by a code, and gives the state back. A reply with a field for an address
 * has the address there.
 */
export function redirected(call: Call, path: string, session?: RuleReply): RuleReply {
  const { operation, contract, input, user, mount } = call
  const { users } = contract.api
  const { login_hint: hint = user?.[users.token] ?? users.common[0], state } = input.query
  const query = new URLSearchParams({ code: String(hint), ...(state !== undefined && { state: String(state) }) })
  const to = mount + (session ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`)
  const status = statusOf(operation)
  const schema = responseOf(operation, status)?.schema
  const field = Object.keys(fieldsIn(contract, schema ?? {}).properties).find((it) =>
    /(^|_)(url|uri|location)$/i.test(it)
  )
  if (session || field === undefined) return new RuleReply(302, undefined, { ...session?.headers, Location: to })
  const sample = contract.sampleOf(operation, status, call.sandbox.ids.seed) as JsonObject
  return new RuleReply(status, { ...sample, [field]: to })
}

/** The body of a sign-in, or the one object in it: `{ user: { … } }`. */
function bodyOf({ input: { body } }: Call): JsonObject {
  if (!isObject(body as Json)) return {}
  const [inner, ...others] = Object.values(body as JsonObject)
  return isObject(inner) && others.length === 0 ? inner : (body as JsonObject)
}

/** The calling user with the fields of the body. The token, the role and the id stay. */
function changed(call: Call, user: AnyRow): AnyRow {
  const { collection, token, role, active } = call.contract.api.users
  const own = ['id', token, role, active]
  const { properties } = fieldsIn(call.contract, call.contract.collections.get(collection)?.row ?? {})
  const fields = Object.entries(bodyOf(call)).filter(([name]) => Object.hasOwn(properties, name) && !own.includes(name))
  return rowsOf(call, collection).put({ ...user, ...Object.fromEntries(fields) })
}

/**
 * What the mock keeps of a new user. The token is the name, or the address before its @. Contracts have a role for new users.
 * Refused if the name is taken.
 */
export function signUpFields({ contract, sandbox, assume, operation }: Call, body: JsonObject): JsonObject {
  const { document } = contract.api
  const { collection, token, email, role, active, common } = contract.api.users
  const address = typeof body.email === 'string' ? body.email : undefined
  const called = body.username ?? body.name
  const name = String(called ?? address?.split('@')[0] ?? sandbox.ids.uuid())
  const word = name.replace(document ? /[^\w.-]+/g : /[^\w-]+/g, '-').slice(0, 60)
  const users = [...collectionOf(sandbox.rows, collection).all()]
  const has = (it: string) => users.some((row) => row[token] === it)
  // Rows of the mock may have the same examples.
  const isSignedUp = (row: AnyRow) => row[passwordField] !== undefined || common.includes(String(row[token]))
  const accounts = contract.collections.get(collection)?.isUsers ? users.filter(isSignedUp) : users
  const isTaken =
    (called !== undefined && has(word)) || (address !== undefined && accounts.some((row) => row[email] === address))
  // Somebody else may add users without a sign-up.
  const isSignUp = operation.mock?.session !== undefined || body.password !== undefined
  const again = (isTaken && isSignUp ? assume('signup.again') : undefined) ?? (isSignUp ? '409' : 'accepted')
  const status = [409, 422, 400].find((it) => again === '409' && operation.responses[it]) ?? Number(again)
  if (isTaken && again !== 'accepted') refuse(status, `${address ?? name} has already been taken`)
  // Two addresses may have the same name before the @.
  const key = freeName({ has }, (count) => (count === 1 ? word : `${word}-${count}`))
  return {
    name: body.name ?? name,
    [token]: key,
    [email]: address ?? `${key}@example.com`,
    ...(document && { [role]: 'user' }),
    ...(document && { [passwordField]: hash(String(body.password ?? '')) }),
    ...(active && { [active]: true })
  }
}

/** The field of a user with the hash of the password of a sign-up. */
const passwordField = '_password'

/** A new user with the fields of the body. */
function signedUp(call: Call): AnyRow {
  const { contract } = call
  const { collection, role } = contract.api.users
  const { [role]: _, ...body } = bodyOf(call)
  const { password: __, ...fields } = body
  const { properties, required } = fieldsIn(contract, contract.collections.get(collection)?.row ?? {})
  const schemaIn = (field: string) => schemaOf(contract.documents, properties[field])
  const isTime = (field: string) => schemaIn(field).type === 'string' && schemaIn(field).format === 'date-time'
  const times = Object.keys(properties)
    .filter(isTime)
    .map((it) => [it, call.sandbox.clock.time])
  const own: JsonObject = { ...Object.fromEntries(times), ...fields, ...signUpFields(call, body) }
  // The document may have other roles. Each answer is to show the same one.
  const takesRole = (value: Json) => [schemaIn(role).enum ?? value].flat().includes(value)
  if (own[role] !== undefined && !takesRole(own[role] as Json)) own[role] = (schemaIn(role).enum as Json[])[0] as Json
  const part = Object.fromEntries(
    Object.entries(own).filter(
      ([field, value]) => field !== 'id' && Object.hasOwn(properties, field) && (field !== role || takesRole(value))
    )
  )
  const isNeeded = (field: string) => field === 'id' || Object.hasOwn(part, field) || required.includes(field)
  const factoryOf: Call['factoryOf'] = (name) => {
    const factory = call.factoryOf(name)
    const isNull = (field: string) =>
      contract.api.document && !Object.hasOwn(part, field) && takes(call, properties[field], null)
    const needed = (row: object) =>
      Object.fromEntries(
        Object.entries(row).flatMap(([field, it]) =>
          isNull(field) ? [[field, null]] : isNeeded(field) ? [[field, it]] : []
        )
      )
    // Optional fields that were not sent are null, or left out.
    return factory && ((...from) => ({ row: needed(factory(...from).row) }))
  }
  return createRows({ ...call, factoryOf }, collection, { part })[0] as AnyRow
}

/** The active user whom a body or a code names. Throws an Invalid for a request without a name. */
function namedIn(call: Call): AnyRow {
  const { input, sandbox, contract } = call
  const { api } = contract
  const { code } = input.query
  const fields: JsonObject = { ...bodyOf(call), ...(code !== undefined && { key: code as Json }) }
  const texts = names.map((name) => fields[name]).filter((it) => typeof it === 'string' && it !== '') as string[]
  if (texts.length === 0) throw new Invalid([namelessIn(call, fields)])
  const { collection, token, email } = api.users
  const users = [...collectionOf(sandbox.rows, collection).all()].filter((user) => {
    const called = [user[token], user[email]].map((it) => String(it).toLowerCase())
    return texts.every((it) => called.includes(it.toLowerCase()))
  })
  const why = users.length === 0 ? 'No user has this address or key.' : 'This user is deactivated.'
  const user = users.find((it) => isActive(api, it)) ?? refuse(401, why)
  const isOther = user[passwordField] !== undefined && user[passwordField] !== hash(String(fields.password))
  if (isOther && call.assume('auth.password') === 'own') refuse(401, 'The password is another one.')
  return user
}

const names = ['email', 'username', 'key']

/** Why the fields of a request name no user. */
function namelessIn({ operation, input: { body = null } }: Call, fields: JsonObject): InputError {
  const { code } = (operation.input.query?.properties ?? {}) as JsonObject
  const field = names.find((it) => Object.hasOwn(fields, it)) ?? 'username'
  const loc = code !== undefined && body === null ? ['query', 'code'] : ['body', field]
  const { [field]: input } = fields
  if (input === undefined) return { type: 'missing', loc, msg: 'Field required', input: body }
  if (input !== '') return { type: 'string_type', loc, msg: 'Input should be a valid string', input }
  const msg = 'String should have at least 1 character'
  return { type: 'string_too_short', loc, msg, input }
}

/** A reply whose fields are those of a user, as far as its schema takes them. */
function shown(
  { operation, contract, sandbox }: Call,
  user: AnyRow | undefined,
  token: string,
  headers: Record<string, string> = {}
): RuleReply {
  const status = statusOf(operation, responseOf(operation, statusOf(operation))?.schema === undefined)
  const row = responseOf(operation, status)
  if (!row?.schema) return new RuleReply(status, undefined, headers)
  const [example] = Object.values(row.examples ?? {})
  // What the row does not have is the same in all answers.
  const seed = mix(sandbox.ids.seed ^ hash(contract.api.document ? String(user?.id) : operation.id))
  const base = example ?? contract.sampleOf(operation, status, seed)
  const isValid = (value: Json) => contract.checkReply(operation, status, value, new Set()).length === 0
  if (!user) return new RuleReply(status, base, headers)
  const tokens = token === '' ? [] : namesAt(base).filter((it) => isToken.test(it))
  const absent = contract.api.document
    ? (contract.collections.get(contract.api.users.collection)?.row.properties ?? {})
    : {}
  const without = Object.fromEntries(Object.keys(absent).map((it) => [it, undefined]))
  const fields = {
    ...without,
    ...fieldsOf(contract.api, user, token),
    ...Object.fromEntries(tokens.map((it) => [it, token]))
  }
  return new RuleReply(status, filled(base, fields, isValid), headers)
}

/** What the token of a sign-in is called. */
const isToken = /^((access|auth|id|session|api|bearer|refresh)_?)?token$|^(jwt|bearer|api_?key|auth_?key)$/i

/** The names of the fields in a value, at any depth. */
function namesAt(value: Json): string[] {
  return isObject(value) ? Object.entries(value).flatMap(([name, it]) => [name, ...namesAt(it)]) : []
}

/** What users and sign-ins are usually called. */
export function fieldsOf({ users, document }: Api, { [users.token]: key, ...user }: AnyRow, token: string): JsonObject {
  const email = String(user[users.email] ?? '')
  const name = email.split('@')[0]?.replaceAll('.', ' ') as string
  const whole = String(user.name || name)
  const username = document ? String(user.name ?? key) : email
  const fields = { key: key as string, name, username, display_name: whole, full_name: whole }
  const isAdmin = user[users.role] === 'admin'
  const roles = { is_superuser: isAdmin, is_admin: isAdmin }
  const tokens: JsonObject = token === '' ? {} : { access_token: token, token, token_type: 'bearer' }
  return { ...fields, ...(users.role in user && roles), ...user, ...tokens }
}
