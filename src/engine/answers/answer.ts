import type { NotUnderstood } from '../api.js'
import { isObject, type Json, type JsonObject, schemaOf } from '../contract/load.js'
import { isStreamType } from '../contract/message/media.js'
import { RuleReply, refuse } from '../contract/message/reply.js'
import type { Operation } from '../contract/model.js'
import { responseOf, statusOf } from '../contract/outcomes.js'
import type { AnswerSource } from '../contract/types.gen.js'
import { hash, mix } from '../sandbox/ids.js'
import { collectionOf } from '../store/rows.js'
import { ofCollection, ofRow } from './collection.js'
import type { Call } from './rule.js'
import { ofSession, redirected } from './session.js'

/** One grey pixel, as a PNG. Browsers show it as a picture of any type except SVG. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mOYtXQjAAPNAfGR/fw6AAAAAElFTkSuQmCC'

const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="#9aa5b1"/></svg>'

/** A picture with the initials of the user that the path names, or of the operation. */
function avatarOf({ operation, input: { path }, sandbox, contract }: Call): string {
  const { collection, email } = contract.api.users
  const users = collectionOf(sandbox.rows, collection)
  const names = Object.values(path).map((id) => String(users.get(String(id))?.[email] ?? id))
  const words = (names.at(-1) ?? operation.id).split(/[^A-Za-z0-9]+/).filter(Boolean)
  const initials = words.slice(0, 2).map((word) => word[0]?.toUpperCase())
  const hue = hash(words.join(' ')) % 360
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64">',
    `<rect width="64" height="64" fill="hsl(${hue} 45% 45%)"/>`,
    `<text x="32" y="41" font-family="sans-serif" font-size="26" fill="#fff" text-anchor="middle">${initials.join('')}</text>`,
    '</svg>'
  ].join('')
}

/** What answers an operation of a document. */
export function sourceOf(operation: Operation, hasRule: boolean): AnswerSource {
  const { session, redirect } = operation.mock ?? {}
  if (hasRule || session !== undefined || redirect !== undefined) return 'rule'
  if (operation.mock?.collection !== undefined || operation.mock?.row?.isShown) return 'collection'
  const row = responseOf(operation, statusOf(operation))
  // Without a body, nothing is made up.
  return !row?.schema || Object.keys(row.examples ?? {}).length > 0 ? 'example' : 'invented'
}

/** What of a request has no effect on rows, or on the answer from them: the operation as a whole, or a part that was sent. */
function unreadIn({ operation: { id, defaults }, input: { query, header = {} }, contract }: Call): string | undefined {
  const isSent = ({ part, name = '' }: NotUnderstood) =>
    part === undefined ||
    (part === 'query' && query[name] !== undefined && query[name] !== defaults?.[name]) ||
    (part === 'request-header' && header[name] !== undefined)
  return contract.api.document?.notUnderstood.find((it) => it.operation === id && isSent(it))?.why
}

/** The answer of an operation without a rule: from its collection, its example or its schema. */
export function answerOf(call: Call): RuleReply {
  const { operation, input, contract, sandbox } = call
  const { session, redirect } = operation.mock ?? {}
  const unread = unreadIn(call)
  if (unread !== undefined && call.assume('requests.not-understood') === 'refused')
    refuse(422, `The mock does not understand ${operation.id}. ${unread}`)
  if (redirect !== undefined) return redirected(call, redirect, session && ofSession(call, session))
  if (session !== undefined) return ofSession(call, session)
  if (operation.mock?.collection !== undefined) return ofCollection(call, operation.mock.collection)
  const status = statusOf(operation)
  if (operation.mock?.row) {
    const body = ofRow(call, operation.mock.row, status)
    if (operation.mock.row.isShown) return new RuleReply(status, body)
  }
  const row = responseOf(operation, status)
  const [example] = Object.values(row?.examples ?? {})
  if (!row?.schema) return new RuleReply(status, undefined)
  // An API's document may have examples that its schemas do not take.
  const isGood = !contract.api.document || contract.checkReply(operation, status, example, new Set()).length === 0
  if (example !== undefined && isGood) return new RuleReply(status, example)
  if (row.media?.startsWith('image/svg')) return new RuleReply(status, drawing)
  if (row.media?.startsWith('image/')) return new RuleReply(status, Buffer.from(pixel, 'base64'))
  // FastAPI documents a file as any JSON. The `img` of a browser wants a picture.
  const isAny = row.media === undefined && Object.keys(row.schema).length === 0
  if (isAny && call.accept?.trimStart().startsWith('image/'))
    return new RuleReply(status, avatarOf(call), { 'Content-Type': 'image/svg+xml' })
  const seed = mix(sandbox.ids.seed ^ hash(JSON.stringify([operation.id, input.path, input.query])))
  const sample = contract.sampleOf(operation, status, seed)
  if (row.media !== undefined && typeof sample === 'string')
    return new RuleReply(status, isStreamType(row.media) ? [sample] : textIn(row.media, sample))
  return new RuleReply(status, echoed(call, sample, status, row.schema))
}

/** A generated text in the form of its media type. */
function textIn(media: string, text: string): string {
  if (/^text\/csv/i.test(media)) return `id,name\r\n1,${text}\r\n`
  if (/^text\/html/i.test(media)) return `<!doctype html>\n<title>${text}</title>\n<p>${text}</p>\n`
  return /[/+]xml/i.test(media) ? `<?xml version="1.0"?>\n<item>${text}</item>\n` : text
}

/**
 * A generated answer with fields from the request's body and the id from its path, as far as its schema takes them. If the
 * answer is one of several kinds, fields of two kinds do not mix: the body is the answer.
 */
function echoed({ operation, input, contract }: Call, value: Json, status: number, schema: JsonObject): Json {
  if (!isObject(value)) return value
  const isValid = (it: Json) => contract.checkReply(operation, status, it, new Set()).length === 0
  const { body, path } = input
  const { oneOf, anyOf, properties } = schemaOf(contract.documents, schema)
  const isUnion = (oneOf ?? anyOf) !== undefined && properties === undefined
  if (isUnion && isObject(body) && isValid(body)) return body
  const fields: JsonObject = isObject(body) ? { ...body } : {}
  for (const [name, parameter] of Object.entries(path)) {
    const field = [name, name.replace(/^.*_?id$/i, 'id')].find((it) => Object.hasOwn(value, it))
    if (field !== undefined) fields[field] = parameter as Json
  }
  let result = value
  for (const [name, field] of Object.entries(fields)) {
    if (!Object.hasOwn(value, name)) continue
    const next = { ...result, [name]: field }
    if (isValid(next)) result = next
  }
  return result
}
