import type { CollectionRow, Contract } from '../../../contract/contract.js'
import { isObject, type Json, type JsonObject } from '../../../contract/load.js'
import { createRowRedaction, withoutSecrets } from '../../../contract/message/redaction.js'
import type { ScenarioStep } from '../../../contract/types.gen.js'
import type { RecordedControlCall } from '../../../mock/sandbox/deeds.js'

/** A call of the control API as a step: in the words that a scenario has for it, without secrets. */
export function controlStep(
  { control, path, query, body: given }: RecordedControlCall,
  contract: Contract
): ScenarioStep {
  const body = shown(contract, path.collection, given) as never
  const { trait, count } = query
  switch (control) {
    case 'addRow': {
      const { collection } = path as { collection: string }
      const part = Object.keys(body).length > 0 && { part: body }
      return {
        create: {
          collection,
          ...part,
          ...(trait !== undefined && { trait }),
          ...(count !== undefined && { count })
        } as never
      }
    }
    case 'setClock':
      return { clock: body }
    case 'addOverride':
      return { override: body }
    case 'setWeather':
      return { weather: body }
    case 'changeAssumptions':
      return { assume: body }
    case 'moveRow':
      return { lifecycle: { ...(path as { collection: string; id: string }), ...(body as { to: string }) } }
    case 'takeSnapshot':
      if (given === undefined) return { snapshot: { name: path.name as string } }
  }
  const parts = Object.entries({ path, query }).filter(([, part]) => Object.keys(part).length > 0)
  return { control: { operation: control, ...Object.fromEntries(parts), ...(given !== undefined && { body }) } }
}

/** A body without secrets: that of a row, or an override's, whose answers and conditions may have any. */
function shown(contract: Contract, collection: unknown, body: unknown): unknown {
  const row = contract.collections.get(String(collection))
  if (!row || !isObject(body as Json)) return withoutSecrets(contract, body ?? {})
  return createRowRedaction(contract.documents, row as CollectionRow)(body as JsonObject)
}
