import type { Contract, Operation } from '../contract/contract.js'
import type { Json } from '../contract/load.js'
import { isJsonType } from '../contract/media.js'
import { responseOf } from '../contract/outcomes.js'

/** An answer of a service to an operation of the user's own. */
export interface OwnAnswer {
  status: number
  /** Its Content-Type; empty: none. */
  type: string
  text: string
}

/** What breaks the document in an answer; undefined: nothing. Refusals need not be documented. */
export interface Broken {
  check: 'not_a_server_error' | 'status_code_conformance' | 'content_type_conformance' | 'response_schema_conformance'
  text: string
}

export function brokenIn(contract: Contract, operation: Operation, answer: OwnAnswer): Broken | undefined {
  const { status, type, text } = answer
  const row = responseOf(operation, status)
  if (!row) {
    if (status >= 500) return { check: 'not_a_server_error', text: `status ${status} is a failure` }
    if (status >= 400 || status === 304) return undefined
    const known = Object.keys(operation.responses).join(', ')
    return { check: 'status_code_conformance', text: `status ${status} is not in the document, which has ${known}` }
  }
  // A response of which no content is described may have any.
  if (!row.schema || operation.method === 'HEAD') return undefined
  const wanted = row.media ?? 'application/json'
  if (!(row.media === undefined ? isJsonType(type) : isOf(type, row.media))) {
    return { check: 'content_type_conformance', text: `Content-Type is "${type}", not ${wanted}` }
  }
  if (row.media !== undefined) return undefined
  const body = parsed(text)
  const problems = 'value' in body ? contract.checkReply(operation, status, body.value, new Set()) : ['it is not JSON']
  if (problems.length === 0) return undefined
  return { check: 'response_schema_conformance', text: [...new Set(problems)].slice(0, 5).join('; ') }
}

/** Whether a media type is one that a document names, which may be a range such as `text/*`. */
function isOf(type: string, wanted: string): boolean {
  const plain = (it: string) => it.split(';')[0]?.trim().toLowerCase() ?? ''
  const [kind, sub] = plain(wanted).split('/')
  const [givenKind, givenSub] = plain(type).split('/')
  return (kind === '*' || kind === givenKind) && (sub === '*' || sub === givenSub)
}

function parsed(text: string): { value: Json | undefined } | { malformed: true } {
  if (text === '') return { value: undefined }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { malformed: true }
  }
}
