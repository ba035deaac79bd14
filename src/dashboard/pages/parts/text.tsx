import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { worded } from '../state/labels.js'
import { Button } from './actions.js'
import { Linked } from './errors.js'

export function Short({ text, most = 80 }: { text: string; most?: number }) {
  const shown = text.length > most ? `${text.slice(0, most)}…` : text
  return <bdi title={text.length > most ? text.slice(0, 1000) : undefined}>{shown}</bdi>
}

const most = 2000

/** A whole text. A very long one is shown in two steps. */
export function Long({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false)
  const isCut = text.length > most && !isWhole
  return (
    <>
      <bdi class="text">{isCut ? text.slice(0, most) : text}</bdi>
      {isCut && <More count={text.length} what="characters" run={() => setWhole(true)} />}
    </>
  )
}

export function More({ count, what, run }: { count: number; what: string; run: () => void }) {
  return <Button class="more" text={`… show all ${grouped(count)} ${what}`} run={run} />
}

interface NoteProps {
  id?: string
  class: 'quiet' | 'error' | 'problem'
  text: string | undefined
  role?: 'alert' | undefined
}

export function Note({ text, ...others }: NoteProps) {
  return text ? (
    <p {...others}>
      <Linked text={text} />
    </p>
  ) : null
}

export function Named({ name, label = worded(name) }: { name: string; label?: string }) {
  const isOther = label.toLowerCase() !== name
  return (
    <>
      {label}
      {isOther && ' '}
      {isOther && <code class="raw">{name}</code>}
    </>
  )
}

/** A status with its colour. 0 is a broken connection; without a number, there is no answer yet. An answer that breaks the contract does not count as a success. */
export function Status({ status, violations = [] }: { status: number; violations?: readonly string[] }) {
  if (Number.isNaN(status)) return <span class="status wait">wait</span>
  const isBad = status === 0 || status >= 500 || violations.length > 0
  const tone = isBad ? 'bad' : status >= 400 ? 'warn' : 'good'
  return <span class={`status ${tone}`}>{status === 0 ? 'cut' : status}</span>
}

export function Bullets({ title, texts }: { title?: string; texts: readonly string[] }) {
  if (texts.length === 0) return null
  return (
    <>
      {title !== undefined && <p>{title}</p>}
      <ul>
        {texts.map((text) => (
          <li key={text}>
            <Long text={text} />
          </li>
        ))}
      </ul>
    </>
  )
}

interface TermsProps<T> {
  list: readonly (readonly [name: string, of: T])[]
  term?: (name: string, of: T) => ComponentChildren
  value: (of: T) => ComponentChildren
  class: string
  label?: string
  rowClass?: (of: T) => string | undefined
}

export function Terms<T>({ list, term = (name) => name, value, rowClass, class: name, label }: TermsProps<T>) {
  return (
    <dl class={name} aria-label={label}>
      {list.map(([name, of], at) => (
        <div key={at} class={rowClass?.(of)}>
          <dt>{term(name, of)}</dt>
          <dd>{value(of)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** With separators. Loading the browser's number formats takes longer than the rest of a page, so small numbers do without. */
export function grouped(number: number): string {
  return Number.isInteger(number) && number < 1000 ? `${number}` : number.toLocaleString('en')
}

export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(number)} ${number === 1 ? noun : plural}`
}

export function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} class="number">
      {momentText(at)}
    </time>
  )
}

export function momentText(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)}`
}

const units = Object.entries({ d: 86_400_000, h: 3_600_000, min: 60_000, s: 1000 })

/** A duration in its two largest units, such as "2 h 5 min". */
export function duration(milliseconds: number): string {
  const first = units.findIndex(([, size]) => milliseconds >= size)
  if (first < 0) return milliseconds < 1 ? 'now' : `${Math.round(milliseconds)} ms`
  const parts = units.slice(first, first + 2).map(([unit, size], at) => {
    const rest = at === 0 ? milliseconds : milliseconds % (units[first]?.[1] as number)
    return { number: Math.floor(rest / size), unit }
  })
  return parts.flatMap(({ number, unit }) => (number > 0 ? [`${number} ${unit}`] : [])).join(' ')
}

export function milliseconds(value: number): string {
  if (value >= 60_000) return duration(value)
  if (value >= 10_000) return `${(value / 1000).toFixed(1)} s`
  return `${value >= 100 ? Math.round(value) : value.toPrecision(2)} ms`
}

/** The time of day on this machine, such as 14:03:22.123. */
export function wallTime(at: string): string {
  return new Date(at).toTimeString().slice(0, 8) + at.slice(19, 23)
}

/** A moment of the mock's clock in UTC, such as 03-02 10:00:00. */
export function mockTime(at: string): string {
  return `${at.slice(5, 10)} ${at.slice(11, 19)}`
}

/** Details whose content is there only once they are open. */
export function Lazy(props: { summary: ComponentChildren; isOpen?: boolean; children: () => ComponentChildren }) {
  const { summary, children } = props
  const [isOpen, open] = useState(props.isOpen ?? false)
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  )
}
