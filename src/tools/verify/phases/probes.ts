import { isObject } from '../../../engine/contract/load.js'
import type { Asker, Reply } from '../calls/client.js'
import { type Call, callOf, type Input, withBody } from '../calls/request.js'
import type { Run } from '../run.js'
import { answered } from './batches.js'

/** One question to the server. Its reply shows a choice, or none. */
interface Probe {
  id: string
  evidence: string
  call: (run: Run) => Call
  as?: Asker
  read: (reply: Reply) => string | undefined
}

const definition = (run: Run): Input => Object.values(run.operation('validateTool').examples)[0] as Input
const definitionCall = (run: Run) => callOf(run.operation('validateTool'), definition(run))
const isRefused = ({ status }: Reply) => status >= 400

/** Open points that one call without changes can show. None of them is a finding. */
const probes: Probe[] = [
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
    call: (run) => ({ ...callOf(run.operation('getUserRole'), {}), target: '/api/no-such-path' }),
    read: ({ body }) =>
      isObject(body) ? { 'Not Found': 'plain', '404: Not Found': 'stringified' }[String(body.detail)] : undefined
  },
  {
    id: 'errors.wrong-method',
    evidence: 'HEAD of the role',
    call: (run) => ({ ...callOf(run.operation('getUserRole'), {}), method: 'HEAD' }),
    read: (reply) => (isRefused(reply) ? 'head-refused' : 'head-served')
  },
  {
    id: 'errors.validation-dialect',
    evidence: 'a missing field',
    call: (run) => callOf(run.operation('openUrls'), { body: {} }),
    read: (reply) => ({ missing: 'pydantic-2', 'value_error.missing': 'pydantic-1' })[String(firstItem(reply)?.type)]
  },
  {
    id: 'errors.input-and-ctx',
    evidence: 'a missing field of an operation outside of chat',
    call: (run) => callOf(run.operation('openUrls'), { body: {} }),
    read: (reply) => firstItem(reply) && ('input' in (firstItem(reply) as object) ? 'always' : 'chat-only')
  },
  {
    id: 'requests.coercion',
    evidence: 'docs_count_value "7"',
    call: (run) => callOf(run.operation('getIndexingStatus'), { body: { docs_count_value: '7' } }),
    read: ({ status }) => (status === 422 ? 'strict' : status < 300 ? 'lax' : undefined)
  },
  {
    id: 'requests.unknown-fields',
    evidence: 'a field that the contract does not name',
    call: (run) =>
      callOf(run.operation('validateTool'), { body: { ...(definition(run).body as object), kcm_verify: 1 } }),
    read: ({ status, headers }) =>
      status === 422 ? 'rejected' : 'x-mock-violations' in headers ? 'reported' : status < 300 ? 'ignored' : undefined
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
      const call = callOf(run.operation('listProjects'), {})
      return { ...call, target: call.target.replace(/\/$/, '') }
    },
    read: ({ status }) => (status >= 300 && status < 400 ? 'redirected' : status < 300 ? 'served' : undefined)
  },
  {
    id: 'chat.search-query',
    evidence: 'page_size=1000',
    call: (run) => callOf(run.operation('searchChats'), { query: { page_size: 1000 } }),
    read: ({ status }) => (status === 422 ? 'bounded' : status < 300 ? 'unbounded' : undefined)
  },
  {
    id: 'sources.values',
    evidence: 'the source kcm_verify',
    call: (run) => callOf(run.operation('listSimilarCredentials'), { path: { source_type: 'kcm_verify' } }),
    read: ({ status }) => (status < 300 ? 'any' : undefined)
  },
  {
    id: 'sources.values',
    evidence: 'the source slack',
    call: (run) => callOf(run.operation('listSimilarCredentials'), { path: { source_type: 'slack' } }),
    read: ({ status }) => (status < 300 ? 'observed' : status === 422 ? 'named-seven' : undefined)
  }
]

function firstItem({ body }: Reply) {
  const [item] = isObject(body) && Array.isArray(body.detail) ? body.detail : []
  return isObject(item) ? item : undefined
}

/** Asks the questions in the order of the list. If two show the same point, the first one counts. */
export async function probe(run: Run): Promise<void> {
  for (const { id, evidence, call, as, read } of probes) {
    const reply = (await answered(() => run.send(call(run), as)))?.value.reply
    const choice = reply && reply.status < 500 ? read(reply) : undefined
    if (choice !== undefined) run.answers.add(id, choice, evidence)
  }
}
