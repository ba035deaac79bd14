import { call, useApi } from './api.js'

export function Inbox() {
  const { data = [], reload } = useApi('/api/notifications')
  const unread = data.filter(({ is_read }) => !is_read).length
  const readAll = async () => reload(await call('POST', '/api/notifications/read-all'))
  return (
    <section aria-labelledby="inbox">
      <h2 id="inbox">Inbox ({unread} new)</h2>
      <ul>
        {data.map(({ id, kind, user_email, is_read }) => (
          <li key={id} className={is_read ? 'done' : ''}>
            {user_email} {kind}
          </li>
        ))}
      </ul>
      <button type="button" disabled={unread === 0} onClick={readAll}>
        Mark all as read
      </button>
    </section>
  )
}
