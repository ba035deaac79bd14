import { chat } from './chat.js'
import { credentials } from './credentials.js'
import { files } from './files.js'
import { indexing } from './indexing.js'
import type { Call, Expected, Model, Predict } from './model.js'
import { personas } from './personas.js'
import { stateless } from './stateless.js'
import { users } from './users.js'

export const predictions: Record<string, Predict> = {
  ...chat,
  ...personas,
  ...credentials,
  ...indexing,
  ...stateless,
  ...files,
  ...users
}

const forAdmins = new Set(['inviteUsers', 'deleteUser', 'deleteTokenRateLimit'])
const forCurators = new Set([
  'listCredentials',
  'listSimilarCredentials',
  'replacePrivateKey',
  'getIndexingStatus',
  'uploadConnectorFiles',
  'validateTool',
  'deleteTool'
])

/** The answer to a call by the description and the default assumptions. */
export function predict(call: Call, model: Model): Expected {
  if (call.malformed !== undefined) return invalid(['body'])
  const user = model.all('users', (it) => it.key === call.as)[0]
  if (!user?.is_active) return { status: 401 }
  const isCurator = user.role === 'curator' || user.role === 'global_curator'
  if (forAdmins.has(call.operation) && user.role !== 'admin') return { status: 403 }
  if (forCurators.has(call.operation) && user.role !== 'admin' && !isCurator) return { status: 403 }
  if (call.wrong) return invalid(call.wrong)
  const expected = (predictions[call.operation] as Predict)(call as Call & { body: unknown }, model, user)
  if (withNulls.has(call.operation)) return expected
  const { body } = expected
  return {
    ...expected,
    body: typeof body === 'function' ? (reply: unknown) => withoutNulls(body(reply)) : withoutNulls(body)
  }
}

/** The operations whose replies have fields that may be null by the description; they have no others. */
const withNulls = new Set([
  ...['createCredential', 'getCredential', 'listCredentials', 'listSimilarCredentials'],
  ...['linkCredential', 'unlinkCredential']
])

const freeForm = new Set(['credential_json', 'entities', 'connector_specific_config', 'definition', 'spec'])

/** The fields of a reply: a field without a value is left out, but the fields of a free-form object remain. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, item]) => item !== null)
  return Object.fromEntries(fields.map(([name, item]) => [name, freeForm.has(name) ? item : withoutNulls(item)]))
}

function invalid(loc: unknown[]): Expected {
  return {
    status: 422,
    body: ({ detail }: { detail: { loc: unknown[] }[] }) => [detail[0]?.loc.slice(0, loc.length), loc]
  }
}
