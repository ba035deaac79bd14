import { call } from '../client.js'
import type { Choice } from '../parts/choices.js'
import { several } from '../state/labels.js'
import { keys } from './query.js'

/** The values that each key can have here. */
export type Vocabulary = Record<string, { value: string; hint?: string }[]>

const most = 50
/** Users of every fixture set come first. */
const common = ['basic', 'curator', 'admin']
const flags = [{ value: 'true' }, { value: 'false' }]

export async function loadVocabulary(): Promise<Vocabulary> {
  const [{ operations }, { assumptions }, { collections }, { rows }] = await Promise.all([
    call('listOperations'),
    call('getAssumptions'),
    call('listCollections'),
    call('listRows', { path: { collection: 'users' }, query: { limit: 100 } })
  ])
  const users = (rows as unknown as { key: string; role: string }[]).sort(
    (a, b) => common.indexOf(b.key) - common.indexOf(a.key)
  )
  return {
    op: operations.map(({ id, method, path }) => ({ value: id, hint: `${method} ${path}` })),
    status: ['2xx', '3xx', '4xx', '5xx', '0'].map((value) => ({ value })),
    user: [...users.map(({ key, role }) => ({ value: key, hint: role })), { value: 'nobody', hint: 'no known token' }],
    assumed: assumptions.map(({ id, question }) => ({ value: id, hint: question })),
    changed: collections.map(({ name, description }) => ({ value: name, hint: `${several(name)}: ${description}` })),
    violations: flags,
    unmatched: flags
  }
}

/** The word that ends at the caret. */
export function wordAt(text: string, caret: number): string {
  return text.slice(0, caret).split(/\s/).at(-1) ?? ''
}

/** What the word at the caret may become. */
export function suggest(word: string, vocabulary: Vocabulary | undefined): Choice[] {
  const [key, value] = word.includes(':') ? word.split(/:(.*)/s) : [undefined, word]
  const has = (text: string) => text.toLowerCase().includes((value ?? '').toLowerCase())
  if (key !== undefined) {
    return (vocabulary?.[key] ?? [])
      .filter((it) => has(it.value))
      .slice(0, most)
      .map((it) => ({ id: `${key}:${it.value}`, label: `${key}:${it.value}`, hint: it.hint }))
  }
  const fitting = Object.entries(keys).filter(([name]) => name.startsWith(word.toLowerCase()))
  const choices: Choice[] = fitting.map(([name, { hint }]) => ({ id: `${name}:`, label: `${name}:`, hint }))
  if (word.length < 3) return choices
  const operations = (vocabulary?.op ?? []).filter((it) => has(it.value))
  return [
    ...choices,
    ...operations.slice(0, most).map((it) => ({ id: `op:${it.value}`, label: `op:${it.value}`, hint: it.hint }))
  ]
}
