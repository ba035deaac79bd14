import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What a hand-written stub does: keeps personas and sessions, checks nothing, and answers with the bodies that the mock
 * gave. Projects, search and upload are answers as recorded.
 */
export function createAnswers(folder) {
  const { answers } = JSON.parse(readFileSync(join(folder, 'answers.json'), 'utf8'))
  const personas = new Map([['1', answers['get-persona']]])
  const sessions = new Map()
  return {
    getPersona: (id) => personas.get(id),
    updatePersona(id, changes) {
      const persona = { ...personas.get(id), ...changes }
      personas.set(id, persona)
      return persona
    },
    createSession(body) {
      const id = randomUUID()
      sessions.set(id, { id, ...body })
      return { chat_session_id: id }
    },
    listProjects: () => answers['get-projects'],
    search: () => answers.search,
    invalid: () => answers.invalid,
    upload: () => answers.upload
  }
}
