import { isDeepStrictEqual } from 'node:util'
import type { Body } from '../../contract/body.js'
import type { Override } from './overrides.js'

/** What a request asks for, as far as it is known before its body is read. */
export interface Asked {
  operation: string
  path: Record<string, string>
  query: Record<string, string>
}

/** Whether an override means a request, its body aside; one that is off means none. */
export function matchesAddress({ operation, match = {}, off = false }: Override, asked: Asked): boolean {
  return (
    !off && operation === asked.operation && haveTexts(asked.path, match.path) && haveTexts(asked.query, match.query)
  )
}

/** Whether an override means a request with this body. */
export function matchesBody({ match = {} }: Override, body: Body | undefined): boolean {
  return match.body === undefined || (body !== undefined && 'value' in body && holds(body.value, match.body))
}

/** Parameters come as text, so that is what is compared. */
function haveTexts(values: Record<string, string>, wanted: Record<string, unknown> = {}): boolean {
  return Object.entries(wanted).every(([name, value]) => values[name] === String(value))
}

/** An object holds another when it has its fields; all else must be equal. */
function holds(value: unknown, wanted: unknown): boolean {
  if (!isRecord(wanted)) return isDeepStrictEqual(value, wanted)
  return (
    isRecord(value) &&
    Object.entries(wanted).every(([name, item]) => Object.hasOwn(value, name) && holds(value[name], item))
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
