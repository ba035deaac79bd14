import { worded } from '../state/labels.js'

/** A raw name in words, with the name itself next to it if it differs. */
export function Named({ name, label = worded(name) }: { name: string; label?: string }) {
  return (
    <>
      {label}
      {label.toLowerCase() !== name && (
        <>
          {' '}
          <code class="raw">{name}</code>
        </>
      )}
    </>
  )
}
