// Express 5 as it comes, without checks.
import express from 'express'
import multer from 'multer'
import { createAnswers } from './answers.mjs'

const [port, folder] = process.argv.slice(2)
const answers = createAnswers(folder)

const app = express()
app.use(express.json())
app.get('/api/persona/:id', (request, response) => response.json(answers.getPersona(request.params.id)))
app.patch('/api/persona/:id', (request, response) =>
  response.json(answers.updatePersona(request.params.id, request.body))
)
app.get('/api/user/projects/', (_, response) => response.json(answers.listProjects()))
app.post('/api/chat/create-chat-session', (request, response) => response.json(answers.createSession(request.body)))
app.get('/api/chat/search', (_, response) => response.json(answers.search()))
app.post('/api/manage/admin/connector/file/upload', multer().array('files'), (_, response) =>
  response.json(answers.upload())
)
app.post('/invalid', (_, response) => response.status(422).json(answers.invalid()))
app.listen(Number(port), '127.0.0.1')
