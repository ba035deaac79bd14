import { Agents } from './Agents.jsx'
import { call, useAction, useApi } from './api.js'
import { Chats } from './Chats.jsx'
import { Inbox } from './Inbox.jsx'
import { Notes } from './Notes.jsx'
import { Projects } from './Projects.jsx'

export function App() {
  const { data: me, reload } = useApi('/api/me')
  // Another user sees another desk.
  return <Desk key={me?.email} me={me} onSignIn={reload} />
}

function Desk({ me, onSignIn }) {
  const { data: health } = useApi('/api/health')
  const { data: role } = useApi(me && '/api/get-user-role')
  const { data: settings, reload } = useApi(me && '/api/settings')
  return (
    <div className="desk" data-theme={settings?.theme}>
      <header>
        <h1>Desk</h1>
        <p role="status">{me ? `You are ${me.email} (${role?.role ?? '…'})` : 'Who are you?'}</p>
        {settings && <Theme settings={settings} onChange={reload} />}
        <SignIn onChange={onSignIn} />
      </header>
      {me && <Panels />}
      <footer>The service is {health?.status ?? 'silent'}.</footer>
    </div>
  )
}

function Panels() {
  const { data: flags } = useApi('/api/flags')
  return (
    <>
      <Agents />
      <main>
        <Notes />
        <Chats />
        <Projects />
        {flags?.inbox && <Inbox />}
        {flags?.usage && <Usage />}
      </main>
    </>
  )
}

function SignIn({ onChange }) {
  const { data: people = [] } = useApi('/api/people?is_active=true')
  const [said, run] = useAction()
  const signIn = (form) =>
    run(async () => {
      await call('POST', '/auth/login', { email: form.get('email') })
      onChange()
    })
  const signOut = () => run(async () => onChange(await call('POST', '/auth/logout')))
  return (
    <form action={signIn} aria-label="Sign in">
      <label>
        Sign in as
        <select name="email">
          {people.map(({ email, role }) => (
            <option key={email} value={email}>
              {email} ({role})
            </option>
          ))}
        </select>
      </label>
      <button type="submit">Sign in</button>
      <button type="button" onClick={signOut}>
        Sign out
      </button>
      <span role="alert">{said}</span>
    </form>
  )
}

function Theme({ settings, onChange }) {
  const change = async ({ target }) => {
    await call('PATCH', '/api/settings', { theme: target.checked ? 'dark' : 'light' })
    onChange()
  }
  return (
    <label>
      <input type="checkbox" checked={settings.theme === 'dark'} onChange={change} /> Dark
    </label>
  )
}

function Usage() {
  const { data } = useApi('/api/usage')
  return (
    <section aria-labelledby="usage">
      <h2 id="usage">Usage</h2>
      <p>{data && `${data.messages} messages, ${data.tokens} tokens this month`}</p>
    </section>
  )
}
