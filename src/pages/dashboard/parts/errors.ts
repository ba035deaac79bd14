import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Problem } from '../../../contract/types.gen.js'

/** What is wrong, by the field of a form that it is about; `general`: about none. */
export interface Errors {
  byField: Map<string, string[]>
  general: string[]
}

const none: Errors = { byField: new Map(), general: [] }

/** Sorts a refused request's errors to the fields of a form, and moves the focus to the first. */
export function useErrors(form: RefObject<HTMLFormElement | null>, fields: string[]) {
  const [errors, set] = useState(none)
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [errors])
  return { errors, show: (problem: Problem | undefined) => set(problem ? sorted(problem, fields) : none) }
}

function sorted({ errors, detail }: Problem, fields: string[]): Errors {
  const result: Errors = { byField: new Map(), general: [] }
  if (!errors || errors.length === 0) return { ...result, general: [detail] }
  for (const { field, detail: text, allowed } of errors) {
    // The field of the form that holds the place: the longest that it begins with.
    const holder = fields
      .filter((name) => field === name || field.startsWith(`${name}.`))
      .sort((a, b) => b.length - a.length)[0]
    const inner = holder === undefined ? field : field.slice(holder.length + 1)
    const good = allowed && !text.includes(allowed.join(', ')) ? ` Good: ${allowed.join(', ')}.` : ''
    const said = `${inner && inner !== 'body' ? `${inner}: ` : ''}${text}${good}`
    if (holder === undefined) result.general.push(said)
    else result.byField.set(holder, [...(result.byField.get(holder) ?? []), said])
  }
  return result
}
