import { useCallback, useEffect, useState } from 'react'
import { call, get } from './api.js'
import { Chat } from './Chat.jsx'
import { Upload } from './Upload.jsx'

export function App() {
  const [me, setMe] = useState()
  const load = useCallback(() => get('/api/me').then(setMe, () => setMe(null)), [])
  useEffect(() => void load(), [load])
  if (me === undefined) return null
  return me ? <Desk me={me} onSignOut={load} /> : <SignIn onSignIn={load} />
}

function SignIn({ onSignIn }) {
  const [problem, setProblem] = useState('')
  const signIn = async (form) => {
    try {
      await call('POST', '/api/auth/login', new URLSearchParams(form))
      await onSignIn()
    } catch (error) {
      setProblem(error.message)
    }
  }
  return (
    <main className="sign-in">
      <h1>Sign in</h1>
      <form action={signIn}>
        <label>
          Email <input name="username" type="email" required defaultValue="ada@example.com" />
        </label>
        <label>
          Password <input name="password" type="password" required />
        </label>
        <button type="submit">Sign in</button>
        <p role="alert">{problem}</p>
      </form>
    </main>
  )
}

function Desk({ me, onSignOut }) {
  const [agents, setAgents] = useState([])
  const [agent, setAgent] = useState()
  useEffect(() => void get('/api/persona').then(setAgents), [])
  const signOut = async () => {
    await call('POST', '/api/auth/logout')
    onSignOut()
  }
  return (
    <div className="desk">
      <header>
        <h1>Chat</h1>
        <p>
          {me.email} ({me.role})
        </p>
        <button type="button" onClick={signOut}>
          Sign out
        </button>
      </header>
      <nav aria-label="Agents">
        {agents.slice(0, 8).map((it) => (
          <button key={it.id} type="button" aria-pressed={it.id === agent?.id} onClick={() => setAgent(it)}>
            <img src={`/api/persona/${it.id}/avatar`} alt="" width="32" height="32" />
            {it.name}
          </button>
        ))}
      </nav>
      <main>
        {agent ? <Chat key={agent.id} agent={agent} /> : <p>Choose an agent.</p>}
        <Upload />
      </main>
    </div>
  )
}
