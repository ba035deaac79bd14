import type { Persona } from '../../contract/types.gen.js'
import type { Input } from '../request.js'
import type { Kind } from '../rows.js'
import { Stopped } from '../stopped.js'
import type { Play, Scene } from './scene.js'

/**
 * E7, E20, E28 and E30: what they delete cannot be made through the interface, so they delete only what may be. Last
 * of all plays, because others need these rows.
 */
export const deletionPlays: Play[] = [
  {
    title: 'an agent is deleted',
    operations: ['deletePersona', 'getPersona'],
    mutating: true,
    async play(scene) {
      const path = { persona_id: await scene.own('persona', 'getPersona') }
      await scene.must('deletePersona', { path })
      await scene.refused('use_after_free', 'getPersona', { path }, 'a refusal: the agent is deleted')
      await scene.refused('use_after_free', 'deletePersona', { path }, 'a refusal: the agent is deleted')
    }
  },
  {
    title: 'a tool is deleted',
    operations: ['deleteTool'],
    mutating: true,
    async play(scene) {
      const input = await deleted(scene, 'deleteTool', 'tool', (id) => ({ path: { tool_id: id } }))
      await scene.refused('use_after_free', 'deleteTool', input, 'a refusal: the tool is deleted')
      const persona_id = scene.rows.known('persona')
      if (persona_id === undefined) return
      const { reply } = await scene.ask('getPersona', { path: { persona_id } }, 'admin', 'missing')
      if (reply.status >= 300) return
      const isGone = !(reply.body as Persona).tools.some((tool) => tool.id === input.path?.tool_id)
      scene.check('use_after_free', 'deleteTool', isGone, 'an agent without the tool')
    }
  },
  {
    title: 'a token rate limit is deleted',
    operations: ['deleteTokenRateLimit'],
    mutating: true,
    async play(scene) {
      const input = await deleted(scene, 'deleteTokenRateLimit', 'limit', (id) => ({
        path: { token_rate_limit_id: id }
      }))
      await scene.refused('use_after_free', 'deleteTokenRateLimit', input, 'a refusal: the limit is deleted')
    }
  },
  {
    title: 'a user is deleted',
    operations: ['deleteUser'],
    mutating: true,
    async play(scene) {
      const input = await deleted(scene, 'deleteUser', 'user', (id) => ({ body: { user_email: id } }))
      scene.run.answers.add('users.delete-active', 'deleted', scene.title)
      await scene.refused('use_after_free', 'deleteUser', input, 'a refusal: the user is deleted')
    }
  }
]

/** Deletes the first row of a kind that may go and that is there. */
async function deleted(scene: Scene, id: string, kind: Kind, inputOf: (id: number | string) => Input): Promise<Input> {
  for (const row of scene.rows.own(kind)) {
    const exchange = await scene.ask(id, inputOf(row), 'admin', 'missing')
    if (exchange.reply.status < 300) return inputOf(row)
    if (id === 'deleteUser' && exchange.reply.status === 400) {
      scene.run.answers.add('users.delete-active', 'refused', scene.title)
    }
  }
  throw new Stopped(`no ${kind} is known that may be deleted: give one with --disposable ${kind}=<id>`)
}
