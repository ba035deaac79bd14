import type { Contract } from '../../../engine/contract/contract.js'
import type { LedgerEntry } from '../../../engine/contract/ledger.js'
import { isObject, type JsonObject, schemaOf } from '../../../engine/contract/load.js'
import type { OpenApiDocument } from '../../../engine/contract/model.js'
import type { OperationTraits } from '../../../tools/verify/api.js'
import type { Input, Placed } from '../../../tools/verify/calls/request.js'
import { type VerifiedApi, type VerifyOptions, type VerifyResult, verify } from '../../../tools/verify/verify.js'
import { mockUsers } from '../infer.js'
import { playsOf } from './plays.js'
import { type Rows, rowIn, rowsOf, sentIn } from './rows.js'

/** An API with its contract, for verify. */
export interface Described {
  document: OpenApiDocument
  ledger: readonly LedgerEntry[]
  contract: Contract
}

/** Tests a service of an API that a document describes. */
export function verifyDocument(described: Described, options: VerifyOptions): Promise<VerifyResult> {
  const { document, contract } = described
  const all = rowsOf(document).filter(({ collection }) => collection.name !== mockUsers)
  const reads = document.operations.filter(({ method, path }) => method === 'GET' && !path.includes('{'))
  const [admin = '', user = ''] = contract.api.users.common
  const api: VerifiedApi = {
    described,
    kinds: {},
    operations: Object.fromEntries(all.flatMap(makesOf)),
    caller: '',
    entrances: reads.map(({ id }) => id),
    placed: placedIn(document),
    tokens: { admin, user },
    userRole: '',
    field: '',
    state: { admin: [], each: [], rows: {}, ids: ['id'], moving: /^$/, isUnsteady: () => false },
    shows: {},
    local: [],
    parameters: {},
    success: '',
    secrets: ['password'],
    naming: /^$/,
    referring: /^$/,
    limited: /^$/,
    neutral: {},
    probes: [],
    restoring: async () => undefined,
    prepare: async () => {},
    plays: { effects: [], ...playsOf(all) }
  }
  return verify(api, options)
}

/** The rows that the creation of a collection makes. */
function makesOf(rows: Rows): [string, OperationTraits][] {
  const { create, read, remove, collection, key } = rows
  if (!create) return []
  const ids = (body: unknown, input: Input) => [
    (rowIn(rows, body) ?? sentIn(rows, (input.body ?? {}) as JsonObject))[key]
  ]
  return [[create.id, { makes: { kind: collection.name, read: read?.id, remove: remove?.id, ids } }]]
}

/** Puts a token where the security of an operation wants it. A token with a space is a whole header. */
function placedIn({ key, document }: OpenApiDocument): Placed {
  const documents = { [key]: document }
  const { securitySchemes = {} } = (isObject(document.components) ? document.components : {}) as JsonObject
  return (call, authorization) => {
    const token = authorization?.replace(/^Bearer /, '') ?? ''
    if (token === '') return [call, null]
    const scheme = schemeOf(call.operation.origin?.path ?? [])
    if (scheme.type === 'apiKey' && scheme.in === 'query') {
      const mark = call.target.includes('?') ? '&' : '?'
      return [{ ...call, target: `${call.target}${mark}${scheme.name}=${token}` }, null]
    }
    if (scheme.type === 'apiKey' && !/^authorization$/i.test(String(scheme.name))) {
      const [name, value] =
        scheme.in === 'cookie' ? ['Cookie', `${scheme.name}=${token}`] : [String(scheme.name), token]
      return [{ ...call, headers: { ...call.headers, [name]: value } }, null]
    }
    if (scheme.type === 'http' && scheme.scheme === 'basic' && !token.startsWith('$')) {
      return [call, `Basic ${Buffer.from(token.includes(':') ? token : `${token}:`).toString('base64')}`]
    }
    return [call, token.includes(' ') ? token : authorization]
  }

  /** The first scheme that the operation, or else the document, asks for. */
  function schemeOf([, path = '', method = '']: readonly string[]): JsonObject {
    const item = schemaOf(documents, (document.paths as JsonObject)[path])
    const { security = document.security } = (isObject(item[method]) ? item[method] : {}) as JsonObject
    const [name] = Array.isArray(security) ? security.flatMap((it) => (isObject(it) ? Object.keys(it) : [])) : []
    return schemaOf(documents, (securitySchemes as JsonObject)[name ?? ''])
  }
}
