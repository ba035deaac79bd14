import type { Contract } from '../../engine/contract/contract.js'
import type { Json } from '../../engine/contract/load.js'
import { blanked } from '../../engine/contract/message/redaction.js'
import { inMap } from '../../engine/contract/once.js'
import type { ShadowReport } from '../../engine/contract/types.gen.js'
import { redactBody, redactUrl } from '../../engine/journal/redact.js'
import type { Book } from '../record/book.js'
import type { Live } from '../record/live.js'
import type { Call, Traffic } from '../record/traffic.js'
import { curlOf, type Call as Sent } from '../verify/calls/request.js'
import type { Check } from '../verify/results.js'
import type { Difference } from './compare.js'
import { isTotal } from './lists.js'

/** Longer values are cut. */
const longestValue = 200

/** The check of verify that a break of the contract is about. */
export function checkOf(text: string): Check {
  if (/status 5\d\d/.test(text)) return 'not_a_server_error'
  if (text.includes('Content-Type')) return 'content_type_conformance'
  if (text.includes('in place of 422')) return 'negative_data_rejection'
  return /a status that|^status \d/.test(text) ? 'status_code_conformance' : 'response_schema_conformance'
}

/** The check of verify that a difference breaks. */
export function checkFor({ operation }: Call, { kind, service, mock, path, field = '' }: Difference): Check {
  if (kind === 'status' && (service as number) < 300) {
    const checks: Record<string, Check> = { 401: 'ignored_auth', 403: 'admin_only', 422: 'negative_data_rejection' }
    return checks[String(mock)] ?? 'unknown_id_refused'
  }
  if (kind === 'status') return service === 404 ? 'ensure_resource_availability' : 'positive_data_acceptance'
  if (path.endsWith(' twice')) return 'unique_rows'
  if (isTotal(path, field)) return 'paging_consistent'
  if (kind === 'missing') return 'ensure_resource_availability'
  if (kind === 'extra') return operation.isReading ? 'use_after_free' : 'same_as_mock'
  return 'values_read_back'
}

/** What differs, in a few words. */
export const placeIn = ({ kind, path, service, mock }: Difference) =>
  kind === 'status' ? `${service} in place of ${mock}` : `${path || 'the body'} ${kind === 'value' ? 'differs' : kind}`

/** Hides what is secret in a value of a field. */
type Hidden = (value: Json | undefined, field?: string) => Json | undefined

export function hiddenIn(contract: Contract, { operation }: Call): Hidden {
  const redacted = contract.redactionOf(operation)
  return (value, field) => withoutSecrets(redacted ? (redacted.reply(value) as Json) : value, field)
}

/** In JSON, and in a query. */
const webToken = /(["=])eyJ[\w-]+\.[\w-]+\.[\w-]*/g
const hiddenToken = `$1${blanked}`

export const hiddenTarget = (target: string) => redactUrl(target).replace(webToken, hiddenToken)

/** A value without texts that are secret by the names of their fields, or by their form. */
function withoutSecrets(value: Json | undefined, field = ''): Json | undefined {
  const text = JSON.stringify(redactBody({ [field]: value }))
  return JSON.parse(text.replace(webToken, hiddenToken))[field]
}

/** A call as a command, without secrets and tokens. The first caller is the one with the token. */
export function sentAs(
  url: string,
  { contract, callers }: Book,
  { operation, caller, body }: Call,
  { method, target, headers, body: text }: Traffic
): string {
  const redacted = contract.redactionOf(operation)
  const isJson = Object.keys(body).length > 0
  const sent = isJson ? JSON.stringify(withoutSecrets(redacted ? (redacted.request(body) as Json) : body)) : text
  const [first] = callers.keys()
  const token = first === undefined || first === caller ? '$TOKEN' : '$USER_TOKEN'
  const [place] = contract.api.document?.placesOf(operation)[0] ?? []
  const isKey = caller !== '' && headers.authorization === undefined && place?.in === 'header'
  const authorization = caller === '' || isKey ? null : `Bearer ${token}`
  const type = headers['content-type']
  const call = {
    operation,
    method,
    target: hiddenTarget(target),
    headers: {
      ...(type !== undefined && sent !== '' && { 'Content-Type': type }),
      ...(isKey && { [place.name]: token })
    },
    ...(sent !== '' && { body: Buffer.from(sent) })
  } as Sent
  return curlOf(url, call, authorization, [])
}

/** A value as JSON, cut. */
export function shown(value: Json | undefined, hidden: Hidden, field?: string): string {
  const text = JSON.stringify(hidden(value, field)) ?? 'nothing'
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text
}

/** A difference as a sentence. */
export function sentence(it: Difference, hidden: Hidden): string {
  const place = it.path === '' ? '' : ` at ${it.path}`
  return `the service answers ${shown(it.service, hidden, it.field)}${place} where the mock answers ${shown(it.mock, hidden, it.field)}`
}

/** Differences that another client may have made. */
export class Suspicions {
  /** How often each was there, and the operations that may have caused it, every time. */
  private readonly causes = new Map<string, { count: number; common: Set<string> }>()

  /** Whether a difference has been there so often, after calls of one of the same operations. */
  isRepeated(difference: string, causes: Set<string>, least = 2): boolean {
    const entry = this.causes.get(difference)
    const common = entry ? new Set([...entry.common].filter((it) => causes.has(it))) : causes
    // Other causes: it begins anew.
    const count = entry && common.size > 0 ? entry.count + 1 : 1
    this.causes.set(difference, { count, common: common.size > 0 ? common : causes })
    return count >= least && common.size > 0
  }
}

/** Follows exchanges as they happen. */
export interface LiveShadow extends Live {
  /** Notes a call that the service did not answer. */
  miss(operation: string, why: string): void
  /** What was compared so far. */
  shadowReport(): ShadowReport
}

type Compared = ShadowReport['operations'][number]
type Pair = Compared['latest'][number]

/** The highest number of pairs of an operation that differ. */
const mostPairs = 5

/** The answers of the service and of the mock, by operation. */
export class Pairs {
  private readonly operations = new Map<string, { calls: number; same: number; different: Pair[]; last?: Pair }>()

  add(operation: string, isSame: boolean, pair: Pair): void {
    const it = inMap(this.operations, operation, () => ({ calls: 0, same: 0, different: [] }))
    it.calls++
    if (isSame) {
      it.same++
      it.last = pair
    } else it.different = [pair, ...it.different].slice(0, mostPairs)
  }

  get list(): Compared[] {
    return [...this.operations].map(([operation, { calls, same, different, last }]) => {
      return { operation, calls, same, latest: [...different, ...(last ? [last] : [])] }
    })
  }
}
