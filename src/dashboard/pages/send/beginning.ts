import { call } from '../client.js'
import { isHidden, isUpload } from '../outgoing/outgoing.js'
import { sayFailed } from '../parts/toasts.js'
import { route } from '../route.js'
import { type Draft, draftFrom, draftOf } from './draft.js'
import { readDraft } from './memory.js'
import type { OperationForm } from './operation.js'

/** The initial contents of the form. */
export interface FormStart {
  draft: Draft
  /** What the journal does not have of the exchange. */
  lost: string | undefined
}

/** The unfinished request, that of an exchange, or one with working values; then the values in the URL. */
export async function beginning(
  operation: OperationForm | undefined,
  name: string,
  from: string | undefined
): Promise<FormStart> {
  const { query } = route.peek()
  const before = readDraft(name, from)
  if (before) return { draft: withAddress(before, query), lost: undefined }
  try {
    const exchange = from === undefined ? undefined : await call('getRequest', { path: { id: from } })
    if (!exchange) return { draft: withAddress(draftOf(operation), query), lost: undefined }
    const { omitted } = exchange.request
    const lost = isUpload(exchange.request)
      ? 'The journal does not keep files: choose them again.'
      : omitted !== undefined
        ? `The body was not kept: ${omitted}.`
        : isHidden(exchange)
          ? 'The journal hides secrets: replace each *** before you send it.'
          : undefined
    return { draft: withAddress(draftFrom(exchange, operation), query), lost }
  } catch (error) {
    sayFailed(error as Error)
    return { draft: withAddress(draftOf(operation), query), lost: undefined }
  }
}

/** The parts of a draft in the URL: all except headers and body, which may have secrets. */
export function addressOf({ method, url, path, query, more, users }: Draft, operation: OperationForm | undefined) {
  const named = (place: string, values: Record<string, string>) =>
    Object.entries(values).map(([name, value]) => [`${place}.${name}`, value])
  const own = operation
    ? [...named('path', path), ...named('query', query), ['more', more]]
    : [
        ['method', method],
        ['url', url]
      ]
  return Object.fromEntries([...own, ['as', users.map((user) => user || 'nobody').join(',')]]) as Record<string, string>
}

function withAddress(draft: Draft, address: URLSearchParams): Draft {
  const result = { ...draft, path: { ...draft.path }, query: { ...draft.query } }
  for (const [key, value] of address) {
    const [place, name] = key.split(/\.(.*)/s)
    if (name !== undefined && (place === 'path' || place === 'query')) result[place][name] = value
    else if (key === 'more' || key === 'method' || key === 'url') result[key] = value
    else if (key === 'as') result.users = value.split(',').map((user) => (user === 'nobody' ? '' : user))
  }
  return result
}
