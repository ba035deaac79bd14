import type { Pair } from '../data/rows.js'
import type { Service } from '../state.js'

export interface Filters {
  access_type_filters?: string[] | undefined
  last_status_filters?: string[] | undefined
  docs_count_value?: number | undefined
  docs_count_operator?: '>' | '<' | '=' | undefined
  name_filter?: string | undefined
}

/** Whether a pair passes the filters of a report. */
export function passes(service: Service, pair: Pair, filters: Filters): boolean {
  const verdicts = [
    byName(service, pair, filters),
    byAccess(service, pair, filters),
    byStatus(service, pair, filters),
    byDocs(service, pair, filters)
  ].filter((verdict) => verdict !== undefined)
  return service.broken('E16-any-filter') && verdicts.length > 0 ? verdicts.some(Boolean) : verdicts.every(Boolean)
}

/** Undefined where nothing is filtered. */
type Verdict = boolean | undefined

function byName(service: Service, { name }: Pair, { name_filter }: Filters): Verdict {
  if (name_filter === undefined || name_filter === '' || service.broken('E16-name-ignored')) return undefined
  if (service.broken('E16-name-nothing')) return false
  if (service.chose('E16-case')) return name.includes(name_filter)
  return name.toLowerCase().includes(String(name_filter).toLowerCase())
}

function byAccess(service: Service, { access }: Pair, { access_type_filters: wanted }: Filters): Verdict {
  if (wanted?.length === 0 && service.broken('E16-access-empty')) return false
  if (!wanted?.length || service.broken('E16-access-ignored')) return undefined
  if (service.broken('E16-access-nothing')) return false
  return (service.broken('E16-access-first') ? wanted.slice(0, 1) : wanted).includes(access)
}

function byStatus(service: Service, { status }: Pair, { last_status_filters: wanted }: Filters): Verdict {
  if (!wanted?.length || service.broken('E16-status-ignored')) return undefined
  if (service.broken('E16-status-nothing')) return false
  return (service.broken('E16-status-first') ? wanted.slice(0, 1) : wanted).includes(status)
}

function byDocs(service: Service, { docs }: Pair, { docs_count_value: value, docs_count_operator }: Filters): Verdict {
  if (value === undefined || (value === 0 && service.broken('E16-zero'))) return undefined
  if (docs_count_operator === undefined && service.chose('E16-operator-needed')) return undefined
  const isSwapped = service.broken('E16-operators-swapped')
  switch (docs_count_operator) {
    case '>':
      return isSwapped ? docs < value : service.broken('E16-at-least') ? docs >= value : docs > value
    case '<':
      if (service.broken('E16-less-ignored')) return undefined
      return isSwapped ? docs > value : service.broken('E16-at-most') ? docs <= value : docs < value
    default:
      return service.broken('E16-equal-nothing') ? false : docs === value
  }
}
