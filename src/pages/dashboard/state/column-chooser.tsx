import { useEffect, useRef } from 'preact/hooks'
import type { CollectionInfo } from '../../../contract/types.gen.js'
import { Named } from '../parts/named.js'
import { setQuery } from '../route.js'
import type { Field } from './form/fields.js'

/** Chooses the columns of a table. They are in the address. */
export function ColumnChooser({ collection, columns }: { collection: CollectionInfo; columns: readonly Field[] }) {
  const box = useRef<HTMLDetailsElement>(null)
  const shown = new Set(columns.map(({ name }) => name))
  useEffect(() => {
    const close = ({ target }: Event) => {
      if (box.current?.open && !box.current.contains(target as Node)) box.current.open = false
    }
    document.addEventListener('pointerdown', close)
    return () => document.removeEventListener('pointerdown', close)
  }, [])
  const turn = (name: string, isShown: boolean) => {
    const next = collection.fields.map((field) => field.name).filter((it) => (it === name ? isShown : shown.has(it)))
    setQuery({ columns: next.join(',') || undefined })
  }
  return (
    <details
      ref={box}
      class="menu"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !box.current) return
        box.current.open = false
        box.current.querySelector('summary')?.focus()
        event.stopPropagation()
      }}
    >
      <summary class="button">Columns</summary>
      <fieldset>
        <legend class="hidden">Columns</legend>
        {collection.fields.map(({ name }) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={shown.has(name)}
              onChange={(event) => turn(name, event.currentTarget.checked)}
            />
            <Named name={name} />
          </label>
        ))}
        <button type="button" onClick={() => setQuery({ columns: undefined })}>
          As at first
        </button>
      </fieldset>
    </details>
  )
}
