import { useId, useState } from 'preact/hooks'
import { say } from './toasts.js'

/** Asks for a name and uses it. Errors appear next to the input. */
export function NameForm({
  label,
  verb,
  run
}: {
  label: string
  verb: string
  /** Says the returned text, if there is one. */
  run: (name: string) => Promise<unknown>
}) {
  const id = useId()
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const submit = async (event: Event) => {
    event.preventDefault()
    setError(undefined)
    await run(name).then(
      (done) => {
        setName('')
        if (typeof done === 'string') say(done)
      },
      (refused: Error) => setError(refused.message)
    )
  }
  return (
    <form class="line" noValidate onSubmit={(event) => void submit(event)}>
      <label>
        <span>{label}</span>
        <input
          type="text"
          autoComplete="off"
          spellcheck={false}
          value={name}
          aria-invalid={error === undefined ? undefined : 'true'}
          aria-describedby={error === undefined ? undefined : id}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={name === ''}>
        {verb}
      </button>
      {error !== undefined && (
        <p id={id} class="error" role="alert">
          {error}
        </p>
      )}
    </form>
  )
}
