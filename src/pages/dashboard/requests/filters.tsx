import { call } from '../client.js'
import { useLoad } from '../load.js'
import { route, setQuery } from '../route.js'

const statuses = ['2xx', '3xx', '4xx', '5xx', '0']

/** The filters of the journal. They are part of the address, so that it can be shared. */
export function Filters() {
  const { query, sandbox } = route.value
  const { value } = useLoad(() => call('getCoverage'), sandbox)
  const exact = query.get('status')
  const choices = exact && !statuses.includes(exact) ? [...statuses, exact] : statuses
  const set = (name: string) => (event: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
    setQuery({ [name]: event.currentTarget.value })
  const flag = (name: string) => (event: { currentTarget: HTMLInputElement }) =>
    setQuery({ [name]: event.currentTarget.checked ? 'true' : undefined })
  return (
    <search class="filters">
      <label class="wide">
        <span>Method or URL</span>
        <input type="search" value={query.get('q') ?? ''} onInput={set('q')} />
      </label>
      <label>
        <span>Operation</span>
        <select value={query.get('operation') ?? ''} onChange={set('operation')}>
          <option value="">all</option>
          {value?.operations.map(({ operation, code }) => (
            <option key={operation} value={operation}>
              {code} {operation}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Status</span>
        <select value={exact ?? ''} onChange={set('status')}>
          <option value="">all</option>
          {choices.map((status) => (
            <option key={status} value={status}>
              {status === '0' ? 'connection cut' : status}
            </option>
          ))}
        </select>
      </label>
      <label class="check">
        <input type="checkbox" checked={query.get('violations') === 'true'} onChange={flag('violations')} /> With
        violations
      </label>
      <label class="check">
        <input type="checkbox" checked={query.get('unmatched') === 'true'} onChange={flag('unmatched')} /> No operation
      </label>
    </search>
  )
}
