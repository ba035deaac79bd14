import { useState } from 'react'
import { call, useAction, useApi } from './api.js'

const size = 5

export function Notes() {
  const [page, setPage] = useState(1)
  const { data, reload } = useApi(`/api/notes?page=${page}&page_size=${size}`)
  const [said, run] = useAction()
  const send = (method, path, body) => run(async () => reload(await call(method, path, body)))
  const last = Math.max(1, Math.ceil((data?.total ?? 0) / size))
  return (
    <section aria-labelledby="notes">
      <h2 id="notes">Notes ({data?.total ?? 0})</h2>
      <form action={(form) => send('POST', '/api/notes', { title: form.get('title'), done: false })}>
        <input name="title" aria-label="New note" placeholder="New note" />
        <button type="submit">Add</button>
      </form>
      <ul>
        {data?.items.map(({ id, title, done }) => (
          <li key={id} className={done ? 'done' : ''}>
            <label>
              <input
                type="checkbox"
                checked={done}
                onChange={() => send('PATCH', `/api/notes/${id}`, { done: !done })}
              />
              {title}
            </label>
            <button type="button" aria-label={`Delete ${title}`} onClick={() => send('DELETE', `/api/notes/${id}`)}>
              ×
            </button>
          </li>
        ))}
      </ul>
      {last > 1 && (
        <p>
          <button type="button" disabled={page === 1} onClick={() => setPage(page - 1)}>
            Back
          </button>
          {` Page ${page} of ${last} `}
          <button type="button" disabled={page === last} onClick={() => setPage(page + 1)}>
            Next
          </button>
        </p>
      )}
      <p role="alert">{said}</p>
    </section>
  )
}
