import { useEffect, useRef, useState } from 'preact/hooks'
import type { CollectionInfo } from '../../../engine/contract/types.gen.js'
import { call } from '../client.js'
import { useLoad } from '../load.js'
import { Options } from '../parts/field.js'
import { Check, Search } from '../parts/line.js'
import { Named } from '../parts/named.js'
import { Pending } from '../parts/page.js'
import { atMoment, href, momentShown, route, setQuery } from '../route.js'
import type { Field } from './form/fields.js'
import { type AnyRow, type CollectionName, choicesOf, columnsOf } from './form/fields.js'
import { Grid } from './grid.js'
import { one, several, worded } from './labels.js'
import { hasLifecycle } from './lifecycle.js'

const pageSize = 25

/** One page of a collection's rows, searched, filtered and sorted. */
export function Rows({ collection }: { collection: CollectionInfo }) {
  const { query } = route.value
  const at = momentShown()
  const name = collection.name as CollectionName
  const [q, sort, where] = [query.get('q') ?? '', query.get('sort') ?? '', query.get('where') ?? '']
  const page = Math.max(1, Number(query.get('page')) || 1)
  const columns = columnsOf(collection, query.get('columns'))
  const [isFiltered, filter] = useState(where !== '')
  const asked = { q, sort, where, at: at ?? '', limit: pageSize, offset: (page - 1) * pageSize, names: true }
  const load = async () => {
    const list = await call('listRows', { path: { collection: name }, query: asked })
    // An attempt has no stored status: it follows from the clock.
    const moving = name === 'indexAttempts' ? (await call('listLifecycles', { query: atMoment() })).lifecycles : []
    return { ...list, statuses: new Map(moving.map(({ id, status }) => [id, status])) }
  }
  // There is no event when the clock changes a row.
  const every = hasLifecycle(name) && at === undefined ? 1000 : undefined
  const loaded = useLoad(load, JSON.stringify([name, asked]), { live: true, every })
  const { value, error } = loaded
  return (
    <>
      <div class="head">
        <h2>{several(name)}</h2>
        <p class="quiet">
          {collection.description !== `${several(name)}.` && collection.description} <code>{name}</code>
        </p>
      </div>
      <search class="filters">
        <Search label="Search all fields" value={q} onChange={(text) => setQuery({ q: text, page: undefined })} />
        <button type="button" aria-pressed={isFiltered} onClick={() => filter(!isFiltered)}>
          Filter
        </button>
        <ColumnChooser collection={collection} columns={columns} />
        {at === undefined && (
          <a class="button" href={href('state', [name, 'new'])}>
            Add {one(name).toLowerCase()}
          </a>
        )}
      </search>
      {isFiltered && <Filters columns={columns} where={where} />}
      {(error || !value) && <Pending loaded={loaded} />}
      {value && (
        <>
          <Grid
            collection={collection}
            columns={columns}
            rows={value.rows as AnyRow[]}
            names={value.names}
            statuses={value.statuses}
            sort={sort}
            isFixed={at !== undefined}
            onSaved={loaded.reload}
          />
          {value.total === 0 && <p class="empty">No row matches.</p>}
          <Pager page={page} total={value.total} />
        </>
      )}
    </>
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

/** Chooses the columns of a table. They are in the URL. */
function ColumnChooser({ collection, columns }: { collection: CollectionInfo; columns: readonly Field[] }) {
  const box = useRef<HTMLDetailsElement>(null)
  const shown = new Set(columns.map(({ name }) => name))
  useEffect(() => {
    const close = ({ target }: Event) => {
      if (box.current?.open && !box.current.contains(target as Node)) box.current.open = false
    }
    document.addEventListener('pointerdown', close)
    return () => document.removeEventListener('pointerdown', close)
  }, [])
  const turn = (name: string, isShown: boolean) => {
    const next = collection.fields.map((field) => field.name).filter((it) => (it === name ? isShown : shown.has(it)))
    setQuery({ columns: next.join(',') || undefined })
  }
  return (
    <details
      ref={box}
      class="menu"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !box.current) return
        box.current.open = false
        box.current.querySelector('summary')?.focus()
        event.stopPropagation()
      }}
    >
      <summary class="button">Columns</summary>
      <fieldset>
        <legend class="hidden">Columns</legend>
        {collection.fields.map(({ name }) => (
          <Check key={name} isOn={shown.has(name)} onChange={(isOn) => turn(name, isOn)}>
            <Named name={name} />
          </Check>
        ))}
        <button type="button" onClick={() => setQuery({ columns: undefined })}>
          As at first
        </button>
      </fieldset>
    </details>
  )
}

/** A filter for each column: a text that is in the field, or one of its values. It is in the URL. */
function Filters({ columns, where }: { columns: readonly Field[]; where: string }) {
  const texts = textsIn(where)
  const change = (field: string, text: string) => {
    const next = Object.fromEntries(Object.entries({ ...texts, [field]: text }).filter(([, it]) => it !== ''))
    setQuery({ where: Object.keys(next).length > 0 ? JSON.stringify(next) : undefined, page: undefined })
  }
  return (
    <fieldset class="filters columns">
      <legend class="hidden">Filters by column</legend>
      {columns.map((field) => {
        const { name } = field
        const choices = choicesOf(field)
        const text = texts[name] ?? ''
        return (
          <label key={name} htmlFor={`filter-${name}`}>
            <span title={name}>{worded(name)}</span>
            {choices ? (
              <select id={`filter-${name}`} value={text} onChange={(event) => change(name, event.currentTarget.value)}>
                <option value="">any</option>
                <Options options={choices.map((value) => [`=${value}`, value])} />
                {field.types.includes('null') && <option value="=null">null</option>}
              </select>
            ) : (
              <input
                id={`filter-${name}`}
                type="search"
                value={text}
                onInput={(event) => change(name, event.currentTarget.value)}
              />
            )}
          </label>
        )
      })}
      {where !== '' && (
        <button type="button" onClick={() => setQuery({ where: undefined, page: undefined })}>
          Clear the filters
        </button>
      )}
    </fieldset>
  )
}

/** A broken filter in the URL counts as none here; the control API reports its error. */
function textsIn(where: string): Record<string, string> {
  try {
    return JSON.parse(where)
  } catch {
    return {}
  }
}
