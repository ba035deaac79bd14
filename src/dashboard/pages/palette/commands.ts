import { call } from '../client.js'
import { pagesHere } from '../cluster/is-shared.js'
import type { Choice } from '../parts/choices.js'
import { queryText } from '../requests/query.js'
import { go, href } from '../route.js'
import { findRows } from '../state/find-rows.js'
import { one } from '../state/labels.js'
import { emptyJournal } from '../undo/empty-journal.js'
import { playScenario, undoable } from '../undo/undo.js'

/** Something that the palette can do or show. */
export interface Command extends Choice {
  group: string
  /** Returns a text if there is something to say. */
  run: () => Promise<unknown> | unknown
}

/** Commands of a group if there is a text, and sandboxes with it. */
const most = 7
/** Rows of a collection. */
const mostRows = 3

const titled = (name: string) => name[0]?.toUpperCase() + name.slice(1)

/** Everything except rows: pages, actions, scenarios, operations, assumptions, sandboxes. */
export async function loadCommands(showKeys: () => void): Promise<Command[]> {
  const [{ operations }, { assumptions }, { scenarios }, { sandboxes }] = await Promise.all([
    call('listOperations'),
    call('getAssumptions'),
    call('listScenarios'),
    call('listSandboxes')
  ])
  return [
    ...pagesHere().map((page) => command('Pages', titled(page), undefined, () => go(href(page)))),
    ...actions(showKeys),
    ...scenarios.map(({ name, description }) =>
      command('Scenarios', `Play ${name}`, description, () => playScenario(name))
    ),
    ...operations.map(({ id, method, path, summary }) =>
      command('Operations', id, `${summary} · ${method} ${path}`, () =>
        go(href('requests', [], { q: queryText({ op: id }) }))
      )
    ),
    ...operations.map(({ id, method, path }) =>
      command('Send', `Send ${id}`, `${method} ${path}`, () => go(href('send', [id])))
    ),
    ...assumptions.map(({ id, question }) =>
      command('Assumptions', id, question, () => go(href('assumptions', [], { q: id })))
    ),
    ...sandboxes.map(openingSandbox)
  ]
}

function actions(showKeys: () => void): Command[] {
  const clock = (label: string, body: object, text: string) =>
    command('Actions', label, undefined, async () => {
      await undoable('setClock', { body }, text)
    })
  return [
    command('Actions', 'Send a request', undefined, () => go(href('send'))),
    command('Actions', 'Add an override', undefined, () => go(href('overrides', ['new']))),
    command('Actions', 'Clear the journal', undefined, emptyJournal),
    clock('Stop the clock', { speed: 0 }, 'The clock stands still.'),
    clock('Let the clock run', { speed: 1 }, 'The clock runs.'),
    clock('Advance the clock by an hour', { advance: '1h' }, 'The clock is an hour later.'),
    clock('Advance the clock by a day', { advance: '1d' }, 'The clock is a day later.'),
    command('Actions', 'Snapshots, reset and fork', undefined, () => go(href('state'))),
    command('Actions', 'Show the keys', undefined, showKeys)
  ]
}

function command(group: string, label: string, hint: string | undefined, run: Command['run']): Command {
  return { id: `${group} ${label}`, group, label, hint, run }
}

function openingSandbox({ name }: { name: string }): Command {
  return command('Sandboxes', `Open ${name}`, undefined, () => go(href('requests', [], {}, name)))
}

/** Sandboxes with a text in their name, and rows with it in any field. */
export async function find(text: string): Promise<Command[]> {
  const [{ sandboxes }, rows] = await Promise.all([
    call('listSandboxes', { query: { q: text, limit: most } }),
    rowsWith(text)
  ])
  return [...sandboxes.map(openingSandbox), ...rows]
}

/** Rows of all collections with a text in any field. */
async function rowsWith(text: string): Promise<Command[]> {
  const { collections } = await call('listCollections')
  const rows = await Promise.all(
    collections.map(async ({ name }) => {
      const rows = await findRows(name, text, mostRows)
      return rows.map(({ id, label }) =>
        command('Rows', `${one(name)} ${label}`, `${name} ${id}`, () => go(href('state', [name, id])))
      )
    })
  )
  return rows.flat().map((it, at) => ({ ...it, id: `${it.id} ${at}` }))
}

/** The commands that have all words of a text. Those whose label begins with it come first. */
export function matching(commands: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const ranked = commands.flatMap((it) => {
    const label = it.label.toLowerCase()
    const all = `${label} ${it.hint ?? ''} ${it.group}`.toLowerCase()
    if (!words.every((word) => all.includes(word))) return []
    const rank =
      words.length === 0 ? 0 : label.startsWith(words[0] as string) ? 0 : label.includes(words[0] as string) ? 1 : 2
    return [{ it, rank }]
  })
  const best = ranked.sort((a, b) => a.rank - b.rank)
  const groups = [...new Set(best.map(({ it }) => it.group))]
  return groups.flatMap((group) => {
    const all = best.filter(({ it }) => it.group === group).map(({ it }) => it)
    return words.length === 0 ? all : all.slice(0, most)
  })
}
