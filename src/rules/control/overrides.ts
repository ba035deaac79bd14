import { Refusal } from '../../contract/message/refusal.js'
import type { OverrideEntry } from '../../contract/types.gen.js'
import type { Override } from '../../mock/overrides/overrides.js'
import type { Sandbox } from '../../mock/sandbox/sandbox.js'
import { brokenBy } from './checks/broken-by-override.js'
import { checkOverride, checkOverrides, mostOverrides } from './checks/check-override.js'
import { contextAt } from './journal/history.js'
import type { ControlRules } from './rule.js'

export const overrideRules: ControlRules<
  | 'listOverrides'
  | 'addOverride'
  | 'checkOverride'
  | 'replaceOverrides'
  | 'deleteOverrides'
  | 'getOverride'
  | 'switchOverride'
  | 'deleteOverride'
> = {
  listOverrides: ({ query: { at } }, context) => ({
    overrides: contextAt(context, at).sandbox.overrides.all().map(shown)
  }),

  addOverride: ({ body }, { sandbox, contract }) => {
    checkOverride(contract, body)
    if (sandbox.overrides.size >= mostOverrides) throw new Refusal('too-many-overrides', { limit: mostOverrides })
    return shown(sandbox.overrides.add(body))
  },

  checkOverride: ({ body }, { contract }) => {
    checkOverride(contract, body)
    return brokenBy(contract, body)
  },

  replaceOverrides: ({ body }, { sandbox, contract }) => {
    const list = checkOverrides(contract, body)
    sandbox.overrides.replaceAll(list)
    return { overrides: sandbox.overrides.all().map(shown) }
  },

  deleteOverrides: (_, { sandbox }) => ({ removed: sandbox.overrides.removeAll() }),

  getOverride: ({ path: { id } }, { sandbox }) => shown(existing(sandbox, id)),

  switchOverride: ({ path: { id }, body: { off } }, { sandbox }) => {
    return shown(sandbox.overrides.turn(existing(sandbox, id), off))
  },

  deleteOverride: ({ path: { id } }, { sandbox }) => {
    existing(sandbox, id)
    return { removed: Number(sandbox.overrides.remove(id)) }
  }
}

function existing({ overrides }: Sandbox, id: string): Override {
  const override = overrides.find(id)
  if (override) return override
  const known = overrides.all().slice(0, 5)
  throw new Refusal('unknown-name', { name: id, known: known.map((it) => it.id).join(', ') || 'none' })
}

export function shown(override: Override): OverrideEntry {
  const { times, used } = override
  return { ...override, ...(times !== undefined && { remaining: times - used }) }
}
