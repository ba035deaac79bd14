import type { ComponentChildren } from 'preact'
import { Options, type OptionsProps, type ValueProps } from './field.js'

type LineProps = ValueProps & { label: string; class?: string }

/** A choice in a line of inputs. */
export function LineSelect({ label, value, onChange, options, class: className }: LineProps & OptionsProps) {
  return (
    <label class={className}>
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <Options options={options} />
      </select>
    </label>
  )
}

/** Looks for a text in a list. */
export function Search({ label = 'Search', value, onChange }: ValueProps & { label?: string }) {
  return (
    <label class="wide">
      <span>{label}</span>
      <input type="search" value={value} onInput={({ currentTarget }) => onChange(currentTarget.value)} />
    </label>
  )
}

/** A box to tick. */
export function Check({
  isOn,
  onChange,
  title,
  describedBy,
  children
}: {
  isOn: boolean
  onChange: (isOn: boolean) => void
  title?: string
  /** The id of its description. */
  describedBy?: string
  children: ComponentChildren
}) {
  return (
    <label class="check" title={title}>
      <input
        type="checkbox"
        checked={isOn}
        aria-describedby={describedBy}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {children}
    </label>
  )
}
