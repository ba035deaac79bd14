import { form } from './form.mjs'

/**
 * What every server is asked, with the same bodies.
 * @typedef {object} Workload
 * @property {string} id
 * @property {string} title
 * @property {string} method
 * @property {string} path
 * @property {number} status what a right answer has; 200 means any success
 * @property {Record<string, string>} headers
 * @property {Buffer} [body]
 */

const authorization = { Authorization: 'Bearer admin' }

/** @returns {Workload} */
function json(id, title, method, path, status, value) {
  const base = { id, title, method, path, status }
  if (value === undefined) return { ...base, headers: authorization }
  const headers = { ...authorization, 'Content-Type': 'application/json' }
  return { ...base, headers, body: Buffer.from(JSON.stringify(value)) }
}

const upload = form({
  files: { name: 'handbook.txt', type: 'text/plain', bytes: Buffer.alloc(1024 * 1024, 'a line of text\n') }
})

export const workloads = [
  json('get-persona', 'GET persona', 'GET', '/api/persona/1', 200),
  json('get-projects', 'GET projects', 'GET', '/api/user/projects/', 200),
  json('post-session', 'POST chat session', 'POST', '/api/chat/create-chat-session', 200, {
    persona_id: 1,
    description: 'Release notes for the spring launch'
  }),
  json('patch-persona', 'PATCH persona', 'PATCH', '/api/persona/1', 200, {
    name: 'Release scribe',
    description: 'Writes what changed, and why.',
    system_prompt: 'You write release notes for people who have no time.',
    starter_messages: [{ name: 'This week', message: 'What changed this week?' }]
  }),
  json('invalid', 'invalid body → 422', 'POST', '/api/chat/create-chat-session', 422, {
    persona_id: 'first',
    description: 'Release notes for the spring launch',
    project_id: [1]
  }),
  json('search', 'GET search', 'GET', '/api/chat/search?query=release', 200),
  {
    id: 'upload',
    title: 'multipart upload, 1 MB',
    method: 'POST',
    path: '/api/manage/admin/connector/file/upload',
    status: 200,
    headers: { ...authorization, 'Content-Type': upload.type },
    body: upload.body
  }
]

/** The workload as a server takes it, or undefined where the server does not serve it. */
export function asServed(workload, { routes = {} }) {
  const path = routes[workload.id] === undefined ? workload.path : routes[workload.id]
  return path === null ? undefined : { ...workload, path }
}

/** Whether an answer is the right one. */
export function isRight({ status: wanted }, status) {
  return wanted === 200 ? status >= 200 && status < 300 : status === wanted
}
