import type { Lifecycle, ListLifecyclesReply } from '../../../contract/types.gen.js'
import type { LoadState } from '../load.js'
import { Action } from '../parts/action.js'
import { Pending } from '../parts/page.js'
import { Table } from '../parts/table.js'
import { count, Short } from '../parts/text.js'
import { duration, Moment } from '../parts/time.js'
import { href } from '../route.js'

interface Props {
  loaded: LoadState<ListLifecyclesReply>
  /** Advances the clock by milliseconds. Undefined: they are those of an earlier moment. */
  advance: ((milliseconds: number) => Promise<void>) | undefined
}

const kinds = { userFiles: 'File', indexAttempts: 'Index attempt' }

/** Files and index attempts in progress, the next to change first. */
export function Lifecycles({ loaded, advance }: Props) {
  const { value } = loaded
  if (!value) return <Pending loaded={loaded} />
  const { now, lifecycles, total } = value
  const until = (at: string) => Date.parse(at) - Date.parse(now)
  const first = lifecycles[0]?.at ?? undefined
  return (
    <section aria-labelledby="lifecycles">
      <h2 id="lifecycles">What moves with it</h2>
      <div class="buttons">
        <p class="quiet">
          {count(total, 'file or index attempt is', 'files and index attempts are')} not at{' '}
          {total === 1 ? 'its' : 'their'} end
          {lifecycles.length < total && `; the first ${lifecycles.length} shown`}.
        </p>
        {advance && first !== undefined && (
          <Action run={() => advance(Math.ceil(until(first)))}>Advance to the next move</Action>
        )}
      </div>
      <Table
        label="Lifecycles"
        caption="Files and index attempts, the next to move first"
        columns={['What', 'Name', 'Stands', 'Moves to', 'When']}
      >
        {lifecycles.map((it) => (
          <tr key={`${it.collection} ${it.id}`}>
            <th scope="row" class="number">
              <a href={href('state', [it.collection, it.id])}>
                {kinds[it.collection]} {String(it.id).slice(0, 8)}
              </a>
            </th>
            <td>
              <Short text={it.name} most={50} />
            </td>
            <td>{it.status}</td>
            <td>{it.next ?? <span class="quiet">nothing</span>}</td>
            <td>
              <When lifecycle={it} until={until} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )
}

function When({ lifecycle: { at, reads_left }, until }: { lifecycle: Lifecycle; until: (at: string) => number }) {
  if (reads_left !== undefined) return <>after {count(reads_left, 'more read')}</>
  if (at === null) return <span class="quiet">never by itself</span>
  return (
    <>
      in <span class="number">{duration(until(at))}</span>{' '}
      <span class="quiet side">
        (<Moment at={at} />)
      </span>
    </>
  )
}
