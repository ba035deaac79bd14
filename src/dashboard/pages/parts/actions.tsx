import { signal } from '@preact/signals'
import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Linked } from './errors.js'

interface ButtonProps extends Omit<ButtonHTMLAttributes, 'label'> {
  /** May take some time. Shows the text that it resolves to, or its error. */
  run?: () => unknown
  text?: string
  /** What it is about, for those who do not see where it is. */
  about?: string
}

/** A button. It keeps the focus while its task runs, and does nothing then. */
export function Button({ run, text, about, children = text, ...others }: ButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const act = async () => {
    const done = isBusy ? undefined : run?.()
    if (!(done instanceof Promise)) return
    setBusy(true)
    await done.then((text) => typeof text === 'string' && say(text), sayFailed)
    setBusy(false)
  }
  const label = about === undefined ? undefined : `${text} ${about}`
  return (
    <button type="button" aria-label={label} aria-busy={isBusy} {...others} onClick={() => void act()}>
      {children}
    </button>
  )
}

type LinkProps = { text: string; href: string; about?: string; class?: 'primary' }

export function Link({ text, href, about, class: name }: LinkProps) {
  const label = about === undefined ? undefined : `${text} ${about}`
  return (
    <a class={`button ${name ?? ''}`} aria-label={label} href={href}>
      {text}
    </a>
  )
}

/** A button that copies a text. If the browser does not allow that, it shows the text. */
export function Copy({ name, text, label = `Copy as ${name}` }: { name: string; text: () => string; label?: string }) {
  const [shown, show] = useState<string>()
  const copy = async () => {
    const copied = text()
    try {
      await navigator.clipboard.writeText(copied)
      return `Copied ${name}.`
    } catch {
      show(copied)
    }
  }
  return (
    <>
      <Button text={label} run={copy} />
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

export function save(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

export function saveJson(name: string, value: unknown): void {
  save(name, JSON.stringify(value, undefined, 2), 'application/json')
}

interface DialogProps {
  title: string
  onClose: () => void
  children: ComponentChildren
  end?: string
  class?: string
}

/** A modal dialog, open while it is rendered. Escape closes it. */
export function Dialog({ title, onClose, children, end, class: name }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before the next key, which would go elsewhere.
  useLayoutEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} class={name} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
      {end !== undefined && (
        <div class="buttons">
          <Button text={end} run={onClose} />
        </div>
      )}
    </dialog>
  )
}

interface DialogButtonProps extends Omit<DialogProps, 'onClose' | 'children'> {
  text: string
  about?: string
  /** The content, which may close the dialog. */
  children: ComponentChildren | ((close: () => void) => ComponentChildren)
}

export function DialogButton({ text, about, children, ...dialog }: DialogButtonProps) {
  const [isOpen, open] = useState(false)
  const close = () => open(false)
  return (
    <>
      <Button text={text} about={about} run={() => open(true)} />
      {isOpen && (
        <Dialog {...dialog} onClose={close}>
          {typeof children === 'function' ? children(close) : children}
        </Dialog>
      )}
    </>
  )
}

/** What each key does. Returns false if the key was not for it. Ctrl and Cmd are written "Ctrl ". */
type Keys = Record<string, () => unknown>

/** Handles keys of the whole page. Letters are ignored while the user types or a dialog is open. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys)
  current.current = keys
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target, defaultPrevented } = event
      const isCommand = ctrlKey || metaKey
      const act = current.current[isCommand ? `Ctrl ${key.toLowerCase()}` : key]
      if (!act || altKey || defaultPrevented) return
      const isIn = (selector: string) => (target as Element).closest(selector) !== null
      if (key === 'z' && isIn('textarea, input:not([type=checkbox], [type=radio])')) return
      if (!isCommand && (isIn('input, textarea, select') || document.querySelector('dialog[open]'))) return
      if (act() !== false) event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}

interface Toast {
  text: string
  kind: 'done' | 'failed'
  remedy: { verb: string; run: () => Promise<void> } | undefined
}

const toasts = signal<Toast[]>([])
const shownFor = 6000
export const shownLonger = 15_000

/** Shows a message for a while, and reads it to screen readers. */
export function say(text: string, kind: Toast['kind'] = 'done', remedy?: Toast['remedy']): void {
  const toast = { text, kind, remedy }
  // What can be undone keeps its turn, even if it was the same.
  toasts.value = [...toasts.value.filter((it) => it.remedy || it.text !== text), toast]
  setTimeout(() => drop(toast), remedy ? shownLonger : shownFor)
}

function drop(toast: Toast): void {
  toasts.value = toasts.value.filter((it) => it !== toast)
}

let changed: Promise<unknown> = Promise.resolve()

/** Makes Ctrl Z wait for a change that is on its way. Otherwise it would undo the one before. */
export function beforeUndo<A extends unknown[], T>(change: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  return (...args) => {
    const running = change(...args)
    changed = Promise.allSettled([changed, running])
    return running
  }
}

export function sayFailed(error: Error): void {
  say(error.message, 'failed')
}

export function Toasts() {
  const remedy = (toast: Toast | undefined) => {
    if (!toast?.remedy) return say('There is nothing to undo.')
    drop(toast)
    toast.remedy.run().catch(sayFailed)
  }
  // While the user types, Ctrl Z belongs to the text.
  const undo = () => remedy(toasts.peek().findLast((it) => it.remedy?.verb === 'Undo'))
  useKeys({ 'Ctrl z': () => void changed.then(undo) })
  // One of each kind is shown. Those before it still have their turn with Ctrl Z.
  const shown = toasts.value.filter(({ kind }, at, all) => at === all.findLastIndex((it) => it.kind === kind))
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map((toast) => (
        <p key={toast} class={`toast ${toast.kind}`}>
          <span title={toast.text}>
            <Linked text={toast.text} />
          </span>
          {toast.remedy && (
            <Button run={() => remedy(toast)}>
              {toast.remedy.verb} {toast.remedy.verb === 'Undo' && <kbd>Ctrl Z</kbd>}
            </Button>
          )}
          <Button text="×" aria-label="Dismiss" run={() => drop(toast)} />
        </p>
      ))}
    </div>
  )
}
