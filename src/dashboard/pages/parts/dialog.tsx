import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'

interface Props {
  title: string
  onClose: () => void
  children: ComponentChildren
  /** The label of a button that closes it. */
  end?: string
  class?: string
}

/** A modal dialog, open while it is rendered. Escape closes it. */
export function Dialog({ title, onClose, children, end, class: className }: Props) {
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
    <dialog ref={dialog} class={className} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
      {end !== undefined && (
        <div class="buttons">
          <button type="button" onClick={onClose}>
            {end}
          </button>
        </div>
      )}
    </dialog>
  )
}

interface ButtonProps extends Omit<Props, 'onClose' | 'children'> {
  label: string
  /** The content, which may close the dialog. */
  children: ComponentChildren | ((close: () => void) => ComponentChildren)
}

/** A button that opens a dialog. */
export function DialogButton({ label, children, ...dialog }: ButtonProps) {
  const [isOpen, open] = useState(false)
  const close = () => open(false)
  return (
    <>
      <button type="button" onClick={() => open(true)}>
        {label}
      </button>
      {isOpen && (
        <Dialog {...dialog} onClose={close}>
          {typeof children === 'function' ? children(close) : children}
        </Dialog>
      )}
    </>
  )
}
