import { useEffect, useRef, useState } from 'preact/hooks'
import type { OverrideCheck } from '../../../contract/types.gen.js'
import { call, Refused } from '../client.js'
import { useLoad } from '../load.js'
import { type OperationInfo, readOperations } from '../operations.js'
import { useErrors } from '../parts/errors.js'
import { Field } from '../parts/field.js'
import { Head, Pending } from '../parts/page.js'
import { sayFailed } from '../parts/toasts.js'
import { go, href } from '../route.js'
import { undoable } from '../undo/undo.js'
import { type Draft, delays, draftFrom, emptyDraft, faults, notJson, overrideOf } from './draft.js'

const fields = ['operation', 'match.path', 'match.query', 'match.body', 'status', 'body', 'delay', 'fault', 'times']

/** Creates an override: an empty one, from an operation's examples, or from an exchange. */
export function OverrideForm({ from }: { from: string | undefined }) {
  const loaded = useLoad(async () => {
    const operations = await readOperations()
    const exchange = from === undefined ? undefined : await call('getRequest', { path: { id: from } })
    return { operations, draft: exchange ? draftFrom(exchange, operations) : emptyDraft }
  }, `new ${from}`)
  return (
    <>
      <Head title="Add an override" />
      {loaded.value ? <Form {...loaded.value} /> : <Pending loaded={loaded} />}
    </>
  )
}

function Form({ operations, draft: initial }: { operations: OperationInfo[]; draft: Draft }) {
  const [draft, setDraft] = useState(initial)
  const form = useRef<HTMLFormElement>(null)
  const { errors, show } = useErrors(form, fields)
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }))
  const operation = operations.find(({ id }) => id === draft.operation)
  const [told, tell] = useState<{ of: string; check: OverrideCheck }>()
  const of = JSON.stringify(overrideOf(draft))
  const isTold = told?.of === of
  const ask = async () => {
    const check = await call('checkOverride', { body: JSON.parse(of) })
    tell({ of, check })
    return check
  }
  // While one fills in the form, what is missing is no mistake yet.
  useEffect(() => {
    if (draft.operation === '' || notJson(draft).length > 0) return
    const timer = setTimeout(() => void ask().catch(() => tell(undefined)), 250)
    return () => clearTimeout(timer)
  }, [of])
  const add = async (event: Event) => {
    event.preventDefault()
    const errors = notJson(draft)
    show(errors.length > 0 ? { detail: '', errors } : undefined)
    if (errors.length > 0) return
    try {
      // Nothing that breaks the contract is added unseen.
      if (!isTold && (await ask()).violations.length > 0) return
      await undoable('addOverride', { body: JSON.parse(of) }, ({ id }) => `Override ${id} was added.`)
      go(href('overrides'))
    } catch (error) {
      if (error instanceof Refused) show(error.problem)
      else sayFailed(error as Error)
    }
  }
  const isBroken = isTold && told.check.violations.length > 0
  const parts = { draft, set, operation, errorOf: (name: string) => errors.byField.get(name)?.join(' ') }
  return (
    <form ref={form} class="fields" noValidate onSubmit={(event) => void add(event)}>
      {errors.general.length > 0 && (
        <p class="problem" role="alert">
          {errors.general.join(' ')}
        </p>
      )}
      <WhichRequests {...parts} operations={operations} />
      <WhatTheyGet {...parts} />
      {isTold && <Told check={told.check} />}
      <div class="buttons sticky">
        <button type="submit" class="primary">
          {isBroken ? 'Add anyway' : 'Add'}
        </button>
        <a class="button" href={href('overrides')}>
          Cancel
        </a>
      </div>
    </form>
  )
}

/** What the contract says of the answer. */
function Told({ check: { violations, notes } }: { check: OverrideCheck }) {
  if (violations.length + notes.length === 0) return null
  return (
    <section
      class={violations.length > 0 ? 'verdict is-bad' : 'verdict'}
      aria-label="What the contract says"
      role="status"
    >
      {violations.length > 0 && (
        <>
          <p>The answer breaks the contract, and each request that gets it has a violation:</p>
          <ul>
            {violations.map((text) => (
              <li key={text}>
                <bdi>{text}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      {notes.map((text) => (
        <p key={text} class="quiet">
          {text}
        </p>
      ))}
    </section>
  )
}

/** The part of the form for the matching requests. */
function WhichRequests({ draft, set, operation, errorOf, operations }: PartProps & { operations: OperationInfo[] }) {
  return (
    <fieldset>
      <legend>Which requests</legend>
      <Field label="Operation" error={errorOf('operation')}>
        {(shared) => (
          <select
            {...shared}
            value={draft.operation}
            onChange={(event) => set({ operation: event.currentTarget.value, params: {} })}
          >
            <option value="">—</option>
            {operations.map(({ id, code, method, path }) => (
              <option key={id} value={id}>
                {code} {id}: {method} {path}
              </option>
            ))}
          </select>
        )}
      </Field>
      {operation?.params.map((name) => (
        <Field key={name} label={`Path: ${name}`} hint="Empty: any." error={errorOf('match.path')}>
          {(shared) => (
            <input
              {...shared}
              type="text"
              autoComplete="off"
              value={draft.params[name] ?? ''}
              onInput={(event) => set({ params: { ...draft.params, [name]: event.currentTarget.value } })}
            />
          )}
        </Field>
      ))}
      <Field
        label="Query"
        hint="Such as page_size=10. The request may have other parameters too."
        error={errorOf('match.query')}
      >
        {(shared) => (
          <input
            {...shared}
            type="text"
            autoComplete="off"
            value={draft.query}
            onInput={(event) => set({ query: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label="Body holds (JSON)" error={errorOf('match.body')}>
        {(shared) => (
          <textarea
            {...shared}
            class="code"
            rows={3}
            spellcheck={false}
            value={draft.matchBody}
            onInput={(event) => set({ matchBody: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field
        label="Times"
        hint="The number of requests it answers. Empty: until it is removed."
        error={errorOf('times')}
      >
        {(shared) => (
          <input
            {...shared}
            type="text"
            inputMode="numeric"
            value={draft.times}
            onInput={(event) => set({ times: event.currentTarget.value })}
          />
        )}
      </Field>
    </fieldset>
  )
}

/** The part of the form for the effect: an answer, a delay, a fault. */
function WhatTheyGet({ draft, set, operation, errorOf }: PartProps) {
  return (
    <fieldset>
      <legend>What they get</legend>
      {operation && operation.outcomes.length > 0 && (
        <Field label="Documented example">
          {(shared) => (
            <select
              {...shared}
              value=""
              onChange={(event) => {
                const outcome = operation.outcomes[Number(event.currentTarget.value)]
                if (outcome) set({ status: String(outcome.status), body: JSON.stringify(outcome.body, undefined, 2) })
              }}
            >
              <option value="">fill in from…</option>
              {operation.outcomes.map(({ label }, at) => (
                <option key={label} value={at}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Field label="Status" hint="Empty: the usual answer, with the delay or fault below." error={errorOf('status')}>
        {(shared) => (
          <input
            {...shared}
            type="text"
            inputMode="numeric"
            value={draft.status}
            onInput={(event) => set({ status: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label="Body (JSON)" error={errorOf('body')}>
        {(shared) => (
          <textarea
            {...shared}
            class="code"
            rows={8}
            spellcheck={false}
            value={draft.body}
            onInput={(event) => set({ body: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label="Delay" error={errorOf('delay')}>
        {(shared) => (
          <select
            {...shared}
            value={draft.delay}
            onChange={(event) => set({ delay: event.currentTarget.value as Draft['delay'] })}
          >
            <option value="">none</option>
            {Object.keys(delays).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </Field>
      {draft.delay !== '' &&
        delays[draft.delay].map((name) => (
          <Field key={name} label={name === 'sigma' ? 'sigma' : `${name} (ms)`}>
            {(shared) => (
              <input
                {...shared}
                type="text"
                inputMode="decimal"
                value={draft.numbers[name] ?? ''}
                onInput={(event) => set({ numbers: { ...draft.numbers, [name]: event.currentTarget.value } })}
              />
            )}
          </Field>
        ))}
      <Field label="Fault" hint="The connection breaks instead of an answer." error={errorOf('fault')}>
        {(shared) => (
          <select {...shared} value={draft.fault} onChange={(event) => set({ fault: event.currentTarget.value })}>
            <option value="">none</option>
            {Object.entries(faults).map(([name, says]) => (
              <option key={name} value={name}>
                {says}
              </option>
            ))}
          </select>
        )}
      </Field>
    </fieldset>
  )
}

/** The properties of each part of the form. */
interface PartProps {
  draft: Draft
  set: (change: Partial<Draft>) => void
  /** The chosen operation. */
  operation: OperationInfo | undefined
  /** The error of a field of the override. */
  errorOf: (field: string) => string | undefined
}
