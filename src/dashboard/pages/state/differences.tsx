import type { RowChange } from '../../../engine/contract/types.gen.js'
import { call, useLoad } from '../client.js'
import { Loaded } from '../parts/page.js'
import { count } from '../parts/text.js'
import { RowChanges } from '../requests/compare.js'
import { comparedMoments } from '../route.js'
import { type AnyRow, isSame } from './fields.js'

/** All rows that differ between two moments: the one that is shown and now, or the ends of a range. */
export function Differences() {
  const [before, after] = comparedMoments()
  const load = async () => {
    const [then, now] = await Promise.all([before, after].map((query) => call('getState', { query })))
    return apart(then?.collections ?? {}, now?.collections ?? {})
  }
  const loaded = useLoad(load, JSON.stringify([before, after]), { live: after.at === undefined })
  return (
    <>
      <div class="head">
        <h2>
          From {before.at} to {after.at ?? 'now'}
        </h2>
        <p class="quiet">Drag over the ribbon to compare the state before and after a range.</p>
      </div>
      <Loaded from={loaded}>
        {(changes) => (
          <>
            <p>{count(changes.length, 'row is', 'rows are')} different.</p>
            {changes.length > 0 && <RowChanges changes={changes.slice(0, 200)} />}
          </>
        )}
      </Loaded>
    </>
  )
}

type Collections = Record<string, readonly object[]>

function apart(before: Collections, after: Collections): RowChange[] {
  return Object.keys({ ...before, ...after }).flatMap((collection) => {
    const byId = (rows: readonly object[] = []) => new Map((rows as readonly AnyRow[]).map((row) => [row.id, row]))
    const [then, now] = [byId(before[collection]), byId(after[collection])]
    const ids = [...new Set([...then.keys(), ...now.keys()])].filter((id) => !isSame(then.get(id), now.get(id)))
    return ids.map((id) => ({ collection, id, before: then.get(id), after: now.get(id) }))
  })
}
