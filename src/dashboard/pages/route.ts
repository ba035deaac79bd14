import { signal } from '@preact/signals'
import { api } from './api.js'
import { worded } from './state/labels.js'

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
  'shadow',
  'cluster'
] as const
export type Page = (typeof pages)[number]

const optional: readonly Page[] = ['shadow', 'cluster']

/** The pages of this mock: the cluster has one only if there are several processes, the shadow only in front of a service. */
export const pagesHere = pages.filter((name) => !optional.includes(name) || api.more.includes(name))

export function pageLabel(page: Page): string {
  return page === 'send' ? 'API explorer' : worded(page)
}

/** Pages that show an earlier moment. Links between them keep it. */
const pagesInTime: readonly Page[] = ['requests', 'state', 'clock', 'overrides', 'assumptions', 'coverage']

/** Whether this is `/docs`, the page with the explorer alone. The other pages are in the dashboard. */
export const isDocs = /\/docs$/.test(location.pathname)

// `/docs?user=basic&sandbox=mine#getThing`, and `#/things/getThing` as earlier explorers had it.
if (isDocs && !pages.includes(location.hash.split('/')[2] as Page)) {
  const { user, sandbox } = Object.fromEntries(new URLSearchParams(location.search))
  const operation = location.hash.split(/[#/]/).pop()
  history.replaceState(
    null,
    '',
    `${location.pathname}#/${sandbox || 'default'}/send/${operation}${searchOf({ as: user })}`
  )
}

/** The part of the address after `#`: `/<sandbox>/<page>/<rest>?<query>`. It is not sent to the server. */
interface Route {
  sandbox: string
  page: Page
  /** The page in the address, if there is none of this name. */
  unknown: string | undefined
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

/** The moments whose states are compared: the ends of a range, or the moment that is shown and now. */
export function comparedMoments(): [before: { at?: string }, after: { at?: string }] {
  const against = route.value.query.get('against')
  return against ? [{ at: against }, atMoment()] : [atMoment(), {}]
}

/** Whether the page of the state compares two moments. */
export function isCompared(): boolean {
  return ['at', 'against'].some((name) => route.value.query.has(name))
}

export function href(page: Page, rest: (string | number)[] = [], query: Query = {}, sandbox = route.value.sandbox) {
  const path = [sandbox, page, ...rest].map((part) => encodeURIComponent(part)).join('/')
  const at = pagesInTime.includes(page) && sandbox === route.value.sandbox ? atMoment() : {}
  const { against, stored } = page === 'state' ? queryNow() : {}
  return `${isDocs && page !== 'send' ? '__mock/' : ''}#/${path}${searchOf({ ...at, against, stored, ...query })}`
}

/** A query in a URL, with its question mark. Empty parameters are left out. */
export function searchOf(query: object): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString()
  return search && `?${search}`
}

function queryNow(): Query {
  return Object.fromEntries(route.value.query)
}

/** The address of an exchange, or of none, with the current query of the journal. */
export function exchangeHref(id?: string, change: Query = {}): string {
  return href('requests', id === undefined ? [] : [id], { ...queryNow(), ...change })
}

/** Navigates at once. The browser reports the new address later. */
export function go(address: string): void {
  if (!address.startsWith('#')) location.assign(address)
  else {
    location.hash = address
    route.value = read()
  }
}

/** The same without a history entry. */
export function replace(address: string): void {
  location.replace(address)
  route.value = read()
}

/** Changes only the query, at once and without a history entry. */
export function setQuery(query: Query): void {
  const { page, rest } = route.value
  replace(href(page, rest, { ...queryNow(), ...query }))
}

function read(): Route {
  const [path = '', ...search] = location.hash.replace(/^#\/?/, '').split('?')
  const [sandbox = '', page = '', ...rest] = path.split('/').map(decoded)
  const match = isDocs ? 'send' : pages.find((name) => name === page)
  return {
    sandbox: /^[A-Za-z0-9_-]{1,64}$/.test(sandbox) ? sandbox : 'default',
    page: match ?? 'requests',
    unknown: match || page === '' ? undefined : page,
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
