import { useState } from 'preact/hooks'
import { Dialog } from './dialog.js'
import { say } from './toasts.js'

/** A button that copies a text. If the browser does not allow that, it shows the text. */
export function Copy({ name, text, label = `Copy as ${name}` }: { name: string; text: () => string; label?: string }) {
  const [shown, show] = useState<string>()
  const copy = async () => {
    const copied = text()
    try {
      await navigator.clipboard.writeText(copied)
      say(`Copied ${name}.`)
    } catch {
      show(copied)
    }
  }
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        {label}
      </button>
      {shown !== undefined && (
        <Dialog title={label} end="Close" onClose={() => show(undefined)}>
          <textarea
            class="code"
            readOnly
            rows={16}
            aria-label={name}
            value={shown}
            onFocus={(event) => event.currentTarget.select()}
          />
        </Dialog>
      )}
    </>
  )
}
