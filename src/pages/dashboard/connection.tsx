import { useEffect, useRef } from 'preact/hooks'
import { connection, isExpired } from './live.js'
import { Action } from './parts/action.js'
import { say } from './parts/toasts.js'
import { route } from './route.js'
import { makeSandbox } from './undo/make-sandbox.js'

const texts = { connecting: 'Connecting', live: 'Live', gone: 'Gone', refused: 'Refused' }

/** The state of the connection. Announces when the mock stops and when it is back. */
export function Connection() {
  const state = connection.value
  const before = useRef(state)
  const name = route.value.sandbox
  useEffect(() => {
    if (before.current === 'gone' && state === 'live') say('The mock is back.')
    before.current = state
  }, [state])
  return (
    <>
      <span class={`connection ${state}`}>{texts[state]}</span>
      <div class="gone" role="alert">
        {state === 'gone' && <p>The mock does not answer. What you see is how it was; trying again…</p>}
        {state === 'refused' && isExpired.value && (
          <p>
            Nobody used the sandbox {name} for a while, so it was dropped.{' '}
            <Action run={() => makeSandbox({ name }, `Sandbox ${name} was created.`)}>Make it again</Action>
          </p>
        )}
      </div>
    </>
  )
}
