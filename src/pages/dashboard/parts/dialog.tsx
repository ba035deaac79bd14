import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

/** A modal dialog, open while it is rendered. Escape closes it. */
export function Dialog({
  title,
  onClose,
  children,
  class: className
}: {
  title: string
  onClose: () => void
  children: ComponentChildren
  class?: string
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before the next key comes, which would go elsewhere.
  useLayoutEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} class={className} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}

/** Asks before something is lost. */
export function Confirm({
  title,
  text,
  verb,
  onClose,
  children
}: {
  title: string
  text: string
  /** The label of the button that cancels. */
  verb?: string
  onClose: () => void
  /** The button that confirms. */
  children: ComponentChildren
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <div class="buttons">
        {children}
        <button type="button" onClick={onClose}>
          {verb ?? 'Cancel'}
        </button>
      </div>
    </Dialog>
  )
}
