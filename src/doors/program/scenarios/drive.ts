import { jsonOrText } from '../../../engine/contract/json.js'
import { isObject, type Json } from '../../../engine/contract/load.js'
import { Refusal } from '../../../engine/contract/message/refusal.js'
import type { ScenarioPlayed } from '../../../engine/contract/types.gen.js'
import { invalid } from '../../../engine/control/rule.js'
import type { ScenarioRequests } from '../../../engine/control/scenarios/play.js'
import type { StepBody, StepRequest } from '../../../engine/control/scenarios/request.js'

/** Sends a request to a mock in process or elsewhere. Rejects with a TypeError if the connection breaks. */
export type Ask = (target: string, init: RequestInit) => Promise<Response>

/** Sends the requests of a scenario to a sandbox, one after another, as long as a client waits for the end. */
export async function drive(
  playing: ScenarioRequests,
  ask: Ask,
  sandbox: string,
  { headers, gone }: { headers?: Record<string, string>; gone?: AbortSignal | undefined } = {}
): Promise<ScenarioPlayed> {
  let step = playing.next()
  while (!step.done) {
    if (gone?.aborted) throw new Refusal('scenario-failed', { detail: 'Its client has left.' })
    step = playing.next(await answerTo(step.value, ask, { 'X-Mock-Sandbox': sandbox, ...headers }, gone))
  }
  return step.value
}

/** Sends one request and returns its answer: the status is 0 if the connection broke. */
export async function answerTo(
  { method, target, headers, body }: StepRequest,
  ask: Ask,
  more: Record<string, string>,
  signal?: AbortSignal
) {
  const allHeaders = new Headers(headers)
  for (const [name, value] of Object.entries(more)) allHeaders.set(name, value)
  const sent = body && (await encoded(body))
  if (sent?.type !== undefined && !allHeaders.has('content-type')) allHeaders.set('content-type', sent.type)
  try {
    const init = { method, headers: allHeaders, redirect: 'manual' as const, ...(signal && { signal }) }
    const response = await ask(target, sent ? { ...init, body: sent.bytes } : init)
    const { status } = response
    const answered = Object.fromEntries(response.headers)
    if (!/^text\/event-stream/.test(answered['content-type'] ?? '')) {
      return { status, headers: answered, body: jsonOrText(await response.text()) }
    }
    // It would never end.
    await response.body?.cancel()
    return { status, headers: answered, body: '' }
  } catch (error) {
    if (!(error instanceof TypeError) && !signal?.aborted) throw error
    return { status: 0, headers: {}, body: undefined }
  }
}

async function encoded(
  body: StepBody
): Promise<{ bytes: string | ArrayBuffer | Uint8Array<ArrayBuffer>; type?: string }> {
  if ('json' in body) return { bytes: JSON.stringify(body.json), type: 'application/json' }
  if ('text' in body) return { bytes: body.text, type: 'application/json' }
  if ('base64' in body) return { bytes: new Uint8Array(Buffer.from(body.base64, 'base64')) }
  const whole = new Response(formOf(body.form))
  return { bytes: await whole.arrayBuffer(), type: whole.headers.get('content-type') as string }
}

function formOf(fields: Record<string, unknown>): FormData {
  const form = new FormData()
  let room = mostBytes
  for (const [name, value] of Object.entries(fields)) {
    for (const item of [value].flat()) {
      const file = isObject(item as Json) ? (item as Record<string, unknown>)['x-file'] : undefined
      if (file === undefined) form.append(name, typeof item === 'string' ? item : JSON.stringify(item))
      else {
        const bytes = bytesOf(file, room)
        const { name: title = 'file', type = '' } = file as { name?: string; type?: string }
        room -= bytes.length
        form.append(name, new File([bytes], title, { type }))
      }
    }
  }
  return form
}

/** Bytes that the files of one form may declare. All are in memory at once. */
const mostBytes = 256 * 1024 ** 2

/** The bytes of a file, or zeros for a file that has only a size. */
function bytesOf(file: unknown, room: number) {
  const { text = '', base64 = '', size } = (isObject(file as Json) ? file : { size: -1 }) as FileContent
  const isText = typeof text === 'string' && typeof base64 === 'string'
  if (!isText || (size !== undefined && !(Number.isInteger(size) && size >= 0 && size <= room))) {
    const expected = `a text, base64 (a text), or a size in bytes; all files of a form have ${mostBytes} at most`
    throw invalid(['body', 'x-file'], `Give an object with ${expected}.`)
  }
  if (base64 === '' && size !== undefined) return new Uint8Array(size)
  return new Uint8Array(base64 === '' ? Buffer.from(text) : Buffer.from(base64, 'base64'))
}

interface FileContent {
  text?: string
  base64?: string
  size?: number
}
