// Express 5 with ajv: requests and responses against the schemas of the OpenAPI document, compiled at the start.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import express from 'express'
import multer from 'multer'
import { createAnswers } from './answers.mjs'

const [port, folder] = process.argv.slice(2)
const answers = createAnswers(folder)
const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema(JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8')), 'openapi')

const app = express()
app.use(express.json())
route('get', '/api/persona/{persona_id}', ({ params }) => answers.getPersona(params.persona_id))
route('patch', '/api/persona/{persona_id}', ({ params, body }) => answers.updatePersona(params.persona_id, body))
route('get', '/api/user/projects/', () => answers.listProjects())
route('post', '/api/chat/create-chat-session', ({ body }) => answers.createSession(body))
route('get', '/api/chat/search', () => answers.search())
app.use('/api/manage/admin/connector/file/upload', multer().array('files'))
route('post', '/api/manage/admin/connector/file/upload', () => answers.upload())
app.listen(Number(port), '127.0.0.1')

function route(method, path, answer) {
  const operation = ['openapi#/paths', path.replaceAll('/', '~1'), method].join('/')
  const isId = ajv.compile({ type: 'string', pattern: '^-?\\d+$' })
  const isBody = ajv.getSchema(`${operation}/requestBody/content/application~1json/schema`)
  const isReply = ajv.getSchema(`${operation}/responses/200/content/application~1json/schema`)
  app[method](path.replace(/\{(\w+)\}/, ':$1'), (request, response) => {
    for (const name in request.params) if (!isId(request.params[name])) return refuse(response, isId.errors)
    if (isBody && !isBody(request.body)) return refuse(response, isBody.errors)
    const reply = answer(request)
    if (!isReply(reply)) return response.status(500).json(isReply.errors)
    response.json(reply)
  })
}

function refuse(response, errors) {
  const detail = errors.map(({ instancePath, message, keyword }) => {
    return { type: keyword, loc: ['body', ...instancePath.split('/').slice(1)], msg: message }
  })
  response.status(422).json({ detail })
}
