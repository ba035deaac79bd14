import { signal } from '@preact/signals'
import { useKeys } from './keys.js'

/** What can be done about a message. */
interface Remedy {
  verb: string
  run: () => Promise<void>
}

interface Toast {
  id: number
  text: string
  kind: 'done' | 'failed'
  remedy: Remedy | undefined
}

const toasts = signal<Toast[]>([])
const shownFor = 6000
/** The time for a message with a button. */
export const shownLonger = 15_000
let said = 0

/** Shows a message for a while, and reads it to screen readers. */
export function say(text: string, kind: Toast['kind'] = 'done', remedy?: Remedy): void {
  said += 1
  const toast = { id: said, text, kind, remedy }
  toasts.value = [...toasts.value.slice(-3), toast]
  setTimeout(() => drop(toast), remedy ? shownLonger : shownFor)
}

function drop(toast: Toast): void {
  toasts.value = toasts.value.filter((it) => it !== toast)
}

/** Shows why something failed. */
export function sayFailed(error: Error): void {
  say(error.message, 'failed')
}

export function Toasts() {
  const remedy = (toast: Toast | undefined) => {
    if (!toast?.remedy) return
    drop(toast)
    toast.remedy.run().catch(sayFailed)
  }
  // While the user types, Ctrl Z belongs to the text.
  useKeys({ 'Ctrl z': () => remedy(toasts.peek().findLast((it) => it.remedy)) })
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <p key={toast.id} class={`toast ${toast.kind}`}>
          <span>{toast.text}</span>
          {toast.remedy && (
            <button type="button" onClick={() => remedy(toast)}>
              {toast.remedy.verb} {toast.remedy.verb === 'Undo' && <kbd>Ctrl Z</kbd>}
            </button>
          )}
        </p>
      ))}
    </div>
  )
}
