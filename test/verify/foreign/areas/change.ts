import type { Persona } from '../data/rows.js'
import type { Service } from '../state.js'

const texts = ['description', 'system_prompt', 'task_prompt', 'icon_name'] as const

/** Writes into an agent what was sent of it. */
export function change(service: Service, persona: Persona, changes: { [name: string]: unknown }): void {
  if (service.broken('E6-resets')) for (const name of texts) persona[name] = ''
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || isPassedOver(service, value)) continue
    const isAdded = service.broken('E6-appends') && /^(tool|label)_ids$/.test(name) && (value as number[]).length > 0
    const before = isAdded ? persona[name as 'tool_ids' | 'label_ids'] : []
    const after = kept(service, name, value)
    Object.assign(persona, { [name]: isAdded ? [...new Set([...before, ...(after as number[])])] : after })
  }
  if (service.broken('E6-prompts') && 'system_prompt' in changes && 'task_prompt' in changes) {
    const { system_prompt, task_prompt } = persona
    Object.assign(persona, { system_prompt: task_prompt, task_prompt: system_prompt })
  }
}

function isPassedOver(service: Service, value: unknown): boolean {
  if (service.broken('E6-zero') && value === 0) return true
  return (service.broken('E6-empty') && value === '') || (service.broken('E6-falsy') && !value)
}

/** A value as it is kept. */
function kept(service: Service, name: string, value: unknown): unknown {
  if (service.broken('E6-cuts-texts') && typeof value === 'string') return value.slice(0, 1000)
  if (service.broken('E6-cuts') && name === 'name') return String(value).slice(0, 12)
  if (service.broken('E6-starters') && name === 'starter_messages') return (value as object[]).toReversed()
  if (service.broken('E6-ascii') && typeof value === 'string') return value.replace(/[^\x20-\x7e]/g, '?')
  if (service.broken('E6-offset') && name === 'search_start_date') {
    return String(value).replace(/[+-]\d\d:\d\d$/, 'Z')
  }
  if (service.broken('E6-day') && name === 'search_start_date') {
    return new Date(Date.parse(value as string) + 86_400_000).toISOString()
  }
  return value
}
