import type { Contract } from '../../../contract/contract.js'
import type { JsonObject } from '../../../contract/load.js'
import { readUuid } from '../../../contract/pydantic/scalars.js'
import { kindOfName, kinds, type RowIds, type RowKind } from '../rows.js'
import type { VerifyOptions } from '../verify.js'

/** Throws an Error if an id does not fit its kind, or if both users have the same token. */
export function checkGiven(contract: Contract, { known = {}, disposable = {}, token, userToken }: VerifyOptions): void {
  for (const [name, given] of Object.entries({ known, disposable })) checkRows(contract, name, given)
  if (typeof userToken === 'string' && userToken === token) {
    throw new Error('userToken is the same as token: give the token of another user, or an empty one for none.')
  }
}

function checkRows(contract: Contract, name: string, given: RowIds): void {
  for (const [word, ids] of Object.entries(given)) {
    const kind = kinds.find((it) => it === word)
    if (!kind) throw new Error(`${name} has the kind "${word}": give one of ${kinds.join(', ')}.`)
    for (const id of ids) {
      const wanted = wantedOf(contract, kind, id)
      if (wanted) throw new Error(`${name} is "${kind}=${id}": the id of a ${kind} is ${wanted}.`)
    }
  }
}

/** The form of the kind's ids if this id does not have it. */
function wantedOf({ operations }: Contract, kind: RowKind, id: unknown): string | undefined {
  const fields = [...operations.values()].flatMap((it) =>
    Object.entries((it.input.path?.properties ?? {}) as JsonObject)
  )
  const { type, format } = (fields.find(([field]) => kindOfName[field] === kind)?.[1] ?? {}) as JsonObject
  if (type === 'integer') return Number.isSafeInteger(id) ? undefined : `an integer, such as ${kind}=7`
  if (format === 'uuid') {
    const isUuid = typeof id === 'string' && typeof readUuid(id) === 'string'
    return isUuid ? undefined : `a UUID, such as ${kind}=a87ff679-a2f3-471d-9181-a67b7542122c`
  }
  return typeof id === 'string' && /.@./.test(id) ? undefined : `an e-mail address, such as ${kind}=ann@example.com`
}
