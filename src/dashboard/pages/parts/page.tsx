import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { LoadState } from '../load.js'
import { route } from '../route.js'

/** The heading of a page, and the title of the window. */
export function Head({ title, children }: { title: string; children?: ComponentChildren }) {
  const { sandbox } = route.value
  useEffect(() => {
    document.title = `${title} · ${sandbox} · Knowledge Chat mock`
  }, [title, sandbox])
  return (
    <div class="head">
      <h1>{title}</h1>
      {children}
    </div>
  )
}

/** Shown before something is loaded, or if it cannot be loaded. */
export function Pending({ loaded: { error } }: { loaded: LoadState<unknown> }) {
  if (!error) return <p class="quiet">Loading…</p>
  return (
    <p class="problem" role="alert">
      {error.message}
    </p>
  )
}

/** A wide table with its own scroll bar. */
export function Scroll({
  label,
  class: className = '',
  children
}: {
  label: string
  class?: string | undefined
  children: ComponentChildren
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls what has the focus
    <section class={`scroll panel ${className}`} aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
