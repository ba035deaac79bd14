import type { ComponentChildren } from 'preact'
import { Named } from '../parts/named.js'
import { Long } from '../parts/text.js'
import { worded } from '../state/labels.js'
import type { JsonPath } from './json-lines.js'

/** A place where two JSON values differ. A side without the place is undefined. */
interface Difference {
  place: JsonPath
  before: unknown
  after: unknown
}

/** The innermost places where two JSON values differ. */
export function differences(before: unknown, after: unknown, place: JsonPath = []): Difference[] {
  if (before === after) return []
  const isList = Array.isArray(before)
  if (!isObject(before) || !isObject(after) || isList !== Array.isArray(after)) return [{ place, before, after }]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => differences(before[name], after[name], [...place, isList ? Number(name) : name]))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

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
