import { signal } from '@preact/signals'

interface Toast {
  id: number
  text: string
  kind: 'done' | 'failed'
}

const toasts = signal<Toast[]>([])
const shownFor = 6000
let said = 0

/** Shows a message for a while, and reads it to screen readers. */
export function say(text: string, kind: Toast['kind'] = 'done'): void {
  said += 1
  const toast = { id: said, text, kind }
  toasts.value = [...toasts.value.slice(-3), toast]
  setTimeout(() => {
    toasts.value = toasts.value.filter((it) => it !== toast)
  }, shownFor)
}

/** Shows why something failed. */
export function sayFailed(error: Error): void {
  say(error.message, 'failed')
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, kind }) => (
        <p key={id} class={`toast ${kind}`}>
          {text}
        </p>
      ))}
    </div>
  )
}
