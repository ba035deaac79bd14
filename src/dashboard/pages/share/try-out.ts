import type { Call, JournalDetail, Scenario } from '../../../engine/contract/types.gen.js'
import { call } from '../client.js'
import { isUpload, outgoingOf, whyNoReplay } from '../outgoing/outgoing.js'
import { inThrowAway } from '../undo/throw-away.js'
import type { TriedTest } from './as-test.js'
import { differenceFrom, expectedOf } from './expected.js'
import { type Moment, waysTo } from './moment.js'

/** Runs the test of an exchange in a throw-away sandbox. Throws an error that says what failed. */
export async function tryExchange(exchange: JournalDetail): Promise<TriedTest> {
  const isForm = isUpload(exchange.request)
  const reason = isForm ? undefined : whyNoReplay(exchange)
  if (reason !== undefined) throw new Error(reason.replace('replayed', 'a test'))
  const [capsule, { requests }] = await Promise.all([
    call('getCapsule', { query: { uploads: 'whole', exchange: exchange.id } }),
    call('listRequests', { query: { limit: 10_000 } })
  ])
  const expected = expectedOf(exchange)
  let difference = ''
  for (const moment of waysTo(capsule, exchange, requests)) {
    const sent = callOf(exchange, moment)
    const problem = await inThrowAway(async (sandbox) => {
      await call('playGiven', { body: moment.scenario }, sandbox)
      const answer = await call('callOperation', { body: sent }, sandbox)
      if (answer.status !== expected.status) return `the status is ${answer.status}, not ${expected.status}`
      if ('text' in expected) return answer.body === expected.text ? undefined : 'the text of the answer is another'
      return 'body' in expected ? differenceFrom(expected.body, answer.body) : undefined
    }).catch((error: Error) => error.message)
    const form = isForm ? (moment.own?.body as Record<string, unknown>) : undefined
    if (problem === undefined) return { scenario: moment.scenario, expected, form }
    difference = problem
  }
  throw new Error(difference)
}

function callOf(exchange: JournalDetail, { own }: Moment): Call {
  if (isUpload(exchange.request)) {
    if (!own?.body) throw new Error('The mock does not have the files any more.')
    const { expect: _, ...call } = own as Call & { expect?: unknown }
    return call
  }
  const { method, url, headers, user, body } = outgoingOf(exchange)
  const hasText = body !== undefined && 'text' in body && !['GET', 'HEAD'].includes(method)
  return { method, url, headers, user, ...(hasText && { text: body.text }) }
}

/** Replays everything in a throw-away sandbox and expects each answer again. Resolves to the scenario. */
export async function tryJournal(): Promise<Scenario> {
  const { description: _, ...scenario } = await call('getCapsule', { query: { uploads: 'whole' } })
  await inThrowAway((sandbox) => call('playGiven', { body: scenario }, sandbox))
  return scenario
}
