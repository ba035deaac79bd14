import type { ComponentChildren } from 'preact'
import { Named } from '../parts/named.js'
import { Long } from '../parts/text.js'
import { worded } from '../state/labels.js'
import type { Difference } from './difference.js'

/** Differences of two values, one line per place. */
export function Diff({
  list,
  label,
  isOfRow = false
}: {
  list: readonly Difference[]
  label: string
  /** Its places begin with the name of a field of a row. */
  isOfRow?: boolean
}) {
  return (
    <dl class="diff" aria-label={label}>
      {list.map(({ place, before, after }) => (
        <div key={place.join('.')}>
          <dt>
            {isOfRow && place.length > 0 ? (
              <Named name={place.join('.')} label={[worded(String(place[0])), ...place.slice(1)].join('.')} />
            ) : (
              <bdi>{place.join('.') || 'all'}</bdi>
            )}
          </dt>
          <dd>
            {before !== undefined && (
              <Side tag="del">
                <Value value={before} />
              </Side>
            )}
            {after !== undefined && (
              <Side tag="ins">
                <Value value={after} />
              </Side>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Side({ tag: Tag, children }: { tag: 'del' | 'ins'; children: ComponentChildren }) {
  return (
    <Tag>
      <span class="hidden">{Tag === 'del' ? 'was' : 'is'} </span>
      {children}
    </Tag>
  )
}

function Value({ value }: { value: unknown }) {
  return (
    <code>
      <Long text={JSON.stringify(value)} />
    </code>
  )
}
