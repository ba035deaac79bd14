import type { RowChange } from '../../../engine/contract/types.gen.js'
import { call, type Reply, useCall, useLoad } from '../client.js'
import { type Difference, differences, isSame, type JsonPath } from '../json/values.js'
import { Diff } from '../json/view.js'
import { Check } from '../parts/fields.js'
import { Loaded } from '../parts/page.js'
import { count, Lazy } from '../parts/text.js'
import { comparedMoments, href, isCompared, route, setQuery } from '../route.js'
import { type AnyRow, type CollectionName, nameIn } from './fields.js'
import { one, rowLabel } from './labels.js'

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

/** What is gone comes last. */
function apart(then: ReadonlyMap<string, AnyRow>, now: ReadonlyMap<string, AnyRow>): RowChange[] {
  const changes = [...new Map([...then, ...now])].flatMap(([key, { id }]) => {
    const [before, after] = [then.get(key), now.get(key)]
    return isSame(before, after) ? [] : [{ collection: key.split(' ')[0] as string, id, before, after }]
  })
  return changes.sort((a, b) => Number(!a.after) - Number(!b.after))
}

export function RowChanges({ changes }: { changes: readonly RowChange[] }) {
  if (changes.length === 0) return <p class="quiet">No row changed.</p>
  return (
    <ul class="changes">
      {changes.map(({ collection, id, name, before, after }) => {
        const [mark, verb] = !before ? ['added', 'new'] : after ? ['altered', 'changed'] : ['removed', 'removed']
        const list = differences(before ?? {}, after ?? {})
        const summary = (
          <>
            <b class={mark}>{verb}</b> {one(collection)} <bdi>{name ?? nameIn(after ?? before)}</bdi>
          </>
        )
        return (
          <li key={`${collection} ${id}`}>
            <Lazy summary={summary} isOpen={changes.length <= 3}>
              {() =>
                list.length > 0 ? (
                  <RowDiff collection={collection} list={list} label={`Fields of ${rowLabel(collection, id)}`} />
                ) : (
                  <p class="quiet">Written again with the same fields.</p>
                )
              }
            </Lazy>
            <a href={href('state', [collection, id])}>{rowLabel(collection, id)}</a>
          </li>
        )
      })}
    </ul>
  )
}

interface RowDiffProps {
  collection: string
  list: readonly Difference[]
  label: string
}

/** How a row differs, by fields. Rows that it refers to are links with their names. */
export function RowDiff({ collection, list, label }: RowDiffProps) {
  const { value } = useCall('listCollections')
  const fields = value?.collections.find(({ name }) => name === collection)?.fields
  const link = ([first, ...rest]: JsonPath, value: unknown) => {
    const target = fields?.find(({ name }) => name === first)?.references
    const isId = typeof value === 'string' || typeof value === 'number'
    return target && isId && rest.length < 2 ? <RowLink collection={target} id={value} /> : undefined
  }
  return <Diff list={list} label={label} link={link} />
}

/** A row by its name. One that is gone has only its id. */
function RowLink({ collection, id }: { collection: string; id: string | number }) {
  const query = { where: JSON.stringify({ id: `=${id}` }), names: true, limit: 1 }
  const { value } = useCall('listRows', { path: { collection: collection as CollectionName }, query })
  return (
    <a href={href('state', [collection, id])} title={rowLabel(collection, id)}>
      {value?.names?.[collection]?.[String(id)] ?? rowLabel(collection, id)}
    </a>
  )
}
