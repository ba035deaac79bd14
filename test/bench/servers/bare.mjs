// node:http alone: the limit of what a server in JavaScript can do with these bytes. It reads and parses bodies, keeps
// state and serializes, and does nothing else.
import { createServer } from 'node:http'
import { createAnswers } from './answers.mjs'

const [port, folder] = process.argv.slice(2)
const answers = createAnswers(folder)

createServer((request, response) => {
  const { method, url } = request
  if (method === 'GET') {
    if (url.startsWith('/api/persona/')) return send(response, 200, answers.getPersona(url.slice(13)))
    if (url === '/api/user/projects/') return send(response, 200, answers.listProjects())
    if (url.startsWith('/api/chat/search')) return send(response, 200, answers.search())
    return send(response, 404, {})
  }
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    if (url === '/api/manage/admin/connector/file/upload') return send(response, 200, answers.upload())
    const body = JSON.parse(Buffer.concat(chunks).toString())
    if (url === '/api/chat/create-chat-session') return send(response, 200, answers.createSession(body))
    if (url.startsWith('/api/persona/')) return send(response, 200, answers.updatePersona(url.slice(13), body))
    if (url === '/invalid') return send(response, 422, answers.invalid())
    send(response, 404, {})
  })
}).listen(port, '127.0.0.1')

function send(response, status, body) {
  const text = JSON.stringify(body)
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
  response.end(text)
}
