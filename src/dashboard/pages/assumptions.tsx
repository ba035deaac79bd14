import { useState } from 'preact/hooks'
import type { AssumptionEntry, Coverage } from '../../engine/contract/types.gen.js'
import { useCall, useLoad } from './load.js'
import { Action } from './parts/action.js'
import { Check, Search } from './parts/line.js'
import { Head, Pending } from './parts/page.js'
import { count } from './parts/text.js'
import { TextForm } from './parts/text-form.js'
import { queryText } from './requests/query.js'
import { Timeline } from './ribbon/timeline.js'
import { atMoment, href, route, setQuery } from './route.js'
import { readOperation } from './send/operation.js'
import { worded } from './state/labels.js'
import { undoable } from './undo/undo.js'

/** The areas of assumptions, in the order of the page, each with the first words of their ids. */
const areas: Record<string, readonly string[]> = {
  'Sign-in and roles': ['auth', 'roles'],
  'Requests and answers': ['requests', 'errors', 'responses', 'status-response', 'lists', 'ids', 'delete', 'limits'],
  Chats: ['chat', 'shared-status'],
  Agents: ['persona', 'document-set'],
  'Connectors and credentials': ['credential', 'connector', 'sources', 'upload'],
  'Associations and indexing': ['pairing', 'cc-pair-status', 'indexing'],
  'Tools and web content': ['tool', 'web'],
  'Projects and files': ['projects', 'files'],
  'Users and invites': ['users', 'invites'],
  'The interface as a whole': ['events', 'versioning']
}

/** The area of an assumption. An assumption of another kind has a separate area. */
function areaOf(id: string): string {
  const [first = id] = id.split('.')
  return Object.keys(areas).find((area) => areas[area]?.includes(first)) ?? worded(first)
}

/** The entries of each area that has some. */
function byArea<Entry extends { id: string }>(entries: readonly Entry[]): [area: string, Entry[]][] {
  const groups = new Map<string, Entry[]>(Object.keys(areas).map((area) => [area, []]))
  for (const entry of entries) groups.set(areaOf(entry.id), [...(groups.get(areaOf(entry.id)) ?? []), entry])
  return [...groups].filter(([, list]) => list.length > 0)
}

/** The ledger: open points of the description, the choices in force, and the operations that depended on them. */
export function Assumptions() {
  const then = atMoment()
  const isPast = then.at !== undefined
  const ledger = useCall('getAssumptions', { query: then })
  const coverage = useCall('getCoverage', { query: then }, { live: true })
  const { query } = route.value
  const q = (query.get('q') ?? '').toLowerCase()
  const of = query.get('of') ?? undefined
  const operation = useLoad(async () => (of === undefined ? undefined : readOperation(of)), `${of}`)
  const area = query.get('area') ?? undefined
  const isUsedOnly = query.get('used') === 'true'
  const uses = new Map(coverage.value?.assumptions.map((use) => [use.id, use]))
  const change = async (id: string, choice: string) => {
    await undoable('changeAssumptions', { body: { [id]: choice } }, `${id} is ${choice}.`)
    await ledger.reload()
  }
  const { value } = ledger
  const all = (profile: 'documented' | 'observed') => async () => {
    const switchable = (value?.assumptions ?? []).filter(({ fixed }) => !fixed)
    const body = Object.fromEntries(switchable.map(({ id }) => [id, profile]))
    await undoable('changeAssumptions', { body }, `All choices are those of ${profile}.`)
    await ledger.reload()
  }
  const matching = value?.assumptions.filter(
    ({ id, question }) =>
      `${id} ${question}`.toLowerCase().includes(q) &&
      (!isUsedOnly || uses.has(id)) &&
      (of === undefined || operation.value?.assumed.includes(id))
  )
  const groups = matching && byArea(matching)
  const shown = groups?.filter(([name]) => area === undefined || name === area)
  const addressOf = (name?: string) => href('assumptions', [], { ...Object.fromEntries(query), area: name })
  return (
    <>
      <Head title="Assumptions">
        {!isPast && (
          <div class="buttons">
            <Action run={all('documented')}>All as documented</Action>
            <Action run={all('observed')}>All as observed</Action>
          </div>
        )}
      </Head>
      <Timeline />
      <search class="filters">
        <Search value={query.get('q') ?? ''} onChange={(text) => setQuery({ q: text })} />
        <Check isOn={isUsedOnly} onChange={(isOn) => setQuery({ used: isOn ? 'true' : undefined })}>
          Relied on
        </Check>
        <p class="quiet" aria-live="polite">
          {shown && count(shown.flatMap(([, entries]) => entries).length, 'assumption')}
        </p>
        {of !== undefined && (
          <button type="button" onClick={() => setQuery({ of: undefined })}>
            Those of {of} ×
          </button>
        )}
      </search>
      {shown ? (
        <div class="sides">
          <nav aria-label="Areas" class="collections">
            <a href={addressOf()} aria-current={area === undefined ? 'page' : undefined}>
              All <span class="quiet number">{matching?.length}</span>
            </a>
            {groups?.map(([name, { length }]) => (
              <a key={name} href={addressOf(name)} aria-current={area === name ? 'page' : undefined}>
                {name} <span class="quiet number">{length}</span>
              </a>
            ))}
          </nav>
          <div class="content">
            {shown.map(([name, entries]) => (
              <section key={name} aria-label={name}>
                <h2>{name}</h2>
                <ul class="ledger panel">
                  {entries.map((entry) => (
                    <Entry key={entry.id} entry={entry} use={uses.get(entry.id)} isPast={isPast} change={change} />
                  ))}
                </ul>
              </section>
            ))}
            {shown.length === 0 && <p class="empty">No assumption matches.</p>}
          </div>
        </div>
      ) : (
        <Pending loaded={ledger} />
      )}
    </>
  )
}

interface EntryProps {
  entry: AssumptionEntry
  /** How many responses depended on it, and of which operations. */
  use: Coverage['assumptions'][number] | undefined
  /** Whether it is that of an earlier moment, which cannot change. */
  isPast: boolean
  change: (id: string, choice: string) => Promise<void>
}

/** One entry of the ledger: its question, its choice and its uses. */
function Entry({ entry, use, isPast, change }: EntryProps) {
  const { id, question, choices, choice, default: documented, observed, reason, place, fixed = false } = entry
  const [error, setError] = useState<string>()
  const choose = (next: string) =>
    change(id, next).then(
      () => setError(undefined),
      (refused: Error) => setError(refused.message)
    )
  // A choice such as after-<n>-reads means many.
  const names = Object.keys(choices)
  const exact = names.filter((name) => !name.includes('<'))
  const patterns = names.filter((name) => name.includes('<'))
  if (!exact.includes(choice)) exact.push(choice)
  return (
    <li>
      <div>
        <h3>{question}</h3>
        <p>{choices[choice]}</p>
        <div class="about">
          <p class="quiet">
            <code>{id}</code> · {place.join(', ')}
            {use && (
              <>
                {' '}
                · Relied on {count(use.uses, 'time')} by{' '}
                {use.operations.map((operation, at) => (
                  <span key={operation}>
                    {at > 0 && ', '}
                    <a href={href('requests', [], { q: queryText({ assumed: id, op: operation }) })}>{operation}</a>
                  </span>
                ))}
              </>
            )}
            {choice !== documented && <span class="tag accent">not the default</span>}
          </p>
          <details>
            <summary>Why, and what else</summary>
            <p>{reason}</p>
            <dl class="headers">
              {names.map((name) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{choices[name]}</dd>
                </div>
              ))}
            </dl>
          </details>
        </div>
      </div>
      <div class="line">
        <label>
          <span class="hidden">Choice in force</span>
          <select
            value={choice}
            disabled={fixed || isPast}
            onChange={(event) => void choose(event.currentTarget.value)}
            aria-label={`Choice for ${id}`}
          >
            {exact.map((name) => (
              <option key={name} value={name}>
                {name}
                {name === documented && ' (documented)'}
                {name === observed && name !== documented && ' (observed)'}
              </option>
            ))}
          </select>
        </label>
        {!isPast &&
          patterns.map((pattern) => (
            <TextForm
              key={pattern}
              label={`Or ${pattern}`}
              verb="Set"
              verbLabel={`Set ${id} to ${pattern}`}
              run={(text) => change(id, text)}
            />
          ))}
        {error !== undefined && (
          <p class="error" role="alert">
            {error}
          </p>
        )}
      </div>
    </li>
  )
}
