import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { Long, More, Named, Terms } from '../parts/text.js'
import { worded } from '../state/labels.js'
import { byValue, type Difference, type JsonLine, type JsonPath, linesOf, marksByLine, type Remark } from './values.js'

const most = 400

export function JsonText({ value, marks = [], label }: { value: unknown; marks?: Remark[]; label: string }) {
  const [isWhole, setWhole] = useState(false)
  const lines = useMemo(() => linesOf(value), [value])
  const byLine = useMemo(() => marksByLine(lines, marks), [lines, marks])
  const shown = lines.flatMap((line, at) => (isWhole || at < most || byLine.has(at) ? [{ line, at }] : []))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls what has the focus
    <section class="json" aria-label={label} tabIndex={0}>
      <pre>
        {shown.map(({ line, at }) => (
          <LineText key={at} line={line} remarks={byLine.get(at) ?? []} />
        ))}
      </pre>
      {shown.length < lines.length && <More count={lines.length} what="lines" run={() => setWhole(true)} />}
    </section>
  )
}

function LineText({ line: { indent, key, text, kind, comma }, remarks }: { line: JsonLine; remarks: string[] }) {
  const content = (
    <>
      {'  '.repeat(indent)}
      {key !== undefined && <bdi class="key">{JSON.stringify(key)}</bdi>}
      {key !== undefined && ': '}
      <span class={kind}>
        <Long text={text} />
      </span>
      {comma && ','}
    </>
  )
  if (remarks.length === 0) return <div>{content}</div>
  return (
    <div class="offending">
      <mark>{content}</mark>
      <span class="remark">{remarks.join('; ')}</span>
    </div>
  )
}

interface DiffProps {
  list: readonly Difference[]
  label: string
  /** Of fields of a row: their values, where they are not shown as they are. */
  link?: (place: JsonPath, value: unknown) => ComponentChildren
  /** What the two values are called where they are not seen. */
  sides?: readonly [before: string, after: string]
}

const mostValues = 100

export function Diff({ list, label, link, sides: [was, is] = ['was', 'is'] }: DiffProps) {
  const [isWhole, setWhole] = useState(false)
  const values = useMemo(() => byValue(list), [list])
  const nameOf = (name: string, { place: [first, ...rest] }: Difference) => {
    if (!link || first === undefined) return <bdi>{name || 'all'}</bdi>
    return <Named name={name} label={[worded(String(first)), ...rest].join('.')} />
  }
  const side = (Tag: 'del' | 'ins', name: string, place: JsonPath, value: unknown) =>
    value !== undefined && (
      <Tag>
        <span class="hidden">{name} </span>
        {link?.(place, value) ?? (
          <code>
            <Long text={JSON.stringify(value)} />
          </code>
        )}
      </Tag>
    )
  const sides = ({ place, before, after }: Difference) => [
    side('del', was, place, before),
    side('ins', is, place, after)
  ]
  const entries = values.slice(0, isWhole ? undefined : mostValues).map((it) => [it.place.join('.'), it] as const)
  return (
    <>
      <Terms class="diff" label={label} list={entries} term={nameOf} value={sides} />
      {entries.length < values.length && <More count={values.length} what="values" run={() => setWhole(true)} />}
    </>
  )
}
