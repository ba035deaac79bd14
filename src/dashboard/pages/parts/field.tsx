import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** The properties that all inputs share. */
export interface InputProps {
  id: string
  'aria-invalid'?: 'true'
  'aria-describedby'?: string
}

interface LabelProps {
  label: ComponentChildren
  hint?: string | undefined
  error?: string | undefined
}

/** A labelled input with its hint and its error. */
export function Field({
  label,
  hint,
  error,
  children
}: LabelProps & { children: (shared: InputProps) => ComponentChildren }) {
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

export interface ValueProps {
  value: string
  onChange: (value: string) => void
}

interface TextProps extends LabelProps, ValueProps {
  inputMode?: 'numeric' | 'decimal'
  placeholder?: string
  /** For a text of several lines. */
  rows?: number
}

/** A line of text, or several lines of code. */
export function TextField({ label, hint, error, onChange, rows, ...props }: TextProps) {
  const common = { ...props, autoComplete: 'off', spellcheck: false }
  const change = ({ currentTarget: { value } }: { currentTarget: { value: string } }) => onChange(value)
  return (
    <Field label={label} hint={hint} error={error}>
      {(shared) =>
        rows === undefined ? (
          <input type="text" {...shared} {...common} onInput={change} />
        ) : (
          <textarea class="code" rows={rows} {...shared} {...common} onInput={change} />
        )
      }
    </Field>
  )
}

/** A choice from a few. */
export function SelectField({ value, onChange, options, ...label }: LabelProps & ValueProps & OptionsProps) {
  return (
    <Field {...label}>
      {(shared) => (
        <select {...shared} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          <Options options={options} />
        </select>
      )}
    </Field>
  )
}

export interface OptionsProps {
  /** Each is a value, or a value and its text. */
  options: readonly (string | readonly [value: string, text: string])[]
}

export function Options({ options }: OptionsProps) {
  return options.map((option) => {
    const [value, text] = typeof option === 'string' ? [option, option] : option
    return (
      <option key={value} value={value}>
        {text}
      </option>
    )
  })
}
