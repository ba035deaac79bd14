import { useState } from 'preact/hooks'
import { giveToken, isTokenRefused } from './client.js'
import { Field } from './parts/field.js'
import { Head } from './parts/page.js'

/** Asks for the control token and keeps it for this tab. */
export function Unlock() {
  const [token, setToken] = useState('')
  const isRefused = isTokenRefused()
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
        <Field label="Control token" error={isRefused ? 'This is not the control token of the mock.' : undefined}>
          {(shared) => (
            <input
              {...shared}
              type="password"
              autoComplete="off"
              required
              ref={(input) => {
                if (isRefused) input?.focus()
              }}
              value={token}
              onInput={(event) => setToken(event.currentTarget.value)}
            />
          )}
        </Field>
        <div class="buttons">
          <button type="submit" class="primary">
            Go on
          </button>
        </div>
      </form>
    </>
  )
}
