import { signal } from '@preact/signals'

export const pages = [
  'requests',
  'send',
  'state',
  'clock',
  'overrides',
  'scenarios',
  'assumptions',
  'coverage',
  'sandboxes',
  'cluster'
] as const
export type Page = (typeof pages)[number]

/** Pages that show an earlier moment. Links between them keep it. */
const pagesInTime: readonly Page[] = ['requests', 'state', 'clock', 'overrides', 'assumptions', 'coverage']

/** The part of the address after `#`: `/<sandbox>/<page>/<rest>?<query>`. It is not sent to the server. */
interface Route {
  sandbox: string
  page: Page
  rest: string[]
  query: URLSearchParams
}

export const route = signal(read())
addEventListener('hashchange', () => {
  route.value = read()
})

type Query = Record<string, string | number | undefined>

/** The moment that the pages show, as calls of the control API have it: r12, m12 or m12.3200. Empty: now. */
export function atMoment(): { at?: string } {
  const at = route.value.query.get('at')
  return at ? { at } : {}
}

export function href(page: Page, rest: (string | number)[] = [], query: Query = {}, sandbox = route.value.sandbox) {
  const path = [sandbox, page, ...rest].map((part) => encodeURIComponent(part)).join('/')
  const at = pagesInTime.includes(page) && sandbox === route.value.sandbox ? atMoment() : {}
  return `#/${path}${searchOf({ ...at, ...query })}`
}

/** A query in a URL, with its question mark. Empty parameters are left out. */
export function searchOf(query: object): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString()
  return search && `?${search}`
}

/** The address of an exchange, or of none, with the current query of the journal. */
export function exchangeHref(id?: string, change: Query = {}): string {
  return href('requests', id === undefined ? [] : [id], { ...Object.fromEntries(route.peek().query), ...change })
}

export function explorerAddress(operation?: string): string {
  const { sandbox } = route.value
  return `../docs${searchOf(sandbox === 'default' ? {} : { sandbox })}${operation === undefined ? '' : `#${operation}`}`
}

/** Navigates at once. The browser reports the new address later. */
export function go(address: string): void {
  location.hash = address
  route.value = read()
}

/** The same without a history entry. */
export function replace(address: string): void {
  location.replace(address)
  route.value = read()
}

/** Changes only the query, at once and without a history entry. */
export function setQuery(query: Query): void {
  const { page, rest, query: before } = route.value
  replace(href(page, rest, { ...Object.fromEntries(before), ...query }))
}

function read(): Route {
  const [path = '', ...search] = location.hash.replace(/^#\/?/, '').split('?')
  const [sandbox = '', page = '', ...rest] = path.split('/').map(decoded)
  return {
    sandbox: /^[A-Za-z0-9_-]{1,64}$/.test(sandbox) ? sandbox : 'default',
    page: pages.find((name) => name === page) ?? 'requests',
    rest: rest.filter((part) => part !== ''),
    query: new URLSearchParams(search.join('?'))
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
