import { useRef, useState } from 'preact/hooks'
import { call, giveToken, isTokenRefused, Refused, unlock } from './client.js'
import { Field } from './parts/field.js'
import { Head } from './parts/page.js'

const refused = 'This is not the control token of the mock.'

/** Asks for the control token and keeps it for this tab. */
export function Unlock() {
  const [token, setToken] = useState('')
  const [error, setError] = useState(isTokenRefused() ? refused : undefined)
  const input = useRef<HTMLInputElement>(null)
  const submit = async (event: Event) => {
    event.preventDefault()
    // A header cannot have other characters, so no token has them.
    if (/[^ -~]/.test(token)) return setError(refused)
    giveToken(token)
    try {
      await call('getClock')
      unlock()
    } catch (failed) {
      setError(failed instanceof Refused && failed.problem.status === 401 ? refused : (failed as Error).message)
      input.current?.select()
    }
  }
  return (
    <>
      <Head title="Control token" />
      <form class="fields narrow" noValidate onSubmit={(event) => void submit(event)}>
        <p>
          The mock was started with --control-token. Give that token to look at it; this tab keeps it until it is
          closed.
        </p>
        <Field label="Control token" error={error}>
          {(shared) => (
            <input
              {...shared}
              type="password"
              autoComplete="off"
              ref={input}
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
