import { useState } from 'react'
import { call, lines } from './api.js'

export function Chat({ agent }) {
  const [session, setSession] = useState()
  const [messages, setMessages] = useState([])
  const [problem, setProblem] = useState('')

  /** Adds to the text of the last message. */
  const append = (piece) =>
    setMessages((all) => [...all.slice(0, -1), { ...all.at(-1), text: all.at(-1).text + piece }])

  const open = async () => {
    const response = await call('POST', '/api/chat/create-chat-session', { persona_id: agent.id, description: null })
    const { chat_session_id: id } = await response.json()
    setSession(id)
    return id
  }

  // No action of the form: React shows what an action changes only at its end.
  const send = async (event) => {
    event.preventDefault()
    const message = new FormData(event.target).get('message')
    event.target.reset()
    setProblem('')
    setMessages((all) => [...all, { by: 'You', text: message }, { by: agent.name, text: '' }])
    try {
      const body = { chat_session_id: session ?? (await open()), message }
      for await (const { answer_piece } of lines(await call('POST', '/api/chat/send-message', body)))
        append(answer_piece)
    } catch (error) {
      setProblem(`The answer stopped: ${error.message}`)
    }
  }

  return (
    <section aria-label={agent.name}>
      <h2>{agent.name}</h2>
      <ol aria-live="polite">
        {messages.map(({ by, text }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages are only added
          <li key={at}>
            <b>{by}</b> <span>{text}</span>
          </li>
        ))}
      </ol>
      <form onSubmit={send}>
        <input name="message" aria-label="Message" required placeholder={`Ask ${agent.name}`} />
        <button type="submit">Send</button>
      </form>
      <p role="alert">{problem}</p>
    </section>
  )
}
