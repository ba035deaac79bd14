import { useState } from 'preact/hooks'
import { giveToken } from './client.js'
import { Head } from './parts/page.js'

/** Asks for the control token and keeps it for this tab. */
export function Unlock() {
  const [token, setToken] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    giveToken(token)
  }
  return (
    <>
      <Head title="Control token" />
      <form class="fields narrow" onSubmit={submit}>
        <p>
          The mock was started with --control-token. Give that token to look at it; this tab keeps it until it is
          closed.
        </p>
        <label>
          Control token
          <input
            type="password"
            autoComplete="off"
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <div class="buttons">
          <button type="submit" class="primary">
            Go on
          </button>
        </div>
      </form>
    </>
  )
}
