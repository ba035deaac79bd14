import { setTimeout } from 'node:timers/promises'
import type { Judge } from './judge.js'
import type { Process } from './processes.js'
import { type Answer, isRefused, isUnknown, json, send } from './sending.js'

const create = '/api/chat/create-chat-session'
const list = '/api/chat/get-user-chat-sessions'
const role = '/api/get-user-role'

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
  const ask = (method: string, path: string, body?: object) => send(url, sandbox, json(method, path, body))
  if (!judge.overridden) {
    const made = await ask('POST', '/__mock/overrides', { operation: 'getUserRole', status: 429 })
    if (made?.status === 201) judge.overridden = true
    return noteStatus(judge, made, tally)
  }
  if (!judge.isAdvanced) {
    const moved = await ask('PUT', '/__mock/clock', { advance: '1000d' })
    if (moved?.status === 200) judge.advanced(moved.body.now)
    return noteStatus(judge, moved, tally)
  }
  if (chance < 0.45) {
    count += 1
    const name = `n${count}`
    judge.asks(name)
    const answer = await ask('POST', create, { description: name })
    if (answer?.status === 200) {
      judge.done(name)
      judge.answered(answer.request)
      tally.writes += 1
    } else if (isRefused(answer)) judge.notDone(name)
    return noteStatus(judge, answer, tally)
  }
  if (chance < 0.8) {
    const judged = judge.reads()
    const answer = await ask('GET', list)
    if (answer?.status === 200) {
      judged(namesIn(answer))
      judge.answered(answer.request)
      tally.reads += 1
    }
    return noteStatus(judge, answer, tally)
  }
  if (chance < 0.9) {
    const judged = judge.readsClock()
    const answer = await ask('GET', '/__mock/clock')
    if (answer?.status === 200) judged(answer.body.now)
    return noteStatus(judge, answer, tally)
  }
  const answer = await ask('GET', role)
  if (answer?.status === 200) judge.fault('its override is lost')
  return noteStatus(judge, answer, tally)
}

/** Adds a session. Undefined: it was not answered. */
export async function added(process: Process, sandbox: string, description: string): Promise<Answer | undefined> {
  const { url } = process
  const answer = url === undefined ? undefined : await send(url, sandbox, json('POST', create, { description }))
  return answer?.status === 200 ? answer : undefined
}

/** All names of a sandbox, requested until there is an answer. */
export async function finalNames(process: Process, sandbox: string): Promise<string[]> {
  let answer: Answer | undefined
  for (let tries = 0; tries < 400; tries++) {
    answer = process.url === undefined ? undefined : await send(process.url, sandbox, json('GET', list))
    if (answer?.status === 200) return namesIn(answer)
    await setTimeout(50)
  }
  throw new Error(`${sandbox} does not come back at ${process.url}: ${JSON.stringify(answer)} ${process.said}`)
}

function namesIn({ body }: Answer): string[] {
  return body.sessions.map((it: { name: string }) => it.name)
}

function noteStatus(judge: Judge, answer: Answer | undefined, tally: Tally): void {
  if (isRefused(answer)) tally.refused += 1
  else if (isUnknown(answer)) tally.unknown += 1
  else if (answer && answer.status >= 500) judge.fault(`${answer.status} ${answer.text}`)
}
