import type { ComponentChildren } from 'preact'
import { Scroll } from './page.js'

/** A table with its head. A column whose title ends with "#" has numbers, which stand on the right. */
export function Table({
  label,
  caption = label,
  columns,
  class: className,
  children
}: {
  label: string
  /** What the table holds, and in which order. */
  caption?: string
  columns: readonly string[]
  class?: string
  /** The rows. */
  children: ComponentChildren
}) {
  return (
    <Scroll label={label} class={className}>
      <table>
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
