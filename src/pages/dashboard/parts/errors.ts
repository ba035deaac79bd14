import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Problem } from '../../../contract/types.gen.js'

/** Errors by form field. `general` errors belong to no field. */
export interface Errors {
  byField: Map<string, string[]>
  general: string[]
}

const none: Errors = { byField: new Map(), general: [] }

type RefusalErrors = Pick<Problem, 'detail' | 'errors'>

/** Assigns a refused request's errors to form fields, and focuses the first one. */
export function useErrors(form: RefObject<HTMLFormElement | null>, fields: string[]) {
  const [errors, set] = useState(none)
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [errors])
  return { errors, show: (problem: RefusalErrors | undefined) => set(problem ? sorted(problem, fields) : none) }
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
