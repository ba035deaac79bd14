import { emptyPersona } from '../../../apis/knowledge-chat/rows.gen.js'
import type { Persona } from '../../../apis/knowledge-chat/types.gen.js'
import type { Json, JsonObject } from '../../../engine/contract/load.js'
import { unknownNumber } from '../kinds.js'
import { shows as isShown } from '../same.js'
import { changing, type Play, type Scene } from './any/scene.js'

/** E5 and E6. The interface cannot create agents, so this uses one that may be changed. */
export const personaPlays: Play[] = [
  changing('an agent is changed and read back', ['updatePersona', 'getPersona'], async (scene) => {
    const path = { persona_id: await scene.own('persona') }
    const before = await scene.must('getPersona', { path })
    if (before.builtin_persona) {
      scene.run.results.couldNot('updatePersona', scene.title, 'the agent is a built-in one: give another')
      return
    }
    const change = {
      name: scene.run.mark('agent'),
      description: 'Writes what changed, and why.',
      num_chunks: (before.num_chunks ?? 0) + 3,
      starter_messages: [{ name: 'Hello', message: 'What changed this week?' }],
      system_prompt: 'You write "release notes". 東京 🚀',
      datetime_aware: !before.datetime_aware,
      replace_base_system_prompt: true
    }
    await patch(scene, path, { ...wholeBody(before), ...change }, change)
    await leavesOut(scene, path)
    await unknownLabels(scene, path, wholeBody(before))
    await restore(scene, path, before, change)
  })
]

type Path = { persona_id: number | string }

async function patch(scene: Scene, path: Path, body: JsonObject, expected: JsonObject): Promise<Persona> {
  const told = await scene.must('updatePersona', { path, body })
  shows(scene, 'updatePersona', told, expected)
  const read = await scene.must('getPersona', { path })
  const hasDate = 'search_start_date' in told ? 'present' : 'absent'
  if (read.search_start_date) scene.run.answers.add('persona.search-start-date', hasDate, scene.title)
  shows(scene, 'getPersona', read, expected)
  return read
}

function shows(scene: Scene, operation: string, persona: Persona, expected: JsonObject): void {
  const fields = persona as unknown as JsonObject
  const differing = Object.keys(expected).filter((name) => !isShown(fields[name], expected[name]))
  const wanted = differing.map((name) => `${name} ${JSON.stringify(expected[name])}`).join(', ')
  const got = differing.map((name) => `${name} ${JSON.stringify(fields[name])}`).join(', ')
  scene.check('values_read_back', operation, differing.length === 0, wanted, got)
}

/** Unknown ids are refused or dropped; the server chooses. */
async function unknownLabels(scene: Scene, path: Path, whole: JsonObject): Promise<void> {
  const body = { ...whole, label_ids: [unknownNumber] }
  const { reply } = await scene.ask('updatePersona', { path, body }, 'admin', 'unknown-reference')
  if (reply.status < 300) scene.run.answers.add('persona.references', 'dropped', 'a label that does not exist')
  if (reply.status === 404) scene.run.answers.add('persona.references', '404', 'a label that does not exist')
}

/** What happens to fields that a body leaves out. One of the choices of persona.patch must explain it. */
async function leavesOut(scene: Scene, path: Path): Promise<void> {
  if (scene.run.needs.any('updatePersona')) return
  const before = await scene.must('getPersona', { path })
  const name = scene.run.mark('renamed')
  const after = await patch(scene, path, { name }, { name })
  const kept = (field: keyof Persona) => isShown(documented(after)[field], documented(before)[field])
  const withDefault = kept('replace_base_system_prompt')
  const others = (['description', 'num_chunks', 'starter_messages', 'system_prompt'] as const).filter(kept).length
  const choice =
    others === 4 ? (withDefault ? 'partial' : 'defaults') : others === 0 && !withDefault ? 'replace' : undefined
  if (choice) scene.run.answers.add('persona.patch', choice, scene.title)
  const expected = 'fields that are left out as they were, or all empty, or those with a default at their default'
  scene.check('values_read_back', 'updatePersona', choice !== undefined, expected)
}

/** An agent whose starter messages have only the documented fields. */
function documented(persona: Persona): Persona {
  return { ...persona, starter_messages: persona.starter_messages?.map(({ name, message }) => ({ name, message })) }
}

/** A body with the agent's values. Nulls are left out, because a body need not accept them. */
export function wholeBody(persona: Persona): JsonObject {
  const { document_sets, tools, labels, users } = persona
  const ids = (rows: { id: Json }[]) => rows.map((row) => row.id)
  const body: JsonObject = {
    document_set_ids: ids(document_sets),
    tool_ids: ids(tools),
    label_ids: ids(labels),
    users: ids(users)
  }
  // The reply does not say who owns an image.
  const { uploaded_image_id: _, ...same } = emptyPersona
  for (const name of Object.keys(same)) {
    const value = (persona as unknown as JsonObject)[name]
    if (value !== null && value !== undefined) body[name] = value
  }
  return body
}

/** Restores what was changed. Empty fields stay changed if the server does not accept null. */
async function restore(scene: Scene, path: Path, before: Persona, change: JsonObject): Promise<void> {
  const body = wholeBody(before)
  const fields = before as unknown as JsonObject
  const empty = Object.keys(change).filter((name) => (fields[name] ?? null) === null)
  if (empty.length > 0) {
    const nulls = Object.fromEntries(empty.map((name) => [name, null]))
    const { reply } = await scene.ask('updatePersona', { path, body: { ...body, ...nulls } })
    if (reply.status < 300) return
  }
  await patch(scene, path, body, {})
}
