import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { api } from '../api.js'
import type { LoadState } from '../client.js'
import { route, setQuery } from '../route.js'
import { Button } from './actions.js'
import { TextField } from './fields.js'
import { grouped, Note } from './text.js'

export function Head({ title, children }: { title: string; children?: ComponentChildren }) {
  const { sandbox } = route.value
  useEffect(() => {
    document.title = `${title} · ${sandbox} · ${api.title} mock`
  }, [title, sandbox])
  return (
    <div class="head">
      <h1>{title}</h1>
      {children}
    </div>
  )
}

interface LoadedProps<T> {
  from: LoadState<T>
  /** Whether a form is shown, which stays with what is typed in it when it cannot be loaded again. */
  isForm?: boolean
  children: (value: T) => ComponentChildren
}

/** Shows what is loaded. Before that, or if it cannot be loaded, says so. */
export function Loaded<T>({ from: { value, error }, isForm = false, children }: LoadedProps<T>) {
  const latest = useRef(value)
  latest.current = value ?? (isForm ? latest.current : undefined)
  return (
    <>
      {value === undefined && error && <Note class="problem" role="alert" text={error.message} />}
      {latest.current === undefined ? !error && <p class="quiet">Loading…</p> : children(latest.current)}
    </>
  )
}

interface MenuProps {
  label: string
  class: string
  links: readonly { text: string; href: string; isCurrent: boolean; count?: number; changed?: string }[]
}

export function Menu({ label, class: name, links }: MenuProps) {
  const menu = useRef<HTMLElement>(null)
  useEffect(
    () => menu.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }),
    [links.findIndex(({ isCurrent }) => isCurrent), links.length]
  )
  return (
    <nav ref={menu} class={name} aria-label={label}>
      {links.map(({ text, href, isCurrent, count, changed }) => (
        <a key={text} href={href} aria-current={isCurrent ? 'page' : undefined}>
          {text} {count !== undefined && <span class="quiet number">{grouped(count)}</span>}
          {changed && (
            <b class="altered" title="+ new, − removed, ~ changed">
              {changed}
            </b>
          )}
        </a>
      ))}
    </nav>
  )
}

export function Scroll(props: { label: string; class?: string | undefined; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls what has the focus
    <section class={`scroll panel ${props.class ?? ''}`} aria-label={props.label} tabIndex={0}>
      {props.children}
    </section>
  )
}

interface TableProps<Item> {
  label: string
  caption?: string
  class?: string
  items: readonly Item[]
  keyOf: (item: Item) => string
  rowClass?: (item: Item) => string | undefined
  /** The cell of each column. A column whose title ends with "#" has numbers. The first column names the row. */
  columns: Record<string, (item: Item) => ComponentChildren>
}

/** A table. On a phone, values are below each other, each after its title. */
export function Table<Item>(props: TableProps<Item>) {
  const { label, caption = label, items, keyOf, rowClass, columns } = props
  const [first, ...others] = Object.entries(columns).map(([title, cell]) => {
    const kind = title.endsWith('#') ? 'right number' : title === 'Actions' ? 'buttons' : undefined
    return { title: title.replace('#', ''), kind, cell }
  })
  return (
    <Scroll label={label} class={props.class}>
      <table class="stacked">
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{first?.title}</th>
            {others.map(({ title, kind }) => (
              <th key={title} scope="col" class={kind === 'buttons' ? undefined : kind}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)} class={rowClass?.(item)}>
              <th scope="row">{first?.cell(item)}</th>
              {others.map(({ title, kind, cell }) => (
                <td key={title} class={kind} data-title={title}>
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

/** Searches a list. The text is in the URL, and the first page is shown. */
export function Search({ label = 'Search' }: { label?: string }) {
  const value = route.value.query.get('q') ?? ''
  const change = (q: string) => setQuery({ q, page: undefined })
  return <TextField class="wide" type="search" label={label} value={value} onChange={change} />
}

export function Pager(props: { label: string; page: number; size: number; total: number }) {
  const { label, page, size, total } = props
  const first = Math.min((page - 1) * size + 1, total)
  const last = Math.min(page * size, total)
  return (
    <nav class="pager" aria-label={label}>
      <Button text="Back" disabled={page <= 1} run={() => setQuery({ page: page - 1 })} />
      <span class="number" aria-live="polite">
        {first}–{last} of {grouped(total)}
      </span>
      <Button text="Next" disabled={last >= total} run={() => setQuery({ page: page + 1 })} />
    </nav>
  )
}

interface SorterProps {
  field: string
  label: string
  /** The field that sorts, with a minus if the largest is first. */
  sort: string
  class?: string
}

/** A column header that sorts: ascending, descending, and unsorted again. */
export function Sorter({ field, label, sort, class: name }: SorterProps) {
  const direction = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : 'none'
  const next = { none: field, ascending: `-${field}`, descending: undefined }[direction]
  return (
    <th scope="col" class={name} aria-sort={direction}>
      <button type="button" class="sorter" title={field} onClick={() => setQuery({ sort: next, page: undefined })}>
        {label} <span aria-hidden="true">{{ none: '', ascending: '↑', descending: '↓' }[direction]}</span>
      </button>
    </th>
  )
}
