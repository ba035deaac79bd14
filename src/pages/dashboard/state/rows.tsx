import type { CollectionInfo } from '../../../contract/types.gen.js'
import { call } from '../client.js'
import { useLoad } from '../load.js'
import { Pending, Scroll } from '../parts/page.js'
import { href, momentShown, route, setQuery } from '../route.js'
import { type AnyRow, type CollectionName, columnsOf } from './fields.js'
import { Cell } from './value.js'

const pageSize = 25

/** One page of a collection's rows, searched and sorted. */
export function Rows({ collection }: { collection: CollectionInfo }) {
  const { query } = route.value
  const name = collection.name as CollectionName
  const [q, sort] = [query.get('q') ?? '', query.get('sort') ?? '']
  const page = Math.max(1, Number(query.get('page')) || 1)
  const at = momentShown()
  const loaded = useLoad(
    () =>
      call('listRows', {
        path: { collection: name },
        query: {
          limit: pageSize,
          offset: (page - 1) * pageSize,
          ...(q && { q }),
          ...(sort && { sort }),
          ...(at && { at })
        }
      }),
    JSON.stringify([name, q, sort, page, at]),
    { live: true }
  )
  const { value, error } = loaded
  const columns = columnsOf(collection)
  return (
    <>
      <h2>{name}</h2>
      <p class="quiet">{collection.description}</p>
      <search class="filters">
        <label class="wide">
          <span>Search all fields</span>
          <input
            type="search"
            value={q}
            onInput={(event) => setQuery({ q: event.currentTarget.value, page: undefined })}
          />
        </label>
        {at === undefined && (
          <a class="button" href={href('state', [name, 'new'])}>
            Add a row
          </a>
        )}
      </search>
      {value && !error ? (
        <>
          <Scroll label={`Rows of ${name}`}>
            <table>
              <caption class="hidden">{`Rows of ${name}, page ${page}`}</caption>
              <thead>
                <tr>
                  {columns.map(({ name: field }) => (
                    <Sorter key={field} field={field} sort={sort} />
                  ))}
                </tr>
              </thead>
              <tbody>
                {value.rows.map((row) => (
                  <tr key={String(row.id)}>
                    {columns.map((field) => (
                      <td key={field.name}>
                        <Cell collection={name} row={row as AnyRow} field={field} />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
          <Pager page={page} total={value.total} />
        </>
      ) : (
        <Pending loaded={loaded} />
      )}
    </>
  )
}

/** A column header that sorts: ascending, descending, and unsorted again. */
function Sorter({ field, sort }: { field: string; sort: string }) {
  const direction = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : 'none'
  const next = { none: field, ascending: `-${field}`, descending: undefined }[direction]
  return (
    <th scope="col" aria-sort={direction}>
      <button type="button" class="sorter" onClick={() => setQuery({ sort: next, page: undefined })}>
        {field} <span aria-hidden="true">{{ none: '', ascending: '↑', descending: '↓' }[direction]}</span>
      </button>
    </th>
  )
}

function Pager({ page, total }: { page: number; total: number }) {
  const pages = Math.max(1, Math.ceil(total / pageSize))
  const first = Math.min((page - 1) * pageSize + 1, total)
  return (
    <nav class="pager" aria-label="Pages of rows">
      <button type="button" disabled={page <= 1} onClick={() => setQuery({ page: page - 1 })}>
        Back
      </button>
      <span class="number" aria-live="polite">
        {first}–{Math.min(page * pageSize, total)} of {total.toLocaleString('en')}
      </span>
      <button type="button" disabled={page >= pages} onClick={() => setQuery({ page: page + 1 })}>
        Next
      </button>
    </nav>
  )
}
