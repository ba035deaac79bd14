import type { Json, JsonObject } from '../../../engine/contract/load.js'
import { type ApiTable, kindNamed } from '../api.js'
import type { Input } from '../calls/request.js'
import { namesOf } from '../judge.js'
import { isRow, rowsAt } from '../rows.js'
import type { Play, Scene } from '../scene.js'

/** A row has the same fields wherever it is shown. A change by another client in the meantime is the same the second time. */
export function shownPlay({ shows }: ApiTable): Play {
  const operations = Object.keys(shows)
  return { title: 'what several operations show of one row', operations, mutating: false, play }

  async function play(scene: Scene): Promise<void> {
    const first = await differing(scene)
    for (const [key, { id, input, text }] of first.size > 0 ? await differing(scene) : first) {
      if (first.get(key)?.text !== text) continue
      await scene.ask(id, input)
      return void scene.check('values_read_back', id, false, 'the same as in other replies', `${key}: ${text}`)
    }
    for (const id of operations) scene.run.results.held(id, 'values_read_back')
  }
}

/** The fields that differ, by kind, row and name. */
async function differing(scene: Scene) {
  const { api } = scene.run
  const { named, free } = namesOf(scene.run)
  const differences = new Map<string, { id: string; input: Input; text: string }>()
  const values = new Map<string, Json>()
  for (const { kind, id, input, row } of await rowsOf(scene)) {
    for (const [name, value] of Object.entries(row)) {
      const isCompared = named.has(name) && !free.has(name) && !api.state.moving.test(name) && !api.local.includes(name)
      if (!isCompared || value === null || typeof value === 'object') continue
      const key = `${kind} ${String(row.id).toLowerCase()} ${name}`
      if (!values.has(key)) values.set(key, value)
      const text = `${JSON.stringify(values.get(key))} and ${JSON.stringify(value)}`
      if (values.get(key) !== value) differences.set(key, { id, input, text })
    }
  }
  return differences
}

/** Rows of each kind, as each operation shows them. Those of an address are the known ones, and the last ones of lists. */
async function rowsOf({ run, rows }: Scene) {
  const { shows, parameters } = run.api
  const results: { kind: string; id: string; input: Input; row: JsonObject }[] = []
  for (const [id, shown] of Object.entries(shows)) {
    const [name] = Object.keys((run.operation(id).input.path?.properties ?? {}) as JsonObject)
    for (const input of inputsOf(name)) {
      const { reply } = (await run.tried(id, input)) ?? {}
      if (!reply || !isRow(run, reply)) continue
      for (const [kind, fields] of Object.entries(shown)) {
        for (const row of rowsAt(reply.body, fields)) if (row.id !== undefined) results.push({ kind, id, input, row })
      }
    }
  }
  return results

  function inputsOf(name: string | undefined): Input[] {
    if (name === undefined) return [{}]
    const { kind = '', field } = parameters[name] ?? { kind: kindNamed(run.api, name), field: 'id' }
    const listed = new Set(results.flatMap((it) => (it.kind === kind ? [it.row[field] as Json] : [])).slice(-3))
    const ids = field === 'id' ? rows.readable(kind) : []
    return [...new Set([...ids, ...listed])].map((value) => ({ path: { [name]: value } }))
  }
}
