import type { JournalDetail, RowHistory } from '../../../engine/contract/types.gen.js'
import { useCall } from '../client.js'
import { differences } from '../json/values.js'
import { nameOf } from '../next-time.js'
import { Answer } from '../overrides.js'
import { Loaded } from '../parts/page.js'
import { count, Lazy, Moment, wallTime } from '../parts/text.js'
import { href } from '../route.js'
import { RowDiff } from './differences.js'
import type { CollectionName } from './fields.js'
import { rowLabel, worded } from './labels.js'

type Change = RowHistory['changes'][number]

function Cause({ of: { request, control, call } }: { of: Pick<Change, 'request' | 'control' | 'call'> }) {
  if (request !== undefined) return <a href={href('requests', [request])}>{request}</a>
  if (control === 'time') return <>the clock</>
  if (control === 'program') return <>a program</>
  return (
    <a href={href('requests', [], { at: control })}>
      {call} ({control})
    </a>
  )
}

/** What made, changed and deleted a row, newest first, and who read it. */
export function RowStory({ collection, id }: { collection: CollectionName; id: string }) {
  const loaded = useCall('getRowHistory', { path: { collection, id } }, { live: true })
  const row = `${collection}/${id}`
  return (
    <section class="row-story" aria-label="History">
      <h3>
        History <a href={href('requests', [], { q: `touched:${row}` })}>All exchanges that touched it</a>,{' '}
        <a href={href('requests', [], { q: `missed:${row}` })}>or did not find it</a>
      </h3>
      <Loaded from={loaded.error ? { value: { changes: [] } } : loaded}>
        {({ changes }) => (
          <ul class="changes">
            {changes.length === 0 && <li class="quiet">No call has changed it since the start of the sandbox.</li>}
            {changes.map(({ at, real_time, before, after, ...cause }) => {
              const fields = before && after ? differences(before, after) : []
              const [mark, verb] = !before ? ['added', 'made'] : after ? ['altered', 'changed'] : ['removed', 'deleted']
              return (
                <li key={real_time + at} class="change">
                  <b class={mark}>{verb}</b> by <Cause of={cause} />{' '}
                  <span class="quiet">
                    {wallTime(real_time)}, mock <Moment at={at} />
                  </span>
                  {fields.length > 0 && (
                    <Lazy
                      isOpen={fields.length <= 2}
                      summary={[...new Set(fields.map(({ place }) => worded(String(place[0]))))].join(', ')}
                    >
                      {() => <RowDiff collection={collection} list={fields} label={`Changed at ${at}`} />}
                    </Lazy>
                  )}
                </li>
              )
            })}
          </ul>
        )}
      </Loaded>
      <Readers row={row} />
    </section>
  )
}

/** How often a row was read, and by which exchange last. */
function Readers({ row }: { row: string }) {
  const query = `touched:${row} -changed:${row} -status:404`
  const { value } = useCall('listRequests', { query: { query, limit: 1 } }, { live: true })
  const last = value?.requests[0]?.id
  if (!value || last === undefined) return <p class="quiet">No request in the journal has read it.</p>
  return (
    <p>
      <a href={href('requests', [], { q: query })}>Read {count(value.total, 'time')}</a>, last by{' '}
      <a href={href('requests', [last])}>{last}</a>.
    </p>
  )
}

/** Why an answer is an error, where something earlier is the reason. */
export function Reason({ exchange }: { exchange: JournalDetail }) {
  const { override, deletions = [] } = exchange
  if (override === 'Prefer') return <p>{exchange.source === 'override' ? 'Answered' : 'Delayed'} by Prefer.</p>
  if (override !== undefined) return <OverrideThen exchange={exchange} />
  return deletions.map(({ collection, id, name, real_time, ...cause }) => (
    <p key={`${collection} ${id}`} class="note">
      <a href={href('state', [collection, id])}>{rowLabel(collection, id)}</a>
      {name !== undefined && `, ${name},`} was deleted at {wallTime(real_time)} by <Cause of={cause} />.
    </p>
  ))
}

/** The override that answered, as it was then: it may be gone by now. */
function OverrideThen({ exchange: { override: id, forced_by } }: { exchange: JournalDetail }) {
  const { override, added_by: by, at, in_force = true } = forced_by ?? {}
  return (
    <p class="note">
      Forced by <a href={href('overrides', [], { at: in_force ? undefined : at })}>override {id}</a>
      {override && ` of ${nameOf(override)}: `}
      {override && <Answer override={override} />}
      {override && (override.start ? ' Added at the start' : ' Added by ')}
      {override && !override.start && <Cause of={{ control: by?.id ?? 'program', call: by?.call }} />}
      {by && `, ${wallTime(by.real_time)}`}
      {override && (in_force ? '.' : '; no longer in force.')}
    </p>
  )
}
