import { call } from '../client.js'
import { useLoad } from '../load.js'
import { Action } from '../parts/action.js'
import { Head, Pending } from '../parts/page.js'
import { count } from '../parts/text.js'
import { route, setQuery } from '../route.js'
import { readOperation } from '../send/operation.js'
import { undoable } from '../undo/undo.js'
import { Entry } from './entry.js'

/** The ledger: open points of the description, the choices in force, and the operations that rested on them. */
export function Assumptions() {
  const ledger = useLoad(() => call('getAssumptions'), 'ledger')
  const coverage = useLoad(() => call('getCoverage'), 'coverage', { live: true })
  const { query } = route.value
  const q = (query.get('q') ?? '').toLowerCase()
  const of = query.get('of') ?? undefined
  const operation = useLoad(async () => (of === undefined ? undefined : readOperation(of)), `${of}`)
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
  const shown = value?.assumptions.filter(
    ({ id, question }) =>
      `${id} ${question}`.toLowerCase().includes(q) &&
      (!isUsedOnly || uses.has(id)) &&
      (of === undefined || operation.value?.assumed.includes(id))
  )
  return (
    <>
      <Head title="Assumptions">
        <div class="buttons">
          <Action run={all('documented')}>All as documented</Action>
          <Action run={all('observed')}>All as observed</Action>
        </div>
      </Head>
      <search class="filters">
        <label class="wide">
          <span>Search</span>
          <input
            type="search"
            value={query.get('q') ?? ''}
            onInput={(event) => setQuery({ q: event.currentTarget.value })}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={isUsedOnly}
            onChange={(event) => setQuery({ used: event.currentTarget.checked ? 'true' : undefined })}
          />{' '}
          Relied on
        </label>
        <p class="quiet" aria-live="polite">
          {shown && count(shown.length, 'assumption')}
        </p>
        {of !== undefined && (
          <button type="button" onClick={() => setQuery({ of: undefined })}>
            Those of {of} ×
          </button>
        )}
      </search>
      {shown ? (
        <ul class="ledger">
          {shown.map((entry) => (
            <Entry key={entry.id} entry={entry} use={uses.get(entry.id)} change={change} />
          ))}
        </ul>
      ) : (
        <Pending loaded={ledger} />
      )}
    </>
  )
}
