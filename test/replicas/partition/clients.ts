import { setTimeout } from 'node:timers/promises'
import { token } from '../engine.js'
import type { Judge } from './judge.js'
import type { Process } from './processes.js'

const create = '/api/chat/create-chat-session'
const list = '/api/chat/get-user-chat-sessions'
const role = '/api/get-user-role'

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  body: any
  request: string | null
}

/** Sends a request once. Undefined: no answer. */
async function send(
  url: string,
  sandbox: string,
  method: string,
  path: string,
  given?: object
): Promise<Answer | undefined> {
  try {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer admin~${sandbox}`,
        'x-mock-control-token': token,
        ...(given && { 'content-type': 'application/json' })
      },
      ...(given && { body: JSON.stringify(given) }),
      signal: AbortSignal.timeout(20_000)
    })
    const text = await response.text()
    const { status, headers } = response
    return { status, body: text === '' ? undefined : JSON.parse(text), request: headers.get('x-mock-request-id') }
  } catch {
    return undefined
  }
}

let count = 0

export interface Tally {
  calls: number
  writes: number
  reads: number
  refused: number
  unknown: number
}

/** One request of a random kind. */
export async function oneCall(url: string, judge: Judge, chance: number, tally: Tally): Promise<void> {
  tally.calls += 1
  const { sandbox } = judge
  if (!judge.overridden) {
    const made = await send(url, sandbox, 'POST', '/__mock/overrides', { operation: 'getUserRole', status: 429 })
    if (made?.status === 201) judge.overridden = true
    return noteStatus(judge, made, tally)
  }
  if (chance < 0.45) {
    count += 1
    const name = `n${count}`
    judge.asks(name)
    const answer = await send(url, sandbox, 'POST', create, { description: name })
    if (answer?.status === 200) {
      judge.done(name)
      judge.answered(answer.request)
      tally.writes += 1
    } else if (isRefused(answer)) judge.notDone(name)
    return noteStatus(judge, answer, tally)
  }
  if (chance < 0.8) {
    const judged = judge.reads()
    const answer = await send(url, sandbox, 'GET', list)
    if (answer?.status === 200) {
      judged(answer.body.sessions.map((it: { name: string }) => it.name))
      judge.answered(answer.request)
      tally.reads += 1
    }
    return noteStatus(judge, answer, tally)
  }
  if (chance < 0.9) {
    const judged = judge.readsClock()
    const answer = await send(url, sandbox, 'GET', '/__mock/clock')
    if (answer?.status === 200) judged(answer.body.now)
    return noteStatus(judge, answer, tally)
  }
  const answer = await send(url, sandbox, 'GET', role)
  if (answer?.status === 200) judge.fault('its override is lost')
  return noteStatus(judge, answer, tally)
}

/** All names of a sandbox, asked until there is an answer. */
export async function finalNames(process: Process, sandbox: string): Promise<string[]> {
  let answer: Answer | undefined
  for (let tries = 0; tries < 400; tries++) {
    answer = process.url === undefined ? undefined : await send(process.url, sandbox, 'GET', list)
    if (answer?.status === 200) return answer.body.sessions.map((it: { name: string }) => it.name)
    await setTimeout(50)
  }
  throw new Error(`${sandbox} does not come back at ${process.url}: ${JSON.stringify(answer)} ${process.said}`)
}

function isRefused(answer: Answer | undefined): boolean {
  return answer?.status === 507 || (answer?.status === 503 && /was not done/.test(answer.body?.detail))
}

function noteStatus(judge: Judge, answer: Answer | undefined, tally: Tally): void {
  if (answer === undefined) tally.unknown += 1
  else if (answer.status === 502 || answer.status === 503 || answer.status === 507) tally.refused += 1
  else if (answer.status >= 500) judge.fault(`${answer.status} ${JSON.stringify(answer.body)}`)
}
