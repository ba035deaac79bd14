// Express 5 with express-openapi-validator, both ways.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import express from 'express'
import { error, middleware } from 'express-openapi-validator'
import { createAnswers } from './answers.mjs'

const [port, folder] = process.argv.slice(2)
const answers = createAnswers(folder)
const document = JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8'))

const app = express()
app.use(express.json())
app.use(middleware({ apiSpec: inlined(document), validateRequests: true, validateResponses: true }))
app.get('/api/persona/:id', (request, response) => response.json(answers.getPersona(request.params.id)))
app.patch('/api/persona/:id', (request, response) =>
  response.json(answers.updatePersona(request.params.id, request.body))
)
app.get('/api/user/projects/', (_, response) => response.json(answers.listProjects()))
app.post('/api/chat/create-chat-session', (request, response) => response.json(answers.createSession(request.body)))
app.get('/api/chat/search', (_, response) => response.json(answers.search()))
app.post('/api/manage/admin/connector/file/upload', (_, response) => response.json(answers.upload()))
app.use((problem, _request, response, _next) => {
  const isInvalid = problem instanceof error.BadRequest
  response.status(isInvalid ? 422 : (problem.status ?? 500)).json({ detail: problem.errors ?? problem.message })
})
app.listen(Number(port), '127.0.0.1')

/** It follows references to whole schemas only: what refers to a part of a schema is put in place. */
function inlined(value) {
  if (typeof value !== 'object' || value === null) return value
  const [, schema, ...rest] = /^#\/components\/schemas\/([^/]+)\/(.+)$/.exec(value.$ref ?? '') ?? []
  if (schema) {
    const part = rest[0].split('/').reduce((at, key) => at[key], document.components.schemas[schema])
    const { $ref: _, ...siblings } = value
    return { ...inlined(part), ...inlined(siblings) }
  }
  if (Array.isArray(value)) return value.map(inlined)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inlined(item)]))
}
