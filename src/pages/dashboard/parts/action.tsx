import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { say, sayFailed } from './toasts.js'

interface Props {
  /** Says, when it returns a text, what was done. What it throws is said too. */
  run: () => Promise<unknown>
  children: ComponentChildren
  class?: string
  /** Where the text alone does not say what is acted on. */
  label?: string
  disabled?: boolean
}

/** A button whose work takes its time. */
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
