import { setQuery } from '../route.js'
import { worded } from './labels.js'

/** A column header that sorts: ascending, descending, and unsorted again. */
export function Sorter({ field, sort }: { field: string; sort: string }) {
  const direction = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : 'none'
  const next = { none: field, ascending: `-${field}`, descending: undefined }[direction]
  return (
    <th scope="col" aria-sort={direction}>
      <button type="button" class="sorter" title={field} onClick={() => setQuery({ sort: next, page: undefined })}>
        {worded(field)} <span aria-hidden="true">{{ none: '', ascending: '↑', descending: '↓' }[direction]}</span>
      </button>
    </th>
  )
}
