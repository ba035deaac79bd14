import type { Call, JournalDetail } from '../../../engine/contract/types.gen.js'
import { jsonIn, pretty } from '../json/text.js'
import { paramsIn } from '../operations.js'
import { type FormPart, isUpload, type Outgoing, outgoingOf } from '../outgoing/outgoing.js'
import type { OperationForm, Parameter } from './operation.js'

/** A request as the texts of the form. */
export interface Draft {
  /** For a request without an operation. */
  method: string
  url: string
  /** Parameters of the path and the query by name. Empty ones of the query are not sent. */
  path: Record<string, string>
  query: Record<string, string>
  /** Parameters that the operation does not have, as in a URL. */
  more: string
  /** A header per line. */
  headers: string
  body: string
  /** The texts of a form's fields. */
  fields: Record<string, string>
  /** The keys of the users who send it. Empty: no user. */
  users: string[]
}

/** The properties of a part of the bench. */
export interface DraftProps {
  draft: Draft
  set: (change: Partial<Draft>) => void
  /** Undefined: the request is to any path. */
  operation: OperationForm | undefined
}

/** The files of a form by field. They cannot be kept. */
export type Files = Record<string, File[]>

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/** A request of an operation with working values. */
export function draftOf(operation: OperationForm | undefined): Draft {
  const draft: Draft = {
    method: 'GET',
    url: '/api/',
    path: {},
    query: {},
    more: '',
    headers: '',
    body: '',
    fields: {},
    users: ['admin']
  }
  if (!operation) return draft
  for (const { name, in: place, example, required } of operation.parameters) {
    if (place === 'path') draft.path[name] = example ?? ''
    if (place === 'query' && required) draft.query[name] = example ?? ''
    if (place === 'header') draft.headers += `${name}: ${example ?? ''}\n`
  }
  if (operation.body && 'examples' in operation.body) {
    const [first] = Object.values(operation.body.examples)
    if (first !== undefined) draft.body = pretty(first)
  }
  return draft
}

/** The request of an exchange, for editing. */
export function draftFrom(exchange: JournalDetail, operation: OperationForm | undefined): Draft {
  const { method, url, headers, body, user } = outgoingOf(exchange)
  const [, search = ''] = url.split(/\?(.*)/s)
  const query: Record<string, string> = {}
  const more = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(search)) {
    const parameter = operation?.parameters.find((it) => it.in === 'query' && it.name === name)
    if (!parameter || (name in query && !parameter.isList)) more.append(name, value)
    else query[name] = name in query ? `${query[name]},${value}` : value
  }
  const { 'content-type': type, accept, ...others } = headers
  const shown = { ...others, ...(type !== undefined && !/^application\/json$/i.test(type) && { 'content-type': type }) }
  return {
    ...draftOf(undefined),
    method,
    url,
    path: operation ? paramsIn(operation, url) : {},
    query: operation ? query : {},
    more: operation ? more.toString() : '',
    headers: Object.entries(shown)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    body: body && 'text' in body ? pretty(jsonIn(body.text)) : '',
    fields: isUpload(exchange.request) && body && 'form' in body ? textsOf(body.form) : {},
    users: [user ?? '']
  }
}

/** Path and query of a draft. */
export function urlOf({ url, path, query, more }: Draft, operation: OperationForm | undefined): string {
  if (!operation) return url.startsWith('/') ? url : `/${url}`
  const filled = operation.path.replace(/\{([^{}]+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
  const search = new URLSearchParams()
  for (const parameter of operation.parameters.filter((it) => it.in === 'query')) {
    for (const value of valuesOf(parameter, query[parameter.name] ?? '')) search.append(parameter.name, value)
  }
  const both = [search.toString(), more.replace(/^\?/, '')].filter(Boolean).join('&')
  return both === '' ? filled : `${filled}?${both}`
}

function valuesOf({ isList, isExploded }: Parameter, text: string): string[] {
  if (text === '') return []
  return isList && isExploded ? text.split(',').map((it) => it.trim()) : [text]
}

/** The request that one user sends. */
export function outgoingFrom(draft: Draft, operation: OperationForm | undefined, files: Files, user: string): Outgoing {
  const method = operation?.method ?? draft.method
  const headers = headersIn(draft.headers)
  const outgoing: Outgoing = { method, url: urlOf(draft, operation), user: user === '' ? null : user, headers }
  if (['GET', 'HEAD'].includes(method)) return outgoing
  if (operation?.body?.kind === 'form') return { ...outgoing, body: { form: partsOf(draft, operation, files) } }
  if (draft.body.trim() === '') return outgoing
  const type = operation?.body?.kind === 'text' ? operation.body.type : 'application/json'
  return { ...outgoing, headers: { 'content-type': type, ...headers }, body: { text: draft.body } }
}

/** The call that is checked while the user types. */
export function callOf(draft: Draft, operation: OperationForm | undefined, files: Files): Call {
  const { method, url, headers, body } = outgoingFrom(draft, operation, files, '')
  if (!body || 'text' in body) return { method, url, headers, ...(body && { text: body.text }) }
  const form: Record<string, unknown> = {}
  for (const part of body.form) {
    const value =
      'file' in part ? { 'x-file': { name: part.file.name, type: part.file.type, size: part.file.size } } : part
    const text = 'text' in part ? part.text : value
    const isList =
      operation?.body?.kind === 'form' && operation.body.fields.some((it) => it.name === part.name && it.isList)
    form[part.name] = isList ? [...((form[part.name] as unknown[]) ?? []), text] : text
  }
  return { operation: (operation as OperationForm).id, path: draft.path, body: form }
}

function partsOf({ fields }: Draft, { body }: OperationForm, files: Files): FormPart[] {
  if (body?.kind !== 'form') return []
  return body.fields.flatMap(({ name, isFile }): FormPart[] => {
    if (isFile) return (files[name] ?? []).map((file) => ({ name, file }))
    return fields[name] ? [{ name, text: fields[name] }] : []
  })
}

function textsOf(form: FormPart[]): Record<string, string> {
  return Object.fromEntries(form.flatMap((part) => ('text' in part ? [[part.name, part.text]] : [])))
}

/** Headers by name, from lines such as "Prefer: code=404". */
function headersIn(text: string): Record<string, string> {
  const lines = text.split('\n').flatMap((line) => {
    const colon = line.indexOf(':')
    const [name, value] = [line.slice(0, Math.max(0, colon)).trim(), line.slice(colon + 1).trim()]
    return /^[!#$%&'*+.^`|~\w-]+$/.test(name) && value !== '' ? [[name.toLowerCase(), value]] : []
  })
  return Object.fromEntries(lines)
}
