import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { CollectionInfo } from '../../../engine/contract/types.gen.js'
import { Scroll } from '../parts/page.js'
import { go, href, setQuery } from '../route.js'
import { CellEditor } from './form/cell-editor.js'
import type { AnyRow, CollectionName, Field } from './form/fields.js'
import { type RowNames, several, titleOf, worded } from './labels.js'
import { Cell } from './value.js'

interface Props {
  collection: CollectionInfo
  columns: readonly Field[]
  rows: readonly AnyRow[]
  names: RowNames
  /** The current statuses of rows that are still in progress, by id. */
  statuses: ReadonlyMap<unknown, string>
  sort: string
  isFixed: boolean
  onSaved: () => Promise<void>
}

interface CellPosition {
  row: number
  column: number
}

/** Rows as a grid. The arrow keys move, Enter opens the row or edits the cell, F2 edits. */
export function Grid({ collection, columns, rows, names, statuses, sort, isFixed, onSaved }: Props) {
  const name = collection.name as CollectionName
  const box = useRef<HTMLTableElement>(null)
  const [at, setAt] = useState<CellPosition>({ row: 0, column: 0 })
  const [edited, edit] = useState<CellPosition>()
  const isMoved = useRef(false)
  useLayoutEffect(() => {
    if (!isMoved.current || edited) return
    isMoved.current = false
    box.current?.querySelector<HTMLElement>('td[tabindex="0"]')?.focus()
  }, [at, edited])

  const move = (row: number, column: number) => {
    isMoved.current = true
    setAt({ row: clamp(row, rows.length), column: clamp(column, columns.length) })
  }
  const open = ({ row, column }: CellPosition) => {
    const field = columns[column]
    const it = rows[row]
    if (!it || !field) return
    if (isFixed || column === 0 || field.name === 'id') go(href('state', [name, it.id]))
    else if (isLong(field)) go(href('state', [name, it.id], { edit: 'true' }))
    else edit({ row, column })
  }
  const press = (event: KeyboardEvent) => {
    if (edited) return
    const step = steps[event.key]
    if (step) move(at.row + step[0], at.column + step[1])
    else if (event.key === 'Home') move(at.row, 0)
    else if (event.key === 'End') move(at.row, columns.length)
    else if (event.key === 'Enter') open(at)
    else if (event.key === 'F2' && !isFixed && columns[at.column]?.name !== 'id' && !isLong(columns[at.column]))
      edit(at)
    else return
    event.preventDefault()
  }
  const close = (isSaved: boolean) => {
    isMoved.current = true
    edit(undefined)
    if (isSaved) void onSaved()
  }
  return (
    <Scroll label={`Rows: ${several(name)}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells have the focus is a grid */}
      <table ref={box} class="rows" role="grid" aria-label={`Rows: ${several(name)}`} onKeyDown={press}>
        <thead>
          <tr>
            {columns.map(({ name: field }) => (
              <Sorter key={field} field={field} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={String(row.id)}>
              {columns.map((field, column) => {
                const isHere = at.row === index && at.column === column
                const isEdited = edited?.row === index && edited.column === column
                return (
                  <td
                    key={field.name}
                    tabIndex={isHere ? 0 : -1}
                    class={column > 0 && !isFixed && field.name !== 'id' && !isLong(field) ? 'editable' : undefined}
                    onFocus={() => setAt({ row: index, column })}
                    onDblClick={() => !isEdited && open({ row: index, column })}
                  >
                    {isEdited ? (
                      <CellEditor
                        collection={name}
                        row={row}
                        field={field}
                        names={names}
                        label={`${field.name} of ${titleOf(names, name, row.id)}`}
                        onClose={close}
                      />
                    ) : (
                      <>
                        {field.name === 'settles_as' && statuses.has(row.id) && `${statuses.get(row.id)} → `}
                        <Cell collection={name} row={row} field={field} names={names} isFirst={column === 0} />
                      </>
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

const steps: Record<string, [row: number, column: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-10, 0],
  PageDown: [10, 0]
}

function clamp(value: number, count: number): number {
  return Math.max(0, Math.min(count - 1, value))
}

/** Objects and lists are edited in the form of the row. */
function isLong(field: Field | undefined): boolean {
  return field === undefined || field.types.includes('object') || field.types.includes('array')
}

/** A column header that sorts: ascending, descending, and unsorted again. */
function Sorter({ field, sort }: { field: string; sort: string }) {
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
