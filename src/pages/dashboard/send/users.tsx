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

/** Whether all users meet the same state, or each what the one before has left. */
export function Together({ isApart, onChange }: { isApart: boolean; onChange: (isApart: boolean) => void }) {
  return (
    <div>
      <label class="check">
        <input
          type="checkbox"
          checked={isApart}
          onChange={({ currentTarget: { checked } }) => onChange(checked)}
          aria-describedby="together"
        />
        each from the same state
      </label>
      <p id="together" class="quiet">
        {isApart
          ? 'Each user gets a copy of the sandbox as it is now. The copies are dropped afterwards, and nothing changes here.'
          : 'One after the other in this sandbox: each user meets what the one before has left.'}
      </p>
    </div>
  )
}
