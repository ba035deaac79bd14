import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { say, sayFailed } from './toasts.js'

interface Props {
  /** Shows the returned text, or the error that it throws. */
  run: () => Promise<unknown>
  children: ComponentChildren
  class?: string
  /** A label if the text itself is ambiguous. */
  label?: string
  disabled?: boolean
}

/** A button for a task that takes some time. */
export function Action({ run, children, class: className, label, disabled = false }: Props) {
  const [isBusy, setBusy] = useState(false)
  const act = async () => {
    setBusy(true)
    await run().then((done) => typeof done === 'string' && say(done), sayFailed)
    setBusy(false)
  }
  return (
    <button type="button" class={className} aria-label={label} disabled={disabled || isBusy} onClick={() => void act()}>
      {children}
    </button>
  )
}
