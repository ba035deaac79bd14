import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { form } from '../form.mjs'
import { uuid, words } from './rows.mjs'

const contracts = join(dirname(fileURLToPath(import.meta.url)), '../../../contracts')
const documented = Object.fromEntries(
  readdirSync(contracts)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => Object.entries(JSON.parse(readFileSync(join(contracts, name), 'utf8')).operations ?? {}))
    .filter(([, { code }]) => /^E\d+$/.test(code ?? ''))
)

/** Operations that need separate rows for every request: puts them there and gives the input of each request. */
const supplies = {
  deleteChatSession: ({ copy }) => ({ path: { session_id: copy('chatSessions', ({ name }) => name !== null) } }),
  deletePersona: ({ copy }) => ({ path: { persona_id: copy('personas', ({ id }) => id === 1) } }),
  deleteTool: ({ copy }) => ({ path: { tool_id: copy('tools', ({ user_id }) => user_id !== null) } }),
  deleteTokenRateLimit: ({ copy }) => ({ path: { token_rate_limit_id: copy('tokenRateLimits') } }),
  deleteFile: ({ copy, admin }) => ({
    path: { file_id: copy('userFiles', ({ user_id, status }) => user_id === admin && status === 'COMPLETED') }
  }),
  deleteUser({ copy, number }) {
    const user_email = `leaving-${number}@example.com`
    copy('users', ({ key }) => key === 'basic', { key: `leaving-${number}`, email: user_email })
    return { body: { user_email } }
  },
  linkCredential: ({ copy }) => ({
    path: { connector_id: copy('connectors', ({ id }) => id === 1), credential_id: 1 },
    body: { name: 'Product wiki, nightly', access_type: 'public', groups: [] }
  }),
  unlinkCredential({ copy }) {
    const connector_id = copy('connectors', ({ id }) => id === 1)
    copy('connectorCredentials', () => true, { connector_id, credential_id: 1 })
    return { path: { connector_id, credential_id: 1 } }
  }
}

/** All operations, and the searches that have to look. */
export const measured = [
  ...Object.entries(documented).map(([id, { code }]) => ({ key: id, id, code, title: `${code} ${id}` })),
  ...Object.entries(words).map(([kind, query]) => ({
    key: `search-${kind}`,
    id: 'searchChats',
    code: 'E3',
    title: `E3 searchChats, ${kind === 'absent' ? 'no match' : `${kind} word`}`,
    input: { query: { query } },
    isSearch: true
  }))
].toSorted((a, b) => Number(a.code.slice(1)) - Number(b.code.slice(1)))

/** Requests for an operation, as many as requested if each needs separate rows, else one. */
export function requestsFor({ id, input }, count, stock) {
  if (!supplies[id]) return [requestOf(documented[id], input ?? exampleOf(id))]
  return Array.from({ length: count }, () => requestOf(documented[id], supplies[id](stock())))
}

function exampleOf(id) {
  const { examples } = documented[id]
  return id === 'listChatSessions' ? examples['first-page'] : Object.values(examples)[0]
}

function requestOf(operation, { path = {}, query = {}, body }) {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name]))
  const search = new URLSearchParams(query).toString()
  const base = { method: operation.method, path: search ? `${filled}?${search}` : filled, status: 200 }
  const headers = { Authorization: 'Bearer admin' }
  if (body === undefined) return { ...base, headers }
  if (!isForm(body)) {
    return {
      ...base,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: Buffer.from(JSON.stringify(body))
    }
  }
  const { type, body: bytes } = form(
    Object.fromEntries(Object.entries(body).map(([name, value]) => [name, fieldOf(value)]))
  )
  return { ...base, headers: { ...headers, 'Content-Type': type }, body: bytes }
}

const isForm = (body) => JSON.stringify(body).includes('"x-file"')

/** A field of a form; the examples write files out. */
function fieldOf(value) {
  if (Array.isArray(value)) return value.map(fieldOf)
  const file = value['x-file']
  if (!file) return String(value)
  return {
    name: file.name,
    type: file.type,
    bytes: Buffer.from(file.text ?? file.base64, file.text ? 'utf8' : 'base64')
  }
}

/** Puts copies of rows into a state, and takes all that came since back out. */
export function createStock(rows, now) {
  const highest = Object.entries(rows)
    .map(([name, collection]) => [name, collection.lastId()])
    .filter(([, id]) => typeof id === 'number')
  const admin = rows.users.first('byKey', 'admin').id
  const templates = new Map()
  const added = []
  let number = 0
  const copy = (name, fits = () => true, changes = {}) => {
    const known = `${name} ${fits}`
    if (!templates.has(known)) templates.set(known, [...rows[name].all()].find(fits))
    const id = typeof rows[name].lastId() === 'number' ? Number(rows[name].lastId()) + 1 : uuid(9, number)
    rows[name].put({ ...templates.get(known), ...changes, id })
    added.push([name, id])
    return id
  }
  return {
    take: () => ({ copy, admin, number: ++number }),
    clear() {
      for (const [name, id] of added.splice(0)) rows[name].remove(id)
      for (const [name, last] of highest) while (rows[name].lastId() > last) rows[name].remove(rows[name].lastId())
      const recent = []
      for (const session of rows.chatSessions.where('byCreation', admin, { descending: true })) {
        if (Date.parse(session.time_created) < now) break
        recent.push(session.id)
      }
      for (const id of recent) rows.chatSessions.remove(id)
    }
  }
}
