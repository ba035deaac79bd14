import type { OverrideEntry } from '../../../engine/contract/types.gen.js'
import { useCall } from '../load.js'
import { Action } from '../parts/action.js'
import { Head, Pending } from '../parts/page.js'
import { Status } from '../parts/status.js'
import { Table } from '../parts/table.js'
import { count, Short } from '../parts/text.js'
import { Timeline } from '../ribbon/timeline.js'
import { atMoment, href, route } from '../route.js'
import { undoable } from '../undo/undo.js'
import { faults } from './draft.js'
import { OverrideForm } from './override-form.js'

/** Answers for chosen requests: list, turn on and off, remove, add. */
export function Overrides() {
  const { rest, query } = route.value
  return rest[0] === 'new' ? <OverrideForm from={query.get('from') ?? undefined} /> : <InForce />
}

function InForce() {
  const query = atMoment()
  const isPast = query.at !== undefined
  const loaded = useCall('listOverrides', { query }, { live: true })
  const { value } = loaded
  const removeAll = async () => {
    await undoable('deleteOverrides', {}, ({ removed }) => `${count(removed, 'override')} removed.`)
    await loaded.reload()
  }
  return (
    <>
      <Head title="Overrides">
        {!isPast && (
          <div class="buttons">
            <a class="button primary" href={href('overrides', ['new'])}>
              Add an override
            </a>
            <Action run={removeAll} disabled={!value?.overrides.length}>
              Remove all
            </Action>
          </div>
        )}
      </Head>
      <Timeline />
      <p class="quiet">
        An override answers chosen requests of an operation or a path, delays them or breaks their connection. The one
        that was made last is tried first.
      </p>
      {value ? (
        <List overrides={value.overrides} isPast={isPast} reload={loaded.reload} />
      ) : (
        <Pending loaded={loaded} />
      )}
    </>
  )
}

interface ListProps {
  overrides: OverrideEntry[]
  /** Whether they are those of an earlier moment, which cannot change. */
  isPast: boolean
  reload: () => Promise<void>
}

function List({ overrides, isPast, reload }: ListProps) {
  if (overrides.length === 0) return <p class="empty">There is none: every answer comes from the state.</p>
  const turn = async ({ id, off = false }: OverrideEntry) => {
    await undoable('switchOverride', { path: { id }, body: { off: !off } }, `Override ${id} is ${off ? 'on' : 'off'}.`)
    await reload()
  }
  const remove = async ({ id }: OverrideEntry) => {
    await undoable('deleteOverride', { path: { id } }, `Override ${id} was removed.`)
    await reload()
  }
  return (
    <Table
      label="Overrides"
      caption="Overrides, the last made first"
      columns={['Id', 'Operation', 'Requests', 'Answer', 'Used', ...(isPast ? [] : ['Actions'])]}
    >
      {overrides.map((it) => (
        <tr key={it.id} class={it.off ? 'unused' : undefined}>
          <th scope="row">{it.id}</th>
          <td>{it.operation ?? `${it.method ?? 'any method'} ${it.path}`}</td>
          <td>{it.match ? <Short text={wordsOf(it.match)} /> : <span class="quiet">all</span>}</td>
          <td>
            <Answer override={it} />
          </td>
          <td class="number">
            {it.used}
            {it.remaining !== undefined && ` (${it.remaining} left)`}
          </td>
          {!isPast && (
            <td class="buttons">
              <Action label={`Switch ${it.off ? 'on' : 'off'} ${it.id}`} run={() => turn(it)}>
                {it.off ? 'Switch on' : 'Switch off'}
              </Action>
              <Action label={`Remove ${it.id}`} run={() => remove(it)}>
                Remove
              </Action>
            </td>
          )}
        </tr>
      ))}
    </Table>
  )
}

function Answer({ override: { status, body, example, delay, fault, off } }: { override: OverrideEntry }) {
  return (
    <span class="answer">
      {off && <span class="tag plain">off</span>}
      {status !== undefined && <Status status={status} />}
      {body !== undefined && <Short text={JSON.stringify(body)} most={60} />}
      {example !== undefined && <>example {example}</>}
      {fault !== undefined && <span class="tag warn">{faults[fault]}</span>}
      {delay && <span class="tag plain">delay {Object.values(delay).join(' ')}</span>}
    </span>
  )
}

/** Which requests it answers: file_id "x". */
function wordsOf(match: NonNullable<OverrideEntry['match']>): string {
  const parts = Object.entries(match).flatMap(([name, value]) =>
    typeof value === 'object' && !Array.isArray(value) ? Object.entries(value ?? {}) : [[name, value] as const]
  )
  return parts.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ')
}
