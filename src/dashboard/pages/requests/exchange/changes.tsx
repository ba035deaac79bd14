import type { RowChange } from '../../../../engine/contract/types.gen.js'
import { Diff, differences } from '../../json/diff.js'
import { href } from '../../route.js'
import { rowLabel } from '../../state/labels.js'

/** The rows that an exchange changed, each with its fields before and after. */
export function RowChanges({ changes }: { changes: readonly RowChange[] }) {
  if (changes.length === 0) return <p class="quiet">None.</p>
  return (
    <ul class="changes">
      {changes.map(({ collection, id, before, after }) => {
        const [mark, verb] = !before ? ['added', 'new'] : after ? ['altered', 'changed'] : ['removed', 'removed']
        const apart = differences(before ?? {}, after ?? {})
        return (
          <li key={`${collection} ${id}`}>
            <details open={changes.length <= 3}>
              <summary>
                <b class={mark}>{verb}</b> <code class="raw">{collection}</code> <bdi>{nameOf(before, after)}</bdi>
              </summary>
              {apart.length > 0 ? (
                <Diff list={apart} label={`Fields of ${rowLabel(collection, id)}`} isOfRow />
              ) : (
                <p class="quiet">Written again with the same fields.</p>
              )}
            </details>
            <a href={href('state', [collection, id])}>{rowLabel(collection, id)}</a>
          </li>
        )
      })}
    </ul>
  )
}

function nameOf(...rows: (Record<string, unknown> | undefined)[]): string {
  const named = rows.find((row) => typeof row?.name === 'string')
  return named ? String(named.name) : ''
}
