import { isObject, type JsonObject } from '../load.js'
import type { Operation, RawInput } from '../model.js'
import { styled, styledPath } from '../reader/styles.js'

/** The parts of a request as they were sent, without its body. */
export interface SentParts extends Pick<RawInput, 'path' | 'query'> {
  /** By name in lower case. */
  headers: Readonly<Record<string, string>>
  cookies: () => Record<string, string>
}

/** The raw input of a request. */
export function rawInputOf(operation: Operation, sent: SentParts, body: unknown): RawInput {
  const { own } = operation
  if (!own) return { path: sent.path, query: sent.query, body: embedded(operation, body) }
  return {
    path: styledPath(own.styles, sent.path),
    query: styled(own.styles, 'query', sent.query),
    ...partsOf(operation, own, sent),
    body: embedded(operation, body)
  }
}

/** The headers and cookies that a user's own operation reads. */
function partsOf(
  { input: { header, cookie } }: Operation,
  { styles }: NonNullable<Operation['own']>,
  { headers, cookies }: SentParts
): Pick<RawInput, 'header' | 'cookie'> {
  return {
    ...(header && { header: styled(styles, 'header', named(header, headers)) }),
    ...(cookie && { cookie: styled(styles, 'cookie', named(cookie, cookies())) })
  }
}

/** The values that a schema names. */
function named({ properties }: JsonObject, values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(properties as JsonObject, name)))
}

/** A body with one embedded parameter lacks that parameter if it is not an object, or is null. */
function embedded(operation: Operation, body: unknown): unknown {
  if (!operation.input.body?.['x-embedded']) return body ?? undefined
  if (!isObject(body as never)) return {}
  return Object.fromEntries(Object.entries(body as object).filter(([, value]) => value !== null))
}
