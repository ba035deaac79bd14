import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** The properties that all inputs share. */
export interface InputProps {
  id: string
  'aria-invalid'?: 'true'
  'aria-describedby'?: string
}

interface Props {
  label: ComponentChildren
  hint?: string | undefined
  error?: string | undefined
  children: (shared: InputProps) => ComponentChildren
}

/** A labelled input with its hint and its error. */
export function Field({ label, hint, error, children }: Props) {
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  const shared: InputProps = { id }
  if (error) shared['aria-invalid'] = 'true'
  if (described) shared['aria-describedby'] = described
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      <div class="input">{children(shared)}</div>
      {hint && (
        <p id={`${id}-hint`} class="quiet">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} class="error">
          {error}
        </p>
      )}
    </div>
  )
}
