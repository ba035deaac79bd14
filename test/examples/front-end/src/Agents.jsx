import { useState } from 'react'
import { call, useAction, useApi } from './api.js'

export function Agents() {
  const { data: agents = [] } = useApi('/api/agents?is_visible=true&limit=8')
  const [chosen, setChosen] = useState()
  const { data: agent } = useApi(chosen !== undefined && `/api/persona/${chosen}`)
  const [said, run] = useAction()
  const start = () =>
    run(async () => {
      await call('POST', '/api/chat/create-chat-session', { persona_id: agent.id, description: `With ${agent.name}` })
      return `A chat with ${agent.name} is open.`
    })
  return (
    <nav aria-label="Agents">
      <ul>
        {agents.map(({ id, name }) => (
          <li key={id}>
            <button type="button" aria-pressed={id === chosen} onClick={() => setChosen(id)}>
              {name}
            </button>
          </li>
        ))}
      </ul>
      {agent && (
        <section aria-label={agent.name}>
          <p>{agent.description}</p>
          <p>{agent.tools.map((it) => it.display_name).join(', ')}</p>
          <button type="button" onClick={start}>
            Start a chat
          </button>
        </section>
      )}
      <p role="status">{said}</p>
    </nav>
  )
}
