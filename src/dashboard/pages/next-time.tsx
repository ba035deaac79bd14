import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { JournalEntry, NewOverride, OverrideEntry } from '../../engine/contract/types.gen.js'
import { Button, useKeys } from './parts/actions.js'
import { SelectField } from './parts/fields.js'
import { undoable } from './undo.js'

type Answer = Partial<NewOverride>

const wait = (milliseconds: number): Answer => ({ delay: { type: 'fixed', milliseconds } })

/** What a front end must survive: a name, the answer, and how a request is answered. */
export const outcomes: readonly (readonly [name: string, answer: Answer, does: string])[] = [
  ['500', { status: 500 }, 'with 500'],
  ['503', { status: 503 }, 'with 503'],
  ['429', { status: 429, headers: { 'Retry-After': '1' } }, 'with 429 and Retry-After'],
  ['slow', wait(5000), 'after 5 s'],
  ['cut', { fault: 'MALFORMED_RESPONSE_CHUNK' }, 'with a part of the answer'],
  ['empty', { fault: 'EMPTY_RESPONSE' }, 'with an empty response'],
  ['times out', wait(600_000), 'after 10 min']
]

/** The requests that an override answers: those of an operation, or of a path. */
export type Target = Pick<NewOverride, 'operation' | 'method' | 'path'>

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export function targetOf({ operation, method, url }: Pick<JournalEntry, 'operation' | 'method' | 'url'>): Target {
  if (operation !== null) return { operation }
  const path = url.replace(/^https?:\/\/[^/?#]*|[?#].*$/gis, '')
  return { path: path || '/', method: methods.find((name) => name === method) }
}

export function nameOf({ operation, method, path }: Pick<OverrideEntry, keyof Target>): string {
  if (operation !== undefined) return operation === '*' ? 'any operation' : operation
  return `${method ?? 'any method'} ${path}`
}

export function answerNext(target: Target, answer: Answer, does: string): Promise<unknown> {
  const { times, rate } = answer
  const name = nameOf(target)
  const which = times === undefined ? `Every ${name}` : `The next ${name}`
  const who = times === undefined || times === 1 ? `${which} is` : `The next ${times} calls of ${name} are`
  const share = rate === undefined ? '' : `, ${rate * 100} % of the time`
  return undoable('addOverride', { body: { ...target, ...answer } }, `${who} answered ${does}${share}.`)
}

const often = Object.entries({ 1: '1 time', 2: '2 times', 3: '3 times', 10: '10 times', '': 'always' })
const rates = Object.entries({ '': 'all', 0.5: '1 in 2', 0.2: '1 in 5', 0.1: '1 in 10' })

/** Whether the answers get the focus as soon as they are there. */
let isWanted = false

export function focusNextTime(): void {
  isWanted = true
}

/** One click makes the next request of a kind fail. */
export function NextTime({ target }: { target: Target }) {
  const box = useRef<HTMLFieldSetElement>(null)
  const [times, setTimes] = useState('1')
  const [rate, setRate] = useState('')
  const focus = () => box.current?.querySelector('button')?.focus()
  useKeys({ n: focus })
  useLayoutEffect(() => {
    if (isWanted) focus()
    isWanted = false
  }, [])
  const bounds = { ...(times && { times: Number(times) }), ...(rate && { rate: Number(rate) }) }
  return (
    <fieldset ref={box} class="next-time">
      <legend>
        Next time <kbd>N</kbd>
      </legend>
      {outcomes.map(([name, answer, does]) => (
        <Button
          key={name}
          text={name}
          title={`${nameOf(target)} is answered ${does}`}
          aria-label={`Next time: ${name}`}
          run={() => answerNext(target, { ...answer, ...bounds }, does)}
        />
      ))}
      <SelectField label="How often" value={times} onChange={setTimes} options={often} />
      <SelectField label="Rate" value={rate} onChange={setRate} options={rates} />
    </fieldset>
  )
}
