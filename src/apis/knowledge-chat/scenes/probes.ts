import { isObject, type JsonObject } from '../../../engine/contract/load.js'
import type { Reply } from '../../../tools/verify/calls/client.js'
import { callOf, type Input, withBody } from '../../../tools/verify/calls/request.js'
import type { Run } from '../../../tools/verify/run.js'
import type { Probe } from '../../../tools/verify/verify.js'

const call = (id: string, input: Input | ((run: Run) => Input) = {}) => {
  return (run: Run) => callOf(run.operation(id), typeof input === 'function' ? input(run) : input)
}
const definition = (run: Run): Input => Object.values(run.operation('validateTool').examples)[0] as Input
const definitionCall = call('validateTool', definition)
const isRefused = ({ status }: Reply) => status >= 400

/** `success` if the request succeeds, `refusal` if it is a 422. */
const choice = (success: string | undefined, refusal?: string) => {
  return ({ status }: Reply) => (status < 300 ? success : status === 422 ? refusal : undefined)
}

/** Open points that one call without changes can show. None of them is a finding. */
export const probes: Probe[] = [
  {
    id: 'auth.order',
    evidence: 'malformed JSON without a token',
    call: (run) => withBody(definitionCall(run), '{'),
    as: 'nobody',
    read: ({ status }) => (status === 422 ? 'body-token-input' : 'token-first')
  },
  {
    id: 'errors.unknown-path',
    evidence: 'GET /api/no-such-path',
    call: (run) => ({ ...call('getUserRole')(run), target: '/api/no-such-path' }),
    read: ({ body }) =>
      isObject(body) ? { 'Not Found': 'plain', '404: Not Found': 'stringified' }[String(body.detail)] : undefined
  },
  {
    id: 'errors.wrong-method',
    evidence: 'HEAD of the role',
    call: (run) => ({ ...call('getUserRole')(run), method: 'HEAD' }),
    read: (reply) => (isRefused(reply) ? 'head-refused' : 'head-served')
  },
  {
    id: 'errors.validation-dialect',
    evidence: 'a missing field',
    call: call('openUrls', { body: {} }),
    read: (reply) => ({ missing: 'pydantic-2', 'value_error.missing': 'pydantic-1' })[String(firstItem(reply)?.type)]
  },
  {
    id: 'errors.input-and-ctx',
    evidence: 'a missing field of an operation outside of chat',
    call: call('openUrls', { body: {} }),
    read: (reply) => firstItem(reply) && ('input' in (firstItem(reply) as object) ? 'always' : 'chat-only')
  },
  {
    id: 'requests.coercion',
    evidence: 'docs_count_value "7"',
    call: call('getIndexingStatus', { body: { docs_count_value: '7' } }),
    read: choice('lax', 'strict')
  },
  {
    id: 'requests.unknown-fields',
    evidence: 'a field that the contract does not name',
    call: call('validateTool', (run) => ({ body: { ...(definition(run).body as JsonObject), kcm_verify: 1 } })),
    read: (reply) => choice('x-mock-violations' in reply.headers ? 'reported' : 'ignored', 'rejected')(reply)
  },
  {
    id: 'requests.no-content-type',
    evidence: 'JSON without a Content-Type',
    call: (run) => withBody(definitionCall(run), JSON.stringify(definition(run).body), null),
    read: (reply) => (isRefused(reply) ? 'text' : 'json')
  },
  {
    id: 'projects.trailing-slash',
    evidence: 'the projects, without the slash at the end of the path',
    call(run) {
      const slashed = call('listProjects')(run)
      return { ...slashed, target: slashed.target.replace(/\/$/, '') }
    },
    read: ({ status }) => (status >= 300 && status < 400 ? 'redirected' : status < 300 ? 'served' : undefined)
  },
  {
    id: 'chat.search-query',
    evidence: 'page_size=1000',
    call: call('searchChats', { query: { page_size: 1000 } }),
    read: choice('unbounded', 'bounded')
  },
  {
    id: 'sources.values',
    evidence: 'the source kcm_verify',
    call: call('listSimilarCredentials', { path: { source_type: 'kcm_verify' } }),
    read: choice('any')
  },
  {
    id: 'sources.values',
    evidence: 'the source slack',
    call: call('listSimilarCredentials', { path: { source_type: 'slack' } }),
    read: choice('observed', 'named-seven')
  }
]

function firstItem({ body }: Reply): JsonObject | undefined {
  const [item] = isObject(body) && Array.isArray(body.detail) ? body.detail : []
  return isObject(item) ? item : undefined
}
