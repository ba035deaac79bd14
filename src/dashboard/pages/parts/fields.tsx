import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Problem } from '../../../engine/contract/types.gen.js'
import { Refused } from '../client.js'
import { go } from '../route.js'
import { Button, say, sayFailed } from './actions.js'
import { plainly } from './errors.js'
import { Note } from './text.js'

export interface InputProps {
  id?: string
  'aria-label'?: string
  'aria-invalid'?: 'true' | undefined
  'aria-describedby'?: string | undefined
}

interface LabelProps {
  label: ComponentChildren
  hint?: string | undefined
  error?: string | undefined
  /** Whether the error is announced when it appears. */
  isAlert?: boolean
  class?: 'wide' | 'narrow'
  title?: string
}

type FieldProps = LabelProps & { children: (shared: InputProps) => ComponentChildren }

export function Field({ label, hint, error, isAlert, class: width, title, children }: FieldProps) {
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div class={`field ${width ?? ''}`}>
      <label htmlFor={id} title={title}>
        {label}
      </label>
      <div class="input">
        {children({ id, 'aria-invalid': error ? 'true' : undefined, 'aria-describedby': described || undefined })}
      </div>
      <Note id={`${id}-hint`} class="quiet" text={hint} />
      <Note id={`${id}-error`} class="error" text={error} role={isAlert ? 'alert' : undefined} />
    </div>
  )
}

type ValueProps = LabelProps & { value: string; onChange: (value: string) => void }

interface TextProps extends ValueProps {
  type?: 'text' | 'search' | 'password'
  inputMode?: 'numeric' | 'decimal'
  placeholder?: string
  /** For several lines of code. */
  rows?: number
}

export function TextField({ value, onChange, type = 'text', inputMode, placeholder, rows, ...label }: TextProps) {
  const props = { value, inputMode, placeholder, dir: 'auto', autoComplete: 'off', spellcheck: false } as const
  const change = ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value)
  return (
    <Field {...label}>
      {(shared) =>
        rows === undefined ? (
          <input type={type as 'text'} {...shared} {...props} onInput={change} />
        ) : (
          <textarea class="code" rows={rows} {...shared} {...props} onInput={change} />
        )
      }
    </Field>
  )
}

interface OptionsProps {
  /** Each is a value, or a value and its text. */
  options: readonly (string | readonly [value: string, text: string])[]
  children?: ComponentChildren
}

export function SelectField({ value, onChange, options, children, ...label }: ValueProps & OptionsProps) {
  return (
    <Field {...label}>
      {(shared) => (
        <select {...shared} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          <Options options={options} />
          {children}
        </select>
      )}
    </Field>
  )
}

interface FillInProps<T> {
  label: string
  examples: readonly (readonly [name: string, value: T])[]
  onChoose: (value: T) => void
}

export function FillIn<T>({ label, examples, onChoose }: FillInProps<T>) {
  const names = examples.map(([name], at) => [String(at), name] as const)
  const choose = (at: string) => {
    const example = at === '' ? undefined : examples[Number(at)]
    if (example) onChoose(example[1])
  }
  if (examples.length === 0) return null
  return <SelectField label={label} value="" onChange={choose} options={[['', 'fill in from…'], ...names]} />
}

export function Options({ options }: OptionsProps) {
  return options.map((option) => {
    const [value, text] = typeof option === 'string' ? [option, option] : option
    return (
      <option key={value} value={value}>
        {text}
      </option>
    )
  })
}

interface CheckProps {
  isOn: boolean
  onChange: (isOn: boolean) => void
  title?: string
  children: ComponentChildren
}

export function Check({ isOn, onChange, title, children }: CheckProps) {
  return (
    <label class="check" title={title}>
      <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      {children}
    </label>
  )
}

interface TextFormProps {
  label: string
  type?: 'text' | 'password'
  problem?: string | undefined
  verb: string
  about?: string
  run: (text: string) => Promise<unknown>
}

/** Asks for a text, such as a name, and uses it. Errors appear next to the input. */
export function TextForm({ label, type, problem, verb, about, run }: TextFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [text, setText] = useState('')
  const [error, setError] = useState(problem)
  const submit = async (event: Event) => {
    event.preventDefault()
    setError(undefined)
    await run(text).then(
      // What was typed meanwhile stays.
      () => setText((now) => (now === text ? '' : now)),
      (refusal: Error) => {
        setError(refusal instanceof Refused ? plainly(refusal.reasons) : refusal.message)
        form.current?.querySelector('input')?.select()
      }
    )
  }
  return (
    <form ref={form} class="line" noValidate onSubmit={(event) => void submit(event)}>
      <TextField label={label} type={type} error={error} isAlert value={text} onChange={setText} />
      <Button type="submit" text={verb} about={about} disabled={text === ''} />
    </form>
  )
}

/** What is wrong with a value: its place, such as `tools.0.name`, and why. */
export interface FieldError {
  path: string
  text: string
}

/** Errors by form field. `general` errors belong to no field. */
type Errors = { byField: Map<string, FieldError[]>; general: string[] }

const none: Errors = { byField: new Map(), general: [] }
const noErrors: readonly FieldError[] = []

/** The errors at a place as one text. Those of values in it are named. */
export function errorText(errors: readonly FieldError[], at: string): string | undefined {
  const texts = errors.map(({ path, text }) => {
    const inner = path === at ? '' : path.slice(at.length + 1)
    return inner && inner !== 'body' ? `${inner}: ${text}` : text
  })
  return texts.join(' ') || undefined
}

type RefusalErrors = Pick<Problem, 'detail' | 'errors'>

/** What was entered in forms that were left before it was saved, by the address of the form. */
const drafts = new Map<string, unknown>()

/**
 * The input of a form. Assigns a refused request's errors to its fields, and focuses the first one. If the user leaves
 * before it is saved, a message offers to edit it again.
 */
export function useForm<Texts extends object = Record<string, string>>(fields: string[], start = {} as Texts) {
  const form = useRef<HTMLFormElement>(null)
  const [address] = useState(location.hash)
  const [texts, setTexts] = useState(() => (drafts.get(address) as Texts | undefined) ?? start)
  const last = useRef({ start, texts, isSaved: false }).current
  last.texts = texts
  useLayoutEffect(() => {
    drafts.delete(address)
    return () => {
      if (last.isSaved || last.texts === last.start) return
      drafts.set(address, last.texts)
      say('Your input was not saved.', 'done', { verb: 'Keep editing', run: async () => go(address) })
    }
  }, [])
  const [{ byField, general }, set] = useState(none)
  useLayoutEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid=true], p.error[tabindex]')?.focus()
  }, [byField])
  const show = (problem: RefusalErrors) => {
    last.isSaved = false
    set(sorted(problem, fields))
  }
  const submit = (act: () => Promise<unknown>) => (event: Event) => {
    event.preventDefault()
    set(none)
    last.isSaved = true
    act().catch((error: Error) => {
      last.isSaved = false
      if (error instanceof Refused) show(error.problem)
      else sayFailed(error)
    })
  }
  const errorsOf = (field: string) => byField.get(field) ?? noErrors
  const errorOf = (field: string) => errorText(errorsOf(field), field)
  const inputOf = (field: string, errors = field) => ({
    value: String((texts as Record<string, unknown>)[field] ?? ''),
    onChange: (text: string) => setTexts((before) => ({ ...before, [field]: text })),
    error: errorOf(errors)
  })
  return { form, texts, setTexts, general, errorOf, errorsOf, inputOf, show, submit }
}

export function GeneralErrors({ texts }: { texts: readonly string[] }) {
  return texts.map((text) => <Note key={text} class="problem" role="alert" text={text} />)
}

function sorted({ errors, detail }: RefusalErrors, fields: string[]): Errors {
  const result: Errors = { byField: new Map(), general: [] }
  if (!errors || errors.length === 0) return { ...result, general: [detail] }
  for (const { field, detail: text, allowed } of errors) {
    // The form field with the longest matching prefix.
    const holder = fields
      .filter((name) => field === name || field.startsWith(`${name}.`))
      .sort((a, b) => b.length - a.length)[0]
    const values = allowed && !text.includes(allowed.join(', ')) ? ` Valid values: ${allowed.join(', ')}.` : ''
    const error = { path: field, text: plainly(text) + values }
    if (holder === undefined) result.general.push(field === 'body' ? error.text : `${field}: ${error.text}`)
    else result.byField.set(holder, [...(result.byField.get(holder) ?? []), error])
  }
  return result
}
