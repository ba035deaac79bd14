import { useEffect, useRef, useState } from 'preact/hooks'
import type { Problem } from '../../../engine/contract/types.gen.js'
import { Refused } from '../client.js'
import { sayFailed } from './toasts.js'

/** Errors by form field. `general` errors belong to no field. */
interface Errors {
  byField: Map<string, string[]>
  general: string[]
}

const none: Errors = { byField: new Map(), general: [] }

type RefusalErrors = Pick<Problem, 'detail' | 'errors'>

/** Assigns a refused request's errors to the fields of a form, and focuses the first one. */
export function useErrors(fields: string[]) {
  const form = useRef<HTMLFormElement>(null)
  const [{ byField, general }, set] = useState(none)
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [byField])
  const show = (problem: RefusalErrors) => set(sorted(problem, fields))
  const submit = (act: () => Promise<unknown>) => (event: Event) => {
    event.preventDefault()
    set(none)
    act().catch((error: Error) => (error instanceof Refused ? show(error.problem) : sayFailed(error)))
  }
  return { form, general, errorOf: (field: string) => byField.get(field)?.join(' '), show, submit }
}

/** The errors that belong to no field. */
export function GeneralErrors({ texts }: { texts: readonly string[] }) {
  if (texts.length === 0) return null
  return (
    <div class="problem" role="alert">
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  )
}

function sorted({ errors, detail }: RefusalErrors, fields: string[]): Errors {
  const result: Errors = { byField: new Map(), general: [] }
  if (!errors || errors.length === 0) return { ...result, general: [detail] }
  for (const { field, detail: text, allowed } of errors) {
    // The form field with the longest matching prefix.
    const holder = fields
      .filter((name) => field === name || field.startsWith(`${name}.`))
      .sort((a, b) => b.length - a.length)[0]
    const inner = holder === undefined ? field : field.slice(holder.length + 1)
    const good = allowed && !text.includes(allowed.join(', ')) ? ` Good values: ${allowed.join(', ')}.` : ''
    const said = `${inner && inner !== 'body' ? `${inner}: ` : ''}${text}${good}`
    if (holder === undefined) result.general.push(said)
    else result.byField.set(holder, [...(result.byField.get(holder) ?? []), said])
  }
  return result
}
