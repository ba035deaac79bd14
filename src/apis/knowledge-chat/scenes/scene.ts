import type { JsonObject } from '../../../engine/contract/load.js'
import { type Id, isSameId } from '../../../tools/verify/api.js'
import { Stopped } from '../../../tools/verify/calls/patience.js'
import type { Input } from '../../../tools/verify/calls/request.js'
import type { Play as AnyPlay, Scene as AnyScene } from '../../../tools/verify/scene.js'
import type { Operations } from '../types.gen.js'

export type Scene = AnyScene<Operations>
export type Play = AnyPlay<Operations>

/** A play whose calls change nothing. */
export function reading(title: string, operations: string[], play: Play['play']): Play {
  return { title, operations, mutating: false, play }
}

/** A play that needs `--mutating`. */
export function changing(title: string, operations: string[], play: Play['play']): Play {
  return { title, operations, mutating: true, play }
}

/** The first example of an operation in the contract. */
export function exampleOf(scene: Scene, id: string): Input {
  const [example] = Object.values(scene.run.operation(id).examples)
  if (!example) throw new Stopped('the contract has no example')
  return example
}

/** Whether an id is among others. UUIDs are compared without case. */
export function among(ids: readonly Id[]): (id: Id) => boolean {
  const set = new Set(ids.map((id) => String(id).toLowerCase()))
  return (id) => set.has(String(id).toLowerCase())
}

/** The form of a new private key, for any server. */
export function keyForm({ run, rows }: Scene, name: string): JsonObject {
  const [example] = Object.values(rows.examplesOf(run.operation('replacePrivateKey')))
  return { ...(example?.body as JsonObject), name: run.mark(name) }
}

/** The rows with an id. */
export function withId<Row extends { id: Id }>(rows: readonly Row[], id: Id): Row[] {
  return rows.filter((row) => isSameId(row.id, id))
}

export async function newSession(scene: Scene, description: string, more = {}): Promise<string> {
  return (await scene.must('createChatSession', { body: { description, ...more } })).chat_session_id
}

/** The instructions of a project that may be changed. If they differ when the scene ends, they are written again. */
export async function ownInstructions(scene: Scene, id?: Id) {
  const path = { project_id: id ?? (await scene.own('project')) }
  const read = async () => (await scene.must('getProjectDetails', { path })).project.instructions ?? ''
  const before = await read()
  scene.undo.push(async () => {
    if ((await read()) !== before) await scene.must('setProjectInstructions', { path, body: { instructions: before } })
  })
  return { path, before, read }
}
