import { Refusal } from '../../contract/refusal.js'
import type { OverrideEntry } from '../../contract/types.gen.js'
import type { Override } from '../../mock/overrides/overrides.js'
import type { Sandbox } from '../../mock/sandbox/sandbox.js'
import { checkOverride } from './check-override.js'
import type { ControlRules } from './rule.js'

/** The highest number in one sandbox, because every request is compared with each of them. */
const limit = 1000

export const overrideRules: ControlRules<
  'listOverrides' | 'addOverride' | 'deleteOverrides' | 'getOverride' | 'switchOverride' | 'deleteOverride'
> = {
  listOverrides: (_, { sandbox }) => ({ overrides: sandbox.overrides.all().map(shown) }),

  addOverride: ({ body }, { sandbox, contract }) => {
    checkOverride(contract, body)
    if (sandbox.overrides.size >= limit) throw new Refusal('too-many-overrides', { limit })
    return shown(sandbox.overrides.add(body))
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

function shown(override: Override): OverrideEntry {
  const { times, used } = override
  return { ...override, ...(times !== undefined && { remaining: times - used }) }
}
