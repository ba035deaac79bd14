import { useCall } from '../load.js'
import { usualUsers } from '../outgoing/outgoing.js'
import { Options } from '../parts/field.js'
import { Check } from '../parts/line.js'

/** Who sends the request: one user, several at once, or no user. */
export function Users({ users, onChange }: { users: string[]; onChange: (users: string[]) => void }) {
  const { value } = useCall('listRows', { path: { collection: 'users' }, query: { limit: 200 } })
  const all = ((value?.rows ?? []) as unknown as { key: string }[]).map(({ key }) => key)
  const shown = [...usualUsers, '', ...users.filter((it) => it !== '' && !usualUsers.includes(it))]
  const others = all.filter((key) => !shown.includes(key))
  return (
    <fieldset class="steps users">
      <legend>Send as</legend>
      {shown.map((user) => (
        <Check
          key={user}
          isOn={users.includes(user)}
          onChange={(isOn) => onChange(shown.filter((it) => (it === user ? isOn : users.includes(it))))}
        >
          {user || 'nobody'}
        </Check>
      ))}
      {others.length > 0 && (
        <select
          aria-label="Another user"
          value=""
          onChange={({ currentTarget: { value: key } }) => key !== '' && onChange([...users, key])}
        >
          <option value="">another…</option>
          <Options options={others} />
        </select>
      )}
    </fieldset>
  )
}

/** Whether all users start from the same state, or each from what the one before has left. */
export function Together({ isApart, onChange }: { isApart: boolean; onChange: (isApart: boolean) => void }) {
  return (
    <div>
      <Check isOn={isApart} onChange={onChange} describedBy="together">
        each from the same state
      </Check>
      <p id="together" class="quiet">
        {isApart
          ? 'Each user gets a copy of the sandbox as it is now. The copies are dropped afterwards, and nothing changes here.'
          : 'One after the other in this sandbox: each user meets what the one before has left.'}
      </p>
    </div>
  )
}
