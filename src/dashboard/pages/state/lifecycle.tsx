import type { Lifecycle as Step } from '../../../engine/contract/types.gen.js'
import { useCall } from '../load.js'
import { Action } from '../parts/action.js'
import { count } from '../parts/text.js'
import { duration } from '../parts/time.js'
import { atMoment, go, href } from '../route.js'
import { undoable } from '../undo/undo.js'
import type { CollectionName } from './form/fields.js'
import { one } from './labels.js'

/** The statuses of a lifecycle in their order: from one stage, a row moves to one status of the next. */
interface Graph {
  /** The field that has the status. */
  field?: string
  stages: readonly (readonly string[])[]
}

const graphs: Partial<Record<string, Graph>> = {
  userFiles: { field: 'status', stages: [['PROCESSING'], ['COMPLETED', 'FAILED', 'CANCELED'], ['DELETING'], ['gone']] },
  indexAttempts: {
    stages: [['not_started'], ['in_progress'], ['success', 'completed_with_errors', 'failed', 'canceled']]
  },
  connectorCredentials: { field: 'status', stages: [['ACTIVE', 'PAUSED', 'INVALID'], ['DELETING']] }
}

export function hasLifecycle(collection: string): boolean {
  return graphs[collection] !== undefined
}

interface Props {
  collection: CollectionName
  row: Record<string, unknown> & { id: string | number }
  at: string | undefined
  onMoved: () => Promise<void>
}

/** Where a row is in its lifecycle, what comes next, and buttons that move it. */
export function Lifecycle({ collection, row, at, onMoved }: Props) {
  const every = at === undefined ? 1000 : 60_000
  const loaded = useCall('listLifecycles', { query: atMoment() }, { every, live: true })
  const graph = graphs[collection] as Graph
  const step = loaded.value?.lifecycles.find((it) => it.collection === collection && it.id === row.id)
  const status = step?.status ?? (graph.field ? String(row[graph.field]) : String(row.settles_as ?? 'success'))
  const push = (to: string) => async () => {
    const path = { collection: collection as never, id: String(row.id) }
    await undoable('moveRow', { path, body: { to } }, `${one(collection)} is now ${to}.`)
    if (to === 'gone') go(href('state', [collection]))
    else await onMoved()
  }
  const node = (name: string) => {
    const isNext = step?.next === name
    const canBe = name !== status && at === undefined
    return (
      <li key={name} class={name === status ? 'node here' : isNext ? 'node next' : 'node'}>
        {canBe && !isNext ? (
          <Action label={`Make it so: ${name}`} run={push(name)}>
            {name}
          </Action>
        ) : (
          <span aria-current={name === status ? 'step' : undefined}>{name}</span>
        )}
        {canBe && isNext && (
          <Action class="primary" label={`Push on: ${name}`} run={push(name)}>
            Push on
          </Action>
        )}
        {name === status && step && <small>{whenOf(step, loaded.value?.now ?? '')}</small>}
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
  if (next === null) return 'stays so'
  if (reads_left !== undefined) return `${next} after ${count(reads_left, 'more read')}`
  return at === null ? `then ${next}` : `${next} in ${duration(Date.parse(at) - Date.parse(now))}`
}
