import { isObject, type Json, type JsonObject } from '../../../engine/contract/load.js'
import { type Id, isSameId, unknownNumber } from '../../../tools/verify/api.js'
import { isReadable, namesOf } from '../../../tools/verify/judge.js'
import { changeable, lines, words } from '../../../tools/verify/phases/hostile.js'
import { eachLeavesTheRest, isOf, neighbours, type PreparedCall } from '../../../tools/verify/plays/neighbours.js'
import { contains } from '../../../tools/verify/scene.js'
import { emptyPersona } from '../rows.gen.js'
import type { Persona } from '../types.gen.js'
import { poolOf } from './pool.js'
import { changing, type Play, type Scene } from './scene.js'

type Path = { persona_id: Id }

export async function ownAgent(scene: Scene) {
  const path: Path = { persona_id: await scene.own('persona') }
  return { path, before: await scene.must('getPersona', { path }) }
}

/** Writes the values of an agent again when the scene ends. */
export function keepAgent(scene: Scene, path: Path, before: Persona): void {
  scene.undo.push(async () => {
    await scene.ask('updatePersona', { path, body: wholeBody(before) }, 'unknown-reference')
  })
}

/** An agent that may be changed and uses the row, if the server allows that. */
export async function agentWith(scene: Scene, name: string, id: Id): Promise<Persona | undefined> {
  const [persona_id] = scene.rows.own('persona')
  // An agent's file ids are texts, so case matters.
  if (persona_id === undefined || String(id) !== String(id).toLowerCase()) return undefined
  const path = { persona_id }
  const agent = await scene.may('getPersona', { path }, 'missing')
  if (!agent || agent.builtin_persona) return undefined
  const idsIn = (some: Persona) => wholeBody(some)[name] as Id[]
  const others = idsIn(agent).filter((it) => !isSameId(it, id))
  const body = { ...wholeBody(agent), [name]: [...others, id] }
  if (!(await scene.may('updatePersona', { path, body: body as never }, 'unknown-reference'))) return undefined
  keepAgent(scene, path, agent)
  const read = await scene.must('getPersona', { path })
  return idsIn(read).some((it) => isSameId(it, id)) ? read : undefined
}

/** A body with the agent's values. Nulls are left out, because a body need not accept them. */
export function wholeBody(persona: Persona): JsonObject {
  // The reply does not say who owns an image.
  const { uploaded_image_id: _, ...same } = emptyPersona
  const fields = Object.keys(same).map((name) => [name, fieldsOf(persona)[name] ?? null] as const)
  return {
    document_set_ids: idsOf(persona.document_sets),
    tool_ids: idsOf(persona.tools),
    label_ids: idsOf(persona.labels),
    users: idsOf(persona.users),
    ...Object.fromEntries(fields.filter(([, value]) => value !== null))
  }
}

function fieldsOf(persona: Persona): JsonObject {
  return persona as unknown as JsonObject
}

function idsOf<Of extends Json>(rows: { id: Of }[]): Of[] {
  return rows.map((row) => row.id)
}

/** E5 and E6. The interface cannot create agents, so this uses one that may be changed. */
export const personaPlays: Play[] = [
  changing('an agent is changed and read back', ['updatePersona', 'getPersona'], async (scene) => {
    const { path, before } = await ownAgent(scene)
    if (before.builtin_persona) {
      scene.couldNot('updatePersona', 'the agent is a built-in one: give another')
      return
    }
    const change = {
      name: scene.mark('agent'),
      description: 'Writes what changed, and why.',
      num_chunks: (before.num_chunks ?? 0) + 3,
      starter_messages: [{ name: 'Hello', message: 'What changed this week?' }],
      system_prompt: 'You write "release notes". 東京 🚀',
      datetime_aware: !before.datetime_aware,
      replace_base_system_prompt: true
    }
    keepAgent(scene, path, before)
    await patch(scene, path, { ...wholeBody(before), ...change }, change)
    await leavesOut(scene, path)
    // Unknown ids are refused or dropped.
    const body = { ...wholeBody(before), label_ids: [unknownNumber] }
    const { status } = (await scene.ask('updatePersona', { path, body }, 'unknown-reference')).reply
    const choice = status < 300 ? 'dropped' : { 404: '404' }[status]
    if (choice) scene.answer('persona.references', choice, 'a label that does not exist')
  }),
  changing('each field of an agent is changed separately', ['updatePersona', 'getPersona'], async (scene) => {
    const { path, before } = await ownAgent(scene)
    if (before.builtin_persona) return
    const { run } = scene
    const whole = run.needs.any('updatePersona') ? wholeBody(before) : {}
    const prepare = async (change: Change): Promise<PreparedCall> => {
      if (scene.undo.length === 0) keepAgent(scene, path, before)
      return {
        watched: { persona: neighbours(path.persona_id) },
        act: () => changed(scene, path, whole, change),
        isMeant: (place) => isOf(place, 'getPersona', path.persona_id) || place.includes('persona_id_to_is_default')
      }
    }
    const changes = [...changesOf(scene, before, await rowsOfOthers(scene))].slice(0, 5 * run.most)
    const calls = changes.map((change) => ['updatePersona', () => prepare(change)] as const)
    await eachLeavesTheRest(scene, true, calls)
  })
]

/** The rows that other agents show, by the field of a body that names them. */
async function rowsOfOthers({ run, rows }: Scene): Promise<{ [name: string]: Id[] }> {
  const personas: Persona[] = []
  // The named ones come first.
  for (const persona_id of rows.readable('persona').slice(-6)) {
    const exchange = await run.tried('getPersona', { path: { persona_id } })
    if (exchange && isReadable(run, exchange)) personas.push(exchange.reply.body as Persona)
  }
  const ids = (of: (persona: Persona) => Id[]) => [...new Set(personas.flatMap(of))].slice(0, 6)
  return {
    tool_ids: ids(({ tools }) => idsOf(tools)),
    label_ids: ids(({ labels }) => idsOf(labels)),
    document_set_ids: ids(({ document_sets }) => idsOf(document_sets)),
    groups: [...new Set([...poolOf(run).groups, ...ids(({ groups }) => groups)])],
    uploaded_image_id: ids(({ uploaded_image_id: image }) => (image ? [image] : []))
  }
}

async function patch(scene: Scene, path: Path, body: JsonObject, expected: JsonObject): Promise<Persona> {
  const reply = await scene.must('updatePersona', { path, body })
  scene.shows('updatePersona', reply, expected)
  const read = await scene.must('getPersona', { path })
  const hasDate = 'search_start_date' in reply ? 'present' : 'absent'
  if (read.search_start_date) scene.answer('persona.search-start-date', hasDate)
  scene.shows('getPersona', read, expected)
  return read
}

/** What happens to fields that a body leaves out. One of the choices of persona.patch must explain it. */
async function leavesOut(scene: Scene, path: Path): Promise<void> {
  if (scene.run.needs.any('updatePersona')) return
  const before = await scene.must('getPersona', { path })
  const name = scene.mark('renamed')
  const after = await patch(scene, path, { name }, { name })
  const isKept = (field: keyof Persona) => textOf(scene, after, field) === textOf(scene, before, field)
  const hasDefault = isKept('replace_base_system_prompt')
  const count = (['description', 'starter_messages', 'system_prompt'] as const).filter(isKept).length
  const isPartial = count === 3 && isKept('num_chunks')
  // No number is an empty one, so a server may keep it.
  const isReplaced = count === 0 && !hasDefault
  const choice = isPartial ? (hasDefault ? 'partial' : 'defaults') : isReplaced ? 'replace' : undefined
  if (choice) scene.answer('persona.patch', choice)
  const expected = 'fields that are left out as they were, or all empty, or those with a default at their default'
  scene.check('values_read_back', 'updatePersona', choice !== undefined, expected)
}

/** A field of a body, a new value for it, and the value that the agent should then show. */
interface Change {
  name: string
  value: Json
  shown: (persona: Persona) => unknown
  expected: unknown
}

async function changed(scene: Scene, path: Path, whole: JsonObject, change: Change): Promise<void> {
  const { name, value, shown, expected } = change
  const old = await scene.must('getPersona', { path })
  const { display_priority: before } = old
  const input = { path, body: { ...whole, [name]: value } }
  if (value === '') scene.run.blank.add(name)
  else scene.run.blank.delete(name)
  const { status, body } = (await scene.ask('updatePersona', input, 'unknown-reference')).reply
  if (status >= 300) return scene.couldNot('updatePersona', `the server does not take the value (${status})`, name)
  const inReply = shown(body as Persona)
  if (name === 'display_priority' && typeof before === 'number') {
    const isKept = inReply === before && inReply !== expected
    scene.answer('persona.display-priority', isKept ? 'kept' : 'changed')
    if (isKept && scene.run.answers.get('persona.display-priority') === 'kept') return
  }
  const check = (passes: boolean, got: unknown, where: string) => {
    const text = `${name} ${JSON.stringify(expected)}`
    scene.check('values_read_back', 'updatePersona', passes, text, `${JSON.stringify(got)}, ${where}`)
  }
  // Only the read response is documented to have the date.
  const mayLack = name === 'search_start_date' && inReply === undefined
  check(contains(inReply, expected) || mayLack, inReply, 'in its reply')
  const after = await scene.must('getPersona', { path })
  const read = shown(after)
  check(contains(read, expected), read, 'read afterwards')
  const isPartial = Object.keys(whole).length === 0 && scene.run.answers.get('persona.patch') === 'partial'
  const apart = coupled.find((names) => names.includes(name)) ?? [name]
  const differing = (some: Persona) =>
    comparable.filter((it) => !apart.includes(it) && textOf(scene, some, it) !== textOf(scene, after, it))
  const others = isPartial ? differing(old) : []
  const rest = `the other fields as they were before the change of ${name}`
  scene.check('others_untouched', 'updatePersona', others.length === 0, rest, `another ${others.join(', ')}`)
  const wrong = differing(body as Persona)
  const same = `the fields of the reply as they are read afterwards`
  scene.check('values_read_back', 'updatePersona', wrong.length === 0, same, `another ${wrong.join(', ')}`)
}

/** The fields of an agent that no clock changes. */
const comparable = Object.keys(emptyPersona).filter((name) => !/^(search_start_date|time_)/.test(name))

/** Fields that a service may change together. */
const coupled = [
  ['uploaded_image_id', 'remove_image'],
  ['is_public', 'users', 'groups', 'is_default_persona', 'display_priority', 'is_visible'],
  ['llm_model_provider_override', 'llm_model_version_override'],
  ['document_set_ids', 'document_sets', 'user_file_ids', 'num_chunks'],
  ['tool_ids', 'tools'],
  ['label_ids', 'labels'],
  ['system_prompt', 'task_prompt', 'replace_base_system_prompt', 'datetime_aware']
]

/** A field in a fixed order. Null is none, and fields that the description does not name, or that clocks change, do not count. */
function textOf({ run }: Scene, persona: Persona, name: string): string {
  const { named: names } = namesOf(run)
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => JSON.stringify(sorted(item))).sort()
    if (!isObject(value)) return value ?? null
    const fields = Object.entries(value).filter(([it, item]) => item !== null && names.has(it))
    const steady = fields.filter(([it]) => !run.api.state.moving.test(it))
    return Object.fromEntries(steady.map(([it, item]) => [it, sorted(item)] as const).sort())
  }
  return JSON.stringify(sorted(fieldsOf(persona)[name]))
}

function* changesOf(scene: Scene, before: Persona, others: { [name: string]: Id[] }): Iterable<Change> {
  const fields = fieldsOf(before)
  const same = (name: string, value: Json): Change => ({
    name,
    value,
    shown: (persona) => fieldsOf(persona)[name],
    expected: value
  })
  /** A value that is easily mistaken for none. A server may show it as none. */
  const none = (name: string, value: Json): Change => ({
    ...same(name, value),
    shown: (persona) => fieldsOf(persona)[name] ?? value
  })
  yield same('name', `${changeable}${scene.mark('alone')}${changeable}`)
  for (const [at, name] of ['description', 'system_prompt', 'task_prompt'].entries()) {
    yield none(name, '')
    yield same(name, words[at] as string)
    // Longer than a short column of a database.
    const long = Array.from({ length: 200 }, (_, n) => `${n}: ${scene.mark('long')}`).join('\n')
    yield same(name, `${lines}${long}${lines}`)
  }
  for (const name of ['num_chunks', 'display_priority']) {
    // A server may have a limit, but then it refuses the number.
    yield same(name, Number(fields[name] ?? 0) + 120)
    yield none(name, 0)
  }
  yield same('display_priority', -7)
  const flags = ['llm_filter_extraction', 'llm_relevance_filter', 'datetime_aware', 'replace_base_system_prompt']
  for (const name of [...flags, 'is_public', 'is_default_persona']) yield same(name, !fields[name])
  // The other way round, so that each is changed once where the others have its new value, and once where they have its old one.
  for (const name of flags.toReversed()) yield same(name, Boolean(fields[name]))
  const starter = scene.mark('starter')
  yield same(
    'starter_messages',
    [2, 1, 3, 5, 4, 2].map((n) => ({ name: `${starter}${changeable}${n}`, message: `What is "new" in ${n}?${lines}` }))
  )
  for (const name of ['llm_model_provider_override', 'llm_model_version_override']) yield same(name, 'kcm-verify')
  for (const value of ['2025-02-03T04:05:06.000Z', '2025-03-04T05:06:07+02:00']) {
    const expected = Date.parse(value)
    const shown = ({ search_start_date: date }: Persona) => date && momentOf(date, expected)
    yield { name: 'search_start_date', value, shown, expected }
  }
  yield* changesOfLists(scene, before, others)
  const image = before.uploaded_image_id ?? others.uploaded_image_id?.[0]
  if (image && !before.uploaded_image_id) yield same('uploaded_image_id', image)
  yield same('icon_name', `${scene.mark('icon')} MiXeD`)
  if (image) {
    const shown = (persona: Persona) => persona.uploaded_image_id ?? null
    yield { name: 'remove_image', value: false, shown, expected: image }
    yield { name: 'remove_image', value: true, shown, expected: null }
    if (before.uploaded_image_id) yield same('uploaded_image_id', image)
  }
}

/** The moment of a date. Without an offset it may be of any zone, so it is the expected one if that zone exists. */
function momentOf(date: string, expected: number): number {
  if (/(Z|[+-]\d\d:?\d\d)$/i.test(date)) return Date.parse(date)
  const moment = Date.parse(`${date}Z`)
  const away = Math.abs(moment - expected)
  return away % 900_000 === 0 && away <= 50_400_000 ? expected : moment
}

/** Changes of lists of rows: full lists are shortened and emptied, and empty ones get known rows. */
function* changesOfLists(scene: Scene, before: Persona, others: { [name: string]: Id[] }): Iterable<Change> {
  const lower = (ids: Id[]) => ids.map((id) => String(id).toLowerCase())
  const lists = {
    tool_ids: ({ tools }: Persona) => idsOf(tools),
    label_ids: ({ labels }: Persona) => idsOf(labels),
    document_set_ids: ({ document_sets }: Persona) => idsOf(document_sets),
    groups: ({ groups }: Persona) => groups,
    users: ({ users }: Persona) => lower(idsOf(users)),
    user_file_ids: ({ user_file_ids }: Persona) => lower(user_file_ids)
  }
  const ownerOf = ({ owner }: Persona) => owner?.id.toLowerCase()
  for (const [name, idsIn] of Object.entries(lists)) {
    // A server may keep the owner among the users.
    const shown = (it: Persona) => idsIn(it).filter((id) => name !== 'users' || id !== ownerOf(it))
    // Several in no order. A server may have its own.
    const several = [...new Set([...(others[name] ?? []), ...(name in others ? shown(before) : [])])].slice(0, 3)
    const sorted = (it: Persona) => shown(it).map(String).sort()
    if (several.length > (name === 'groups' ? 0 : 1)) {
      yield { name, value: several.toReversed(), shown: sorted, expected: several.map(String).sort() }
    }
    const [first, ...more] = shown(before)
    if (first === undefined) continue
    if (more.length > 0) yield { name, value: [first], shown, expected: [first] }
    yield { name, value: [], shown, expected: [] }
  }
  const [file] = scene.rows.own('file')
  if (file !== undefined) {
    yield { name: 'user_file_ids', value: [file], shown: lists.user_file_ids, expected: lower([file]) }
  }
  const owner = ownerOf(before)
  if (before.owner) yield { name: 'users', value: [before.owner.id], shown: lists.users, expected: [owner] }
}
