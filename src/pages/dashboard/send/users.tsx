import { call } from '../client.js'
import { useLoad } from '../load.js'

const common = ['admin', 'curator', 'basic']

/** Who sends the request: one user, several at once, nobody. */
export function Users({ users, onChange }: { users: string[]; onChange: (users: string[]) => void }) {
  const { value } = useLoad(() => call('listRows', { path: { collection: 'users' }, query: { limit: 200 } }), 'users')
  const all = ((value?.rows ?? []) as unknown as { key: string }[]).map(({ key }) => key)
  const shown = [...common, '', ...users.filter((it) => it !== '' && !common.includes(it))]
  const others = all.filter((key) => !shown.includes(key))
  return (
    <fieldset class="steps users">
      <legend>Send as</legend>
      {shown.map((user) => (
        <label key={user} class="check">
          <input
            type="checkbox"
            checked={users.includes(user)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(shown.filter((it) => (it === user ? checked : users.includes(it))))
            }
          />
          {user || 'nobody'}
        </label>
      ))}
      {others.length > 0 && (
        <select
          aria-label="Another user"
          value=""
          onChange={({ currentTarget: { value: key } }) => key !== '' && onChange([...users, key])}
        >
          <option value="">another…</option>
          {others.map((key) => (
            <option key={key}>{key}</option>
          ))}
        </select>
      )}
    </fieldset>
  )
}
