import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { CollectionInfo, RowChange } from '../../../engine/contract/types.gen.js'
import { call, Refused, useLoad } from '../client.js'
import { isSame, jsonIn } from '../json/values.js'
import { Button, Link, sayFailed } from '../parts/actions.js'
import { Check, type InputProps, SelectField, TextField } from '../parts/fields.js'
import { Loaded, Pager, Scroll, Search, Sorter } from '../parts/page.js'
import { Named, Note } from '../parts/text.js'
import { atMoment, go, href, route, setQuery } from '../route.js'
import { ValueInput } from './field-input.js'
import { type AnyRow, Conflict, choicesOf, columnsOf, draftOf, type Field, saveRow, valueIn } from './fields.js'
import { one, type RowNames, several, titleOf, worded } from './labels.js'
import { Cell } from './row.js'

const pageSize = 25

/** `apart`: the rows that differ between the compared moments, of all collections. */
export function Rows({ collection, apart = [] }: { collection: CollectionInfo; apart?: readonly RowChange[] }) {
  const { query } = route.value
  const then = atMoment()
  const isPast = then.at !== undefined
  const { name, lifecycle } = collection
  const [q, sort, where] = [query.get('q') ?? '', query.get('sort') ?? '', query.get('where') ?? '']
  const number = Math.max(1, Number(query.get('page')) || 1)
  const columns = columnsOf(collection, query.get('columns'))
  const [isFiltered, filter] = useState(where !== '')
  const list = { q, sort, where, ...then, limit: pageSize, offset: (number - 1) * pageSize, names: true }
  const load = async () => {
    const { rows, names, total } = await call('listRows', { path: { collection: name as never }, query: list })
    // Where no status is stored, it follows from the clock.
    const moving = lifecycle ? (await call('listLifecycles', { query: then })).lifecycles : []
    const statuses = new Map(moving.map(({ id, status }) => [id, status]))
    return { rows: rows as AnyRow[], names, total, statuses }
  }
  // There is no event when the clock changes a row.
  const every = lifecycle && !isPast ? 1000 : undefined
  const isShownBefore = !query.has('against')
  const here = apart.flatMap(({ collection, id, before, after }) => {
    const [shown, other] = (isShownBefore ? [before, after] : [after, before]) as (AnyRow | undefined)[]
    return collection === name ? [{ id, shown, other }] : []
  })
  const isFound = (row: AnyRow) => JSON.stringify(row).toLowerCase().includes(q.toLowerCase())
  const absent = here.flatMap(({ shown, other }) => (!shown && other && isFound(other) ? [other] : []))
  const compared = {
    pairs: new Map(here.map((it) => [it.id, it])),
    absent: where === '' && number === 1 ? absent : [],
    classes: isShownBefore ? (['gone', 'new'] as const) : (['new', 'gone'] as const)
  }
  const loaded = useLoad(load, JSON.stringify([name, list]), { live: true, every })
  return (
    <>
      <div class="head">
        <h2>{several(name)}</h2>
        <p class="quiet">
          {collection.description !== `${several(name)}.` && collection.description} <code>{name}</code>
        </p>
      </div>
      <search class="filters">
        <Search label="Search all fields" />
        <Button text="Filter" aria-pressed={isFiltered} run={() => filter(!isFiltered)} />
        <ColumnChooser collection={collection} columns={columns} />
        {!isPast && <Link text={`Add ${one(name).toLowerCase()}`} href={href('state', [name, 'new'])} />}
      </search>
      {isFiltered && <Filters columns={columns} where={where} />}
      <Loaded from={loaded}>
        {({ total, ...page }) => (
          <>
            <Grid {...page} {...compared} collection={collection} columns={columns} sort={sort} isFixed={isPast} />
            {total === 0 && <p class="empty">No row matches.</p>}
            <Pager label="Pages of rows" page={number} size={pageSize} total={total} />
          </>
        )}
      </Loaded>
    </>
  )
}

function ColumnChooser({ collection, columns }: { collection: CollectionInfo; columns: readonly Field[] }) {
  const id = useId()
  const shown = new Set(columns.map(({ name }) => name))
  const turn = (name: string, isShown: boolean) => {
    const next = collection.fields.map((field) => field.name).filter((it) => (it === name ? isShown : shown.has(it)))
    setQuery({ columns: next.join(',') })
  }
  return (
    <>
      <Button text="Columns" popovertarget={id} />
      <fieldset id={id} class="menu" popover="auto">
        <legend class="hidden">Columns</legend>
        {collection.fields.map(({ name }) => (
          <Check key={name} isOn={shown.has(name)} onChange={(isOn) => turn(name, isOn)}>
            <Named name={name} />
          </Check>
        ))}
        <Button text="Reset the columns" run={() => setQuery({ columns: undefined })} />
      </fieldset>
    </>
  )
}

/** A filter for each column: a text that is in the field, or one of its values. It is in the URL. */
function Filters({ columns, where }: { columns: readonly Field[]; where: string }) {
  const texts = textsIn(where)
  const change = (field: string) => (text: string) => {
    const next = Object.fromEntries(Object.entries({ ...texts, [field]: text }).filter(([, it]) => it !== ''))
    setQuery({ where: Object.keys(next).length > 0 ? JSON.stringify(next) : undefined, page: undefined })
  }
  return (
    <fieldset class="filters columns">
      <legend class="hidden">Filters by column</legend>
      {columns.map((field) => {
        const { name } = field
        const choices = choicesOf(field)
        const props = { label: worded(name), title: name, value: texts[name] ?? '', onChange: change(name) }
        if (!choices) return <TextField key={name} type="search" {...props} />
        const values = field.types.includes('null') ? [...choices, 'null'] : choices
        const options = [['', 'any'] as const, ...values.map((value) => [`=${value}`, value] as const)]
        return <SelectField key={name} options={options} {...props} />
      })}
      {where !== '' && <Button text="Clear the filters" run={() => setQuery({ where: undefined, page: undefined })} />}
    </fieldset>
  )
}

/** A broken filter in the URL counts as none here; the control API reports its error. */
function textsIn(where: string): Record<string, string> {
  const texts = jsonIn(where)
  return typeof texts === 'object' ? (texts as Record<string, string>) : {}
}

interface Props {
  collection: CollectionInfo
  columns: readonly Field[]
  rows: readonly AnyRow[]
  names: RowNames
  statuses: ReadonlyMap<unknown, string>
  pairs: ReadonlyMap<unknown, { shown: AnyRow | undefined; other: AnyRow | undefined }>
  /** The rows that are only at the other moment. */
  absent: readonly AnyRow[]
  /** The classes of rows that are only at the moment that is shown, and only at the other one. */
  classes: readonly [here: string, there: string]
  sort: string
  isFixed: boolean
}

/** The place of a cell. Its row may move when the list is loaded again. */
type CellPosition = { row: AnyRow | undefined; column: number }

/** Rows as a grid. The arrow keys move, Enter opens the row or edits the cell, F2 edits. */
function Grid(props: Props) {
  const { collection, columns, rows, names, statuses, pairs, absent, classes, sort, isFixed } = props
  const { name, lifecycle } = collection
  const isMoving = ({ id, ...row }: AnyRow, { name }: Field) => ![undefined, row[name]].includes(statuses.get(id))
  const box = useRef<HTMLTableElement>(null)
  const [at, setAt] = useState<CellPosition>({ row: undefined, column: 0 })
  const [edited, edit] = useState<CellPosition>()
  // What is typed in a cell stays, even if its row is no longer in the list.
  const isLost = edited?.row && !rows.some(({ id }) => id === edited.row?.id)
  const shown = [...absent, ...rows, ...(isLost ? [edited.row as AnyRow] : [])]
  const classOf = ({ id }: AnyRow) => {
    const pair = pairs.get(id)
    return pair && (pair.shown ? pair.other === undefined && classes[0] : classes[1])
  }
  const here = Math.max(0, shown.map(({ id }) => id).indexOf(at.row?.id ?? ''))
  const isMoved = useRef(false)
  useLayoutEffect(() => {
    if (!isMoved.current || edited) return
    isMoved.current = false
    box.current?.querySelector<HTMLElement>('td[tabindex="0"]')?.focus()
  }, [at, edited])

  const move = (row: number, column: number) => {
    isMoved.current = true
    setAt({ row: shown[clamp(row, shown.length)], column: clamp(column, columns.length) })
  }
  const isEditable = (field: Field | undefined) => !isFixed && field && field.name !== 'id' && !isLong(field)
  const open = ({ row, column }: CellPosition) => {
    const field = columns[column]
    if (!row || !field) return
    if (isFixed || column === 0 || field.name === 'id') go(href('state', [name, row.id]))
    else if (isLong(field)) go(href('state', [name, row.id], { edit: 'true' }))
    else edit({ row, column })
  }
  const press = (event: KeyboardEvent) => {
    if (edited) return
    const step = steps[event.key]
    const cell = { row: shown[here], column: at.column }
    if (step) move(here + step[0], at.column + step[1])
    else if (event.key === 'Home') move(here, 0)
    else if (event.key === 'End') move(here, columns.length)
    else if (event.key === 'Enter') open(cell)
    else if (event.key === 'F2' && isEditable(columns[at.column])) edit(cell)
    else return
    event.preventDefault()
  }
  const close = () => {
    isMoved.current = true
    edit(undefined)
  }
  return (
    <Scroll label={`Rows: ${several(name)}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells have the focus is a grid */}
      <table ref={box} class="rows" role="grid" aria-label={`Rows: ${several(name)}`} onKeyDown={press}>
        <thead>
          <tr>
            {columns.map(({ name: field }) => (
              <Sorter key={field} field={field} label={worded(field)} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, index) => (
            <tr key={String(row.id)} class={classOf(row) || undefined}>
              {columns.map((field, column) => {
                const cell = { collection: name, row, field, names }
                const isHere = here === index && at.column === column
                const { shown: mine, other } = pairs.get(row.id) ?? {}
                const isApart = mine && other && !isSame(other[field.name], mine[field.name])
                const isEdited = edited?.row?.id === row.id && edited.column === column
                return (
                  <td
                    key={field.name}
                    tabIndex={isHere ? 0 : -1}
                    class={isApart ? 'apart' : column > 0 && isEditable(field) ? 'editable' : undefined}
                    title={isApart ? `At the other moment: ${JSON.stringify(other[field.name])}` : undefined}
                    data-title={worded(field.name)}
                    onFocus={() => setAt({ row, column })}
                    onDblClick={() => !isEdited && open({ row, column })}
                  >
                    {isEdited && <CellEditor {...cell} onClose={close} />}
                    {!isEdited &&
                      field.name === lifecycle?.field &&
                      isMoving(row, field) &&
                      `${statuses.get(row.id)} → `}
                    {!isEdited && <Cell {...cell} isFirst={column === 0} />}
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
function isLong({ types }: Field): boolean {
  return types.includes('object') || types.includes('array')
}

interface CellEditorProps {
  collection: string
  row: AnyRow
  field: Field
  names: RowNames
  onClose: () => void
}

/** Edits one value in its cell. Enter saves it, Escape cancels. Errors of the contract appear below. */
function CellEditor({ collection, row, field, names, onClose }: CellEditorProps) {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [loaded, setLoaded] = useState(row)
  const [draft, setDraft] = useState(draftOf(row[field.name]) ?? '')
  const [error, setError] = useState<string>()
  const isBusy = useRef(false)
  const none = field.types.includes('null') ? 'null' : undefined
  // Before the next key, which would go elsewhere.
  useLayoutEffect(() => box.current?.querySelector<HTMLElement>('input, select')?.focus(), [])

  const save = async () => {
    if (isBusy.current) return
    const value = draft === '' && none ? null : valueIn(field, draft)
    if (isSame(value, loaded[field.name])) return onClose()
    isBusy.current = true
    try {
      await saveRow(collection, loaded, { [field.name]: value })
      return onClose()
    } catch (problem) {
      if (problem instanceof Conflict) setLoaded(problem.now)
      if (problem instanceof Refused) setError(problem.reasons)
      else sayFailed(problem as Error)
    } finally {
      isBusy.current = false
    }
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') void save()
    else if (event.key === 'Escape') {
      // The input loses the focus when it is removed, which would save it.
      isBusy.current = true
      onClose()
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  const shared: InputProps = { 'aria-label': `${field.name} of ${titleOf(names, collection, row.id)}` }
  if (error) Object.assign(shared, { 'aria-invalid': 'true', 'aria-describedby': id })
  return (
    <div
      ref={box}
      class="editor"
      onFocusOut={({ relatedTarget }) => {
        if (!box.current?.contains(relatedTarget as Node | null) && error === undefined) void save()
      }}
    >
      <ValueInput
        {...{ field, draft, names, shared, none, placeholder: none }}
        onChange={setDraft}
        isSelected
        onKeyDown={press}
      />
      <Note id={id} class="error" role="alert" text={error} />
    </div>
  )
}
