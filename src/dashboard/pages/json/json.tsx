import { useMemo, useState } from 'preact/hooks'
import { Long } from '../parts/text.js'
import { type JsonLine, linesOf, marksByLine, type Remark } from './json-lines.js'

const most = 400

/** A JSON value as text, line by line, with remarks at their places. */
export function JsonText({ value, marks = [], label }: { value: unknown; marks?: Remark[]; label: string }) {
  const [isWhole, setWhole] = useState(false)
  const lines = useMemo(() => linesOf(value), [value])
  const byLine = useMemo(() => marksByLine(lines, marks), [lines, marks])
  const numbered = lines.map((line, at) => ({ line, at }))
  const shown = isWhole ? numbered : numbered.filter(({ at }) => at < most || byLine.has(at))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls what has the focus
    <section class="json" aria-label={label} tabIndex={0}>
      <pre>
        {shown.map(({ line, at }) => (
          <LineText key={at} line={line} remarks={byLine.get(at) ?? []} />
        ))}
      </pre>
      {shown.length < lines.length && (
        <button type="button" class="more" onClick={() => setWhole(true)}>
          … show all {lines.length.toLocaleString('en')} lines
        </button>
      )}
    </section>
  )
}

function LineText({ line, remarks }: { line: JsonLine; remarks: string[] }) {
  const { indent, key, text, kind, comma } = line
  const content = (
    <>
      {'  '.repeat(indent)}
      {key !== undefined && (
        <>
          <bdi class="key">{JSON.stringify(key)}</bdi>
          {': '}
        </>
      )}
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
