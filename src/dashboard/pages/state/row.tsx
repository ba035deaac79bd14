import type { CollectionInfo, Lifecycle as Step } from '../../../engine/contract/types.gen.js'
import { useCall } from '../client.js'
import { JsonText } from '../json/view.js'
import { Button } from '../parts/actions.js'
import { count, duration, Long, Moment, Short } from '../parts/text.js'
import { atMoment, go, href } from '../route.js'
import { undoable } from '../undo.js'
import type { AnyRow, Field } from './fields.js'
import { one, type RowNames, rowLabel, shortId, titleOf } from './labels.js'

interface CellProps {
  collection: string
  row: AnyRow
  field: Field
  names: RowNames
  isFirst: boolean
}

/** A value in a table. Rows that it refers to are shown by name. */
export function Cell({ collection, row, field, names, isFirst }: CellProps) {
  const value = row[field.name]
  const { references, format } = field
  const text = value === null || value === undefined ? '' : String(value)
  if (isFirst) {
    return (
      <a href={href('state', [collection, row.id])} tabIndex={-1} title={String(row.id)}>
        <Short text={field.name === 'id' ? shortId(row.id) : text || titleOf(names, collection, row.id)} most={60} />
      </a>
    )
  }
  if (value === null || value === undefined) return <span class="quiet">–</span>
  if (references) return <References target={references} value={value} names={names} most={3} />
  if (typeof value === 'boolean') return <span class={value ? undefined : 'quiet'}>{value ? 'yes' : 'no'}</span>
  if (typeof value === 'object') return <Short text={JSON.stringify(value)} most={40} />
  if (field.name === 'id' || format === 'uuid') return <code title={text}>{shortId(text)}</code>
  if (format === 'date-time') return <Moment at={text} />
  return <Short text={text} most={60} />
}

export function Value({ field, value, names }: { field: Field; value: unknown; names: RowNames }) {
  const { references, name } = field
  if (value === undefined) return <span class="quiet">–</span>
  if (value === null) return <span class="quiet">null</span>
  if (references) return <References target={references} value={value} names={names} />
  if (typeof value === 'object') return <JsonText label={name} value={value} />
  return <Long text={String(value)} />
}

interface ReferencesProps {
  target: string
  /** An id, or a list of ids. */
  value: unknown
  names: RowNames
  most?: number
}

function References({ target, value, names, most = Number.POSITIVE_INFINITY }: ReferencesProps) {
  const ids = [value].flat() as (string | number)[]
  return (
    <>
      {ids.length === 0 && <span class="quiet">none</span>}
      {ids.slice(0, most).map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <a href={href('state', [target, id])} title={`${one(target)} ${id}`}>
            {names?.[target]?.[String(id)] ?? rowLabel(target, id)}
          </a>
        </span>
      ))}
      {ids.length > most && <span class="quiet"> and {ids.length - most} more</span>}
    </>
  )
}

type Graph = NonNullable<CollectionInfo['lifecycle']>

export function Lifecycle({ graph, collection, row }: { graph: Graph; collection: string; row: AnyRow }) {
  const then = atMoment()
  const isPast = then.at !== undefined
  const { value } = useCall('listLifecycles', { query: then }, { every: isPast ? undefined : 1000, live: true })
  const step = value?.lifecycles.find((it) => it.collection === collection && it.id === row.id)
  const status = step?.status ?? String(row[graph.field] ?? graph.stages.at(-1)?.[0])
  const move = (to: string) => async () => {
    const path = { collection: collection as never, id: String(row.id) }
    await undoable('moveRow', { path, body: { to } }, `${one(collection)} is now ${to}.`)
    if (to === 'gone') go(href('state', [collection]))
  }
  const node = (name: string) => {
    const isHere = name === status
    const isNext = !isHere && step?.next === name
    return (
      <li key={name} class={`node ${isHere ? 'here' : isNext ? 'next' : ''}`}>
        {isHere || isNext || isPast ? (
          <span aria-current={isHere ? 'step' : undefined}>{name}</span>
        ) : (
          <Button text={name} aria-label={`Set to ${name}`} run={move(name)} />
        )}
        {isNext && !isPast && <Button text="Advance" class="primary" about={`to ${name}`} run={move(name)} />}
        {isHere && step && <small>{whenOf(step, value?.now ?? '')}</small>}
      </li>
    )
  }
  return (
    <section class="lifecycle panel" aria-label="Lifecycle">
      <ol>
        {graph.stages.map((statuses) => (
          <li key={statuses[0]} class={statuses.includes(status) ? 'stage here' : 'stage'}>
            <ul>{statuses.map(node)}</ul>
          </li>
        ))}
      </ol>
    </section>
  )
}

function whenOf({ at, next, reads_left }: Step, now: string): string {
  if (next === null) return 'final'
  if (reads_left !== undefined) return `${next} after ${count(reads_left, 'more read')}`
  return at === null ? `then ${next}` : `${next} in ${duration(Date.parse(at) - Date.parse(now))}`
}
