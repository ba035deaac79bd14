import type { Call, CollectionInfo, JournalDetail, RequestCheck } from '../../../engine/contract/types.gen.js'
import { api } from '../api.js'
import { jsonIn, pretty } from '../json/values.js'
import { type Operation, paramsIn } from '../operations.js'
import { callOf, type FormPart, isUpload, type Outgoing, outgoingOf } from '../outgoing/outgoing.js'
import { route } from '../route.js'

export interface Draft {
  method: string
  url: string
  /** Parameters of the path and the query by name. Empty ones of the query are not sent. */
  path: Record<string, string>
  query: Record<string, string>
  /** Parameters that the operation does not have, as in a URL. */
  more: string
  headers: string
  body: string
  fields: Record<string, string>
  /** The keys of the users who send it. Empty: no user. */
  users: string[]
}

export interface FormParts {
  draft: Draft
  set: (change: Partial<Draft>) => void
  /** Undefined: the request is to any path. */
  operation: Operation | undefined
  /** What the contract says about it. Undefined: it cannot be checked. */
  check: RequestCheck | undefined
  collections: readonly CollectionInfo[]
  files: Files
  setFiles: (files: Files) => void
}

/** The files of a form by field. They cannot be kept. */
export type Files = Record<string, File[]>

export function draftOf(operation?: Operation): Draft {
  const draft: Draft = {
    method: 'GET',
    url: '/api/',
    path: {},
    query: {},
    more: '',
    headers: '',
    body: '',
    fields: {},
    users: api.users.slice(0, 1)
  }
  if (!operation) return draft
  for (const { name, in: place, example = '', required } of operation.parameters) {
    if (place === 'path') draft.path[name] = example
    if (place === 'query' && required) draft.query[name] = example
    if (place === 'header' && (required || example !== '')) draft.headers += `${name}: ${example}\n`
  }
  const [first] = Object.values(operation.body?.examples ?? {})
  if (first !== undefined) draft.body = pretty(first)
  return draft
}

export function draftFrom(exchange: JournalDetail, operation: Operation | undefined): Draft {
  const { method, url, headers, body, user } = outgoingOf(exchange)
  const [, search = ''] = url.split(/\?(.*)/s)
  const query: Record<string, string> = {}
  const more = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(search)) {
    const parameter = operation?.parameters.find((it) => it.in === 'query' && it.name === name)
    if (!parameter || (name in query && !parameter.isList)) more.append(name, value)
    else query[name] = name in query ? `${query[name]},${value}` : value
  }
  const { accept: _, ...shown } = headers
  if (/^application\/json$/i.test(shown['content-type'] ?? '')) delete shown['content-type']
  const parts = isUpload(exchange.request) && body && 'form' in body ? body.form : []
  return {
    ...draftOf(),
    method,
    url,
    ...(operation && { path: paramsIn(operation.path, url), query, more: more.toString() }),
    headers: headerLines(shown),
    body: body && 'text' in body ? pretty(jsonIn(body.text)) : '',
    fields: Object.fromEntries(parts.flatMap(({ name, text }) => (text === undefined ? [] : [[name, text]]))),
    users: [user ?? '']
  }
}

/** The parts of a draft in the URL: all except headers and body, which may have secrets. */
export function addressOf({ method, url, path, query, more, users }: Draft, operation: Operation | undefined) {
  const entriesOf = (place: string, values: Record<string, string>) =>
    Object.entries(values).map(([name, value]) => [`${place}.${name}`, value])
  const target = operation
    ? { ...Object.fromEntries([...entriesOf('path', path), ...entriesOf('query', query)]), more }
    : { method, url }
  return { ...target, as: users.map((user) => user || 'nobody').join(',') }
}

export function withAddress(draft: Draft, address: URLSearchParams): Draft {
  const result = { ...draft, path: { ...draft.path }, query: { ...draft.query } }
  for (const [key, value] of address) {
    const [place, name] = key.split(/\.(.*)/s)
    if (name !== undefined && (place === 'path' || place === 'query')) result[place][name] = value
    else if (key === 'more' || key === 'method' || key === 'url') result[key] = value
    else if (key === 'as') result.users = value.split(',').map((user) => (user === 'nobody' ? '' : user))
  }
  return result
}

export function urlOf({ url, path, query, more }: Draft, operation: Operation | undefined): string {
  if (!operation) return url.startsWith('/') ? url : `/${url}`
  const filled = operation.path.replace(/\{([^{}]+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
  const search = new URLSearchParams()
  for (const { name, in: place, isList, isExploded } of operation.parameters) {
    const text = place === 'query' ? (query[name] ?? '') : ''
    const values = isList && isExploded ? text.split(',').map((it) => it.trim()) : [text]
    if (text !== '') for (const value of values) search.append(name, value)
  }
  const both = [search.toString(), more.replace(/^\?/, '')].filter(Boolean).join('&')
  return both === '' ? filled : `${filled}?${both}`
}

export function outgoingFrom(draft: Draft, operation: Operation | undefined, files: Files, user: string): Outgoing {
  const method = operation?.method ?? draft.method
  const headers = headersIn(draft.headers)
  const outgoing: Outgoing = { method, url: urlOf(draft, operation), user: user === '' ? null : user, headers }
  if (['GET', 'HEAD'].includes(method)) return outgoing
  if (operation?.body?.kind === 'form') return { ...outgoing, body: { form: partsOf(draft, operation, files) } }
  if (draft.body.trim() === '') return outgoing
  const type = operation?.body?.kind === 'text' ? operation.body.type : 'application/json'
  return { ...outgoing, headers: { 'content-type': type, ...headers }, body: { text: draft.body } }
}

export function checkedCall(draft: Draft, operation: Operation | undefined, files: Files): Call {
  const outgoing = outgoingFrom(draft, operation, files, '')
  if (operation?.body?.kind !== 'form' || !outgoing.body || 'text' in outgoing.body) return callOf(outgoing)
  const form: Record<string, unknown> = {}
  for (const { name, text, file } of outgoing.body.form) {
    const value = file instanceof File ? { 'x-file': { name: file.name, type: file.type, size: file.size } } : text
    const isList = operation.body.fields.some((it) => it.name === name && it.isList)
    form[name] = isList ? [...((form[name] as unknown[]) ?? []), value] : value
  }
  return { operation: operation.id, path: draft.path, body: form }
}

function partsOf({ fields }: Draft, { body }: Operation, files: Files): FormPart[] {
  return (body?.fields ?? []).flatMap(({ name, isFile }): FormPart[] => {
    if (isFile) return (files[name] ?? []).map((file) => ({ name, file }))
    return fields[name] ? [{ name, text: fields[name] }] : []
  })
}

export function headerLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

/** Headers by name, from lines such as "Prefer: code=404". */
export function headersIn(text: string): Record<string, string> {
  const lines = text.split('\n').flatMap((line) => {
    const colon = line.indexOf(':')
    const [name, value] = [line.slice(0, Math.max(0, colon)).trim(), line.slice(colon + 1).trim()]
    return /^[!#$%&'*+.^`|~\w-]+$/.test(name) && value !== '' ? [[name.toLowerCase(), value]] : []
  })
  return Object.fromEntries(lines)
}

/** The current request, so that a reload keeps it. Bodies may have secrets, so it is forgotten with the tab. */
export function keepDraft(name: string, from: string | undefined, draft: Draft): void {
  try {
    sessionStorage.setItem(keyOf(name, from), JSON.stringify(draft))
  } catch {
    // The tab has no space for it. Only this draft is lost.
  }
}

export function readDraft(name: string, from: string | undefined): Draft | undefined {
  return (jsonIn(sessionStorage.getItem(keyOf(name, from)) ?? 'null') ?? undefined) as Draft | undefined
}

function keyOf(name: string, from = ''): string {
  return `draft ${route.peek().sandbox} ${name} ${from}`
}
