import { useId, useState } from 'preact/hooks'
import { say } from './toasts.js'

interface Props {
  label: string
  verb: string
  /** A label of the button if the verb itself is ambiguous. */
  verbLabel?: string
  /** Says the returned text, if there is one. */
  run: (text: string) => Promise<unknown>
}

/** Asks for a text, such as a name, and uses it. Errors appear next to the input. */
export function TextForm({ label, verb, verbLabel, run }: Props) {
  const id = useId()
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const submit = async (event: Event) => {
    event.preventDefault()
    setError(undefined)
    await run(text).then(
      (done) => {
        setText('')
        if (typeof done === 'string') say(done)
      },
      (refusal: Error) => setError(refusal.message)
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
          value={text}
          aria-invalid={error === undefined ? undefined : 'true'}
          aria-describedby={error === undefined ? undefined : id}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={text === ''} aria-label={verbLabel}>
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
