import { isObject, type Json, type JsonObject } from '../../../engine/contract/load.js'
import type { Exchange } from '../calls/client.js'
import { verdict } from '../judge.js'
import type { Run } from '../run.js'

/** Names of fields with secrets. */
const secret =
  /passw(or)?d|passphrase|secret|salt$|(^|access|refresh|api|auth|bearer|session|id)_?token$|api_?key|private_?key/i

/** Checks every reply: its redirect, and whether it reveals secrets. `sent` is the Authorization header. */
export function checkAnyReply(run: Run, exchange: Exchange, sent: string | null): void {
  const { judged } = exchange
  const { status, headers, text } = exchange.reply
  const { url, token, userToken } = run.settings
  if (status >= 300 && status < 400 && headers.location !== undefined) {
    const host = hostOf(headers.location, url)
    const stays = host === undefined || host === new URL(url).hostname
    const got = `${status} with Location ${headers.location}`
    verdict(run, exchange, 'redirect_stays', stays, 'no redirect, or one to the same host', { title: 'any reply', got })
  }
  // A refusal may repeat what was sent.
  const isRepeated = (it: string) => status >= 300 && `${sent} ${exchange.call.target}`.includes(it)
  const isTold = (it: string | undefined) => it !== undefined && it.length >= 7 && text.includes(it) && !isRepeated(it)
  const told = [token, userToken].some(isTold)
  const names = told || status >= 300 ? [] : [...secretNames(judged, namesOf(run))]
  if (!told && names.length === 0) return
  const got = told ? 'a token' : `the fields ${[...new Set(names)].join(', ')}`
  verdict(run, exchange, 'secrets_hidden', false, 'no secret that the description does not name', {
    title: 'any reply',
    got
  })
}

function hostOf(location: string, url: string): string | undefined {
  return URL.canParse(location, url) ? new URL(location, url).hostname : undefined
}

/** Undocumented text fields whose names suggest secrets. Free-form objects are not searched. */
function* secretNames(value: unknown, known: FieldNames): Iterable<string> {
  if (Array.isArray(value)) for (const item of value) yield* secretNames(item, known)
  if (!isObject(value)) return
  for (const [name, item] of Object.entries(value)) {
    if (known.free.has(name)) continue
    if (!known.named.has(name) && secret.test(name) && typeof item === 'string' && item !== '') yield name
    yield* secretNames(item, known)
  }
}

export interface FieldNames {
  named: ReadonlySet<string>
  free: ReadonlySet<string>
}

const found = new WeakMap<object, FieldNames>()

/** The fields that the contract names, and which of them may contain anything. */
export function namesOf({ readings }: Run): FieldNames {
  const { documents } = readings.first
  const before = found.get(documents)
  if (before) return before
  const known = { named: new Set<string>(), free: new Set<string>() }
  for (const [file, document] of Object.entries(documents)) if (file !== 'control.json') collect(document, known)
  found.set(documents, known)
  return known
}

function collect(value: Json, known: { named: Set<string>; free: Set<string> }): void {
  if (Array.isArray(value)) for (const item of value) collect(item, known)
  if (!isObject(value)) return
  for (const [name, schema] of Object.entries((value.properties ?? {}) as Record<string, JsonObject>)) {
    known.named.add(name)
    const text = JSON.stringify(schema)
    if (/x-secret|FreeForm|"additionalProperties":(true|\{)/.test(text)) known.free.add(name)
  }
  // The mock's stored rows have fields that replies do not show.
  for (const [key, item] of Object.entries(value)) if (key !== 'collections') collect(item, known)
}
