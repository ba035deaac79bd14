import { STATUS_CODES } from 'node:http'
import type { Json } from '../../contract/load.js'
import { bodilessStatuses } from '../../contract/message/media.js'
import { Refusal } from '../../contract/message/refusal.js'
import { type DocumentedAnswer, exampleValues, outcomesOf, statusesOf } from '../../contract/outcomes.js'
import type { Invalid } from '../../contract/pydantic/explain.js'
import { typicalMistake } from '../../contract/pydantic/typical-mistake.js'
import type { OverrideTurn } from '../../contract/types.gen.js'
import type { RawInput } from '../../contract/validation/validate.js'
import { checkInput, invalid } from '../check.js'
import { type Exchange, type FoundExchange, isFound, type Setting } from '../exchange.js'
import type { Reply } from '../message/message.js'
import { failed } from '../reply.js'

/** A documented outcome as the reply to this request, with the assumptions that it rests on. */
export function documentedReply(exchange: FoundExchange, outcome: DocumentedAnswer): Reply {
  switch (outcome.kind) {
    case 'response':
      for (const id of outcome.assumed) exchange.assumed.add(id)
      return checked(exchange, { status: outcome.status, body: outcome.body })
    case 'sample':
      return checked(exchange, { status: outcome.status, body: sampled(exchange, outcome.status) })
    case 'refusal':
      return failed(exchange, new Refusal(outcome.name, exampleValues(outcome.row, exchange.params)))
    case 'invalid':
      return failed(exchange, usualMistake(exchange))
  }
}

/** A made-up body for a response that has no example. */
function sampled({ contract, operation, sandbox }: FoundExchange, status: number): Json {
  return contract.sampleOf(operation, status, sandbox.ids.seed)
}

/** The answer of an override that does more than delay or break the request. */
export function overrideReply(exchange: Exchange, id: string, { status, body, example }: OverrideTurn): Reply {
  if (!isFound(exchange)) return body === undefined ? bareReply(status as number) : { status: status ?? 200, body }
  if (body !== undefined) return checked(exchange, { status: status ?? 200, body })
  const outcome = outcomesOf(exchange.contract, exchange.operation).find(
    (it) => (status === undefined || it.status === status) && (example === undefined || it.name === example)
  )
  if (outcome) return documentedReply(exchange, outcome)
  if (example === undefined) return bareReply(status as number)
  throw new Refusal('bad-prefer', {
    detail: `Override ${id} names the example ${example}, which does not exist under the choices in force.`
  })
}

/** An undocumented status, in the form of the platform's own answers. */
function bareReply(status: number): Reply {
  if (bodilessStatuses.includes(status)) return { status, body: undefined }
  return { status, body: status < 400 ? {} : { detail: STATUS_CODES[status] ?? 'Error' } }
}

/** Counts contract violations if the status is documented. An undocumented status has no contract. */
function checked(exchange: Setting<'brokenByReply', FoundExchange>, reply: Reply): Reply {
  const { contract, assumed, violations } = exchange
  const { operation } = exchange
  if (!statusesOf(contract, operation).has(reply.status)) return reply
  const found = contract.checkReply(operation, reply.status, reply.body, assumed)
  violations.push(...found)
  exchange.brokenByReply = found
  return reply
}

function usualMistake(exchange: FoundExchange): Invalid {
  const { contract, assumed } = exchange
  const check = (raw: RawInput, noted: Set<string>) => checkInput(exchange, raw, noted)
  const problem = typicalMistake(contract.documents, exchange.operation, check, assumed)
  if (problem.type === 'extra_forbidden') assumed.add('requests.unknown-fields')
  return invalid(exchange, [problem])
}
