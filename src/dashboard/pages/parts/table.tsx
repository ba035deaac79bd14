import type { ComponentChildren } from 'preact'
import { Scroll } from './page.js'

/**
 * A table with its head. A column whose title ends with "#" has numbers, aligned right. On a phone, values are below each
 * other, each after its title.
 */
export function Table({
  label,
  caption = label,
  columns,
  class: className,
  children
}: {
  label: string
  /** The contents and order of the table. */
  caption?: string
  columns: readonly string[]
  class?: string
  /** The rows. */
  children: ComponentChildren
}) {
  const titles = Object.fromEntries(columns.map((title, at) => [`--title-${at + 1}`, `"${title.replace('#', '')} "`]))
  return (
    <Scroll label={label} class={className}>
      <table class="stacked" style={titles}>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((title) => (
              <th key={title} scope="col" class={title.endsWith('#') ? 'right' : undefined}>
                {title.replace('#', '')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </Scroll>
  )
}
