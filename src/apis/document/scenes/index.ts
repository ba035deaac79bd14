import { randomUUID } from 'node:crypto'
import type { Contract } from '../../../engine/contract/contract.js'
import type { JsonObject } from '../../../engine/contract/load.js'
import type { OpenApiDocument, Operation } from '../../../engine/contract/model.js'
import { basePath } from '../../../engine/contract/reader/document.js'
import type { OperationTraits, Read } from '../../../tools/verify/api.js'
import type { Input, Placed } from '../../../tools/verify/calls/request.js'
import { valueFor } from '../../../tools/verify/phases/documents.js'
import { type VerifiedApi, type VerifyOptions, type VerifyResult, verify } from '../../../tools/verify/verify.js'
import { mockUsers } from '../infer.js'
import { signingOf } from './access.js'
import { playsOf } from './plays.js'
import { type Rows, rowsOf } from './rows.js'

type Described = NonNullable<VerifiedApi['described']>

/** Tests a service of an API that a document describes. */
export function verifyDocument(described: Described, options: VerifyOptions): Promise<VerifyResult> {
  const { document, contract } = described
  const all = rowsOf(document).filter(({ collection }) => collection.name !== mockUsers)
  const reads = document.operations.filter(({ method }) => method === 'GET')
  const plain = reads.filter(({ path }) => !path.includes('{'))
  const inJson = plain.filter(({ responses }) =>
    Object.entries(responses).some(([status, { schema, media }]) => status < '300' && schema && media === undefined)
  )
  const [admin = '', user = ''] = contract.api.users.common
  const { rules, foreign } = playsOf(all)
  const api: VerifiedApi = {
    described,
    kinds: {},
    operations: Object.fromEntries(all.flatMap(makesOf)),
    caller: '',
    entrances: ([inJson, plain].find((it) => it.length > 0) ?? reads).map(({ id }) => id),
    placed: placedIn(contract, Object.keys(options.headers ?? {})),
    tokens: { admin, user },
    userRole: '',
    field: '',
    state: { admin: [], rows: {}, ids: ['id'], moving: /^$/, isUnsteady: () => false },
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
    plays: { effects: [], rules: [...rules, ...signingOf(document)], foreign }
  }
  return verify(api, { ...options, url: withoutBase(document, options.url) })
}

/** The address without the base path of the document, which the paths of the operations have. */
function withoutBase({ document, operations }: OpenApiDocument, url: string): string {
  const base = basePath(document.servers)
  const plain = url.replace(/\/$/, '')
  const path = plain.replace(/^\w+:\/\/[^/]*/, '')
  const isTwice = base !== '' && path.endsWith(base) && operations.every((it) => it.path.startsWith(`${base}/`))
  return isTwice ? plain.slice(0, -base.length) : url
}

/** The rows that the creation of a collection makes. */
function makesOf(rows: Rows): [string, OperationTraits][] {
  const { create, read, remove, list, collection, key } = rows
  if (!create) return []
  const { size, properties } = rows.paging
  const { maximum = 100 } = (size === undefined ? {} : properties[size]) as JsonObject
  const ids = (body: unknown, input: Input) => [
    (rows.rowIn(body) ?? rows.sentIn((input.body ?? {}) as JsonObject))[key]
  ]
  const query = size === undefined ? {} : { [size]: maximum }
  const lists: Read[] = list ? [[list.id, { query }]] : []
  return [[create.id, { makes: { kind: collection.name, read: read?.id, remove: remove?.id, ids, lists, key } }]]
}

/**
 * Puts a token where the security of an operation wants it. A token with a space is a whole header. Adds the headers that the
 * operation needs, unless the run has them; each request has another idempotency key.
 */
function placedIn(contract: Contract, given: readonly string[]): Placed {
  const { api } = contract
  const isGiven = (name: string) => given.some((it) => it.toLowerCase() === name.toLowerCase())
  const needed = ({ input }: Operation) => {
    const { properties = {}, required = [] } = input.header ?? {}
    const names = (required as string[]).filter((it) => !isGiven(it))
    const sampleOf = (name: string) =>
      /idempot/i.test(name) ? randomUUID() : String(valueFor(contract, (properties as JsonObject)[name]))
    return names.map((name) => [name, sampleOf(name)])
  }
  return (bare, authorization) => {
    const call = { ...bare, headers: { ...Object.fromEntries(needed(bare.operation)), ...bare.headers } }
    const token = authorization?.replace(/^Bearer /, '') ?? ''
    if (token === '') return [call, null]
    const [way = []] = api.document?.placesOf(call.operation).filter((it) => it.length > 0) ?? []
    let placed = call
    let header = way.length === 0 ? authorization : null
    for (const { in: place, name, scheme } of way) {
      if (place === 'query') {
        const mark = placed.target.includes('?') ? '&' : '?'
        placed = { ...placed, target: `${placed.target}${mark}${name}=${token}` }
      } else if (place === 'cookie') placed = { ...placed, headers: { ...placed.headers, Cookie: `${name}=${token}` } }
      else if (name !== 'authorization') placed = { ...placed, headers: { ...placed.headers, [name]: token } }
      else if (scheme === 'Basic' && !token.startsWith('$'))
        header = `Basic ${Buffer.from(token.includes(':') ? token : `${token}:`).toString('base64')}`
      else header = authorization
    }
    return [placed, header !== null && token.includes(' ') ? token : header]
  }
}
