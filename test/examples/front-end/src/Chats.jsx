import { useState } from 'react'
import { call, useAction, useApi } from './api.js'

const unnamed = 'New chat'

export function Chats() {
  const [query, setQuery] = useState('')
  const { data, reload } = useApi(`/api/chat/search?${new URLSearchParams({ query, page_size: 5 })}`)
  const [said, run] = useAction()
  const remove = (id, name) =>
    run(async () => {
      await call('DELETE', `/api/chat/delete-chat-session/${id}`)
      reload()
      return `${name || unnamed} is deleted.`
    })
  return (
    <section aria-labelledby="chats">
      <h2 id="chats">Chats</h2>
      <form action={(form) => setQuery(form.get('query'))}>
        <input name="query" aria-label="Search chats" placeholder="Search" />
        <button type="submit">Search</button>
      </form>
      {data?.groups.map(({ title, chats }) => (
        <div key={title}>
          <h3>{title}</h3>
          <ul>
            {chats.map(({ id, name }) => (
              <li key={id}>
                <span>{name || unnamed}</span>
                <button type="button" aria-label={`Delete ${name || unnamed}`} onClick={() => remove(id, name)}>
                  ×
                </button>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <p role="status">{said}</p>
    </section>
  )
}
