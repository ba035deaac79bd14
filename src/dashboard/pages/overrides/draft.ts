import type { JournalDetail, NewOverride } from '../../../engine/contract/types.gen.js'
import { jsonIn } from '../json/text.js'
import { type OperationInfo, paramsIn } from '../operations.js'

/** What each fault looks like to a client. */
export const faults = {
  CONNECTION_RESET_BY_PEER: 'The connection is reset',
  EMPTY_RESPONSE: 'The connection ends without an answer',
  MALFORMED_RESPONSE_CHUNK: 'The answer breaks off in the middle',
  RANDOM_DATA_THEN_CLOSE: 'The answer is noise'
} as const

/** What a fault does, with its name. */
export function faultText(name: string): string {
  const text = faults[name as keyof typeof faults]
  return text === undefined ? `The connection broke: ${name}` : `${text} (${name})`
}

/** The numbers of each kind of delay, all in milliseconds except sigma. */
export const delays = {
  fixed: ['milliseconds'],
  uniform: ['lower', 'upper'],
  lognormal: ['median', 'sigma', 'maxValue']
} as const

/** An override as the form's texts. Empty texts are not given. */
export interface Draft {
  operation: string
  params: Record<string, string>
  query: string
  matchBody: string
  status: string
  body: string
  delay: '' | keyof typeof delays
  numbers: Record<string, string>
  fault: string
  times: string
}

export const emptyDraft: Draft = {
  operation: '',
  params: {},
  query: '',
  matchBody: '',
  status: '',
  body: '',
  delay: '',
  numbers: {},
  fault: '',
  times: ''
}

/** The answer of an exchange, for similar requests. */
export function draftFrom({ operation, url, status, response }: JournalDetail, operations: OperationInfo[]): Draft {
  const info = operations.find(({ id }) => id === operation)
  return {
    ...emptyDraft,
    operation: operation ?? '',
    params: info ? paramsIn(info, url) : {},
    query: url.split('?').slice(1).join('?'),
    status: status === 0 ? '' : String(status),
    body: response.body === undefined ? '' : JSON.stringify(response.body, undefined, 2)
  }
}

/** The texts that must be JSON but are not, with the browser's message. */
export function notJson({ body, matchBody }: Draft): { field: string; detail: string }[] {
  return Object.entries({ body, 'match.body': matchBody }).flatMap(([field, text]) => {
    try {
      if (text !== '') JSON.parse(text)
      return []
    } catch (error) {
      return [{ field, detail: `This is not JSON: ${(error as Error).message}. A text needs quotes.` }]
    }
  })
}

/** The input for the control API. Invalid numbers are sent as texts, so that the contract rejects them. */
export function overrideOf(draft: Draft): NewOverride {
  const { operation, status, body, delay, numbers, fault, times } = draft
  const match = matchOf(draft)
  const override: Record<string, unknown> = { operation }
  if (Object.keys(match).length > 0) override.match = match
  if (status !== '') override.status = jsonIn(status)
  if (body !== '') override.body = jsonIn(body)
  if (delay !== '') {
    const entries = delays[delay].filter((name) => numbers[name]).map((name) => [name, jsonIn(numbers[name] as string)])
    override.delay = { type: delay, ...Object.fromEntries(entries) }
  }
  if (fault !== '') override.fault = fault
  if (times !== '') override.times = jsonIn(times)
  return override as unknown as NewOverride
}

function matchOf({ params, query, matchBody }: Draft): Record<string, unknown> {
  const path = Object.entries(params).filter(([, value]) => value !== '')
  return {
    ...(path.length > 0 && { path: Object.fromEntries(path) }),
    ...(query !== '' && { query: Object.fromEntries(new URLSearchParams(query)) }),
    ...(matchBody !== '' && { body: jsonIn(matchBody) })
  }
}
