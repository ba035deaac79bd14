import { useMemo, useState } from 'preact/hooks'
import { Long, More, Named, Terms } from '../parts/text.js'
import { worded } from '../state/labels.js'
import { type Difference, type JsonLine, linesOf, marksByLine, type Remark } from './values.js'

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
  /** Whether the places begin with the name of a field of a row. */
  isOfRow?: boolean
  /** What the two values are called where they are not seen. */
  sides?: readonly [before: string, after: string]
}

export function Diff({ list, label, isOfRow = false, sides: [was, is] = ['was', 'is'] }: DiffProps) {
  const nameOf = (name: string, { place: [first, ...rest] }: Difference) => {
    if (!isOfRow || first === undefined) return <bdi>{name || 'all'}</bdi>
    return <Named name={name} label={[worded(String(first)), ...rest].join('.')} />
  }
  const sides = ({ before, after }: Difference) => (
    <>
      {before !== undefined && <Side tag="del" name={was} value={before} />}
      {after !== undefined && <Side tag="ins" name={is} value={after} />}
    </>
  )
  const named = list.map((it) => [it.place.join('.'), it] as const)
  return <Terms class="diff" label={label} list={named} term={nameOf} value={sides} />
}

function Side({ tag: Tag, name, value }: { tag: 'del' | 'ins'; name: string; value: unknown }) {
  return (
    <Tag>
      <span class="hidden">{name} </span>
      <code>
        <Long text={JSON.stringify(value)} />
      </code>
    </Tag>
  )
}
