import type { RowChange } from '../../../engine/contract/types.gen.js'
import { call, type Reply, useLoad } from '../client.js'
import { isSame } from '../json/values.js'
import { Check } from '../parts/fields.js'
import { Loaded } from '../parts/page.js'
import { count } from '../parts/text.js'
import { RowChanges } from '../requests/compare.js'
import { comparedMoments, isCompared, route, setQuery } from '../route.js'
import type { AnyRow } from './fields.js'

/** All rows that differ between the compared moments: the one that is shown and now, or the ends of a range. */
export function useApart() {
  const [before, after] = comparedMoments()
  const isClockHidden = route.value.query.has('stored')
  const load = async () => {
    if (!isCompared()) return []
    const [then, now] = await Promise.all([call('getState', { query: before }), call('getState', { query: after })])
    return apart(rowsIn(then, isClockHidden), rowsIn(now, isClockHidden))
  }
  const key = JSON.stringify([before, after, isClockHidden])
  return useLoad(load, key, { live: isCompared() && after.at === undefined })
}

export function Differences({ loaded }: { loaded: ReturnType<typeof useApart> }) {
  const [before, after] = comparedMoments()
  const isClockHidden = route.value.query.has('stored')
  return (
    <>
      <div class="head">
        <h2>
          From {before.at} to {after.at ?? 'now'}
        </h2>
        <Check isOn={isClockHidden} onChange={(isOn) => setQuery({ stored: isOn ? 'true' : undefined })}>
          Hide what only the clock changed
        </Check>
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

/** The rows as they are shown, or as they are stored: what is shown of those may change with the clock. */
function rowsIn({ collections, stored = {} }: Reply<'getState'>, isStored: boolean): ReadonlyMap<string, AnyRow> {
  const rows = new Map<string, AnyRow>()
  for (const [collection, list] of Object.entries(collections)) {
    for (const row of list as AnyRow[]) rows.set(`${collection} ${row.id}`, row)
    for (const [id, fields] of Object.entries((isStored && stored[collection]) || {})) {
      rows.set(`${collection} ${id}`, { ...rows.get(`${collection} ${id}`), ...fields } as AnyRow)
    }
  }
  return rows
}

function apart(then: ReadonlyMap<string, AnyRow>, now: ReadonlyMap<string, AnyRow>): RowChange[] {
  return [...new Map([...then, ...now])].flatMap(([key, { id }]) => {
    const [before, after] = [then.get(key), now.get(key)]
    return isSame(before, after) ? [] : [{ collection: key.split(' ')[0] as string, id, before, after }]
  })
}
