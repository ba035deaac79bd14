import { useEffect, useState } from 'preact/hooks'
import type { OverrideCheck } from '../../../engine/contract/types.gen.js'
import { call } from '../client.js'
import { useLoad } from '../load.js'
import { type OperationInfo, readOperations } from '../operations.js'
import { GeneralErrors, useErrors } from '../parts/errors.js'
import { SelectField, TextField } from '../parts/field.js'
import { Head, Pending } from '../parts/page.js'
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
  const { form, general, errorOf, show, submit } = useErrors(fields)
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }))
  const operation = operations.find(({ id }) => id === draft.operation)
  const outcomes = operation?.outcomes ?? []
  const fillIn = (at: string) => {
    const outcome = outcomes[Number(at)]
    if (outcome) set({ status: String(outcome.status), body: JSON.stringify(outcome.body, undefined, 2) })
  }
  const [verdict, setVerdict] = useState<{ of: string; check: OverrideCheck }>()
  const of = JSON.stringify(overrideOf(draft))
  const isCurrent = verdict?.of === of
  const ask = async () => {
    const check = await call('checkOverride', { body: JSON.parse(of) })
    setVerdict({ of, check })
    return check
  }
  // While the form is being filled in, a missing value is not an error yet.
  useEffect(() => {
    if (draft.operation === '' || notJson(draft).length > 0) return
    const timer = setTimeout(() => void ask().catch(() => setVerdict(undefined)), 250)
    return () => clearTimeout(timer)
  }, [of])
  const add = async () => {
    const errors = notJson(draft)
    if (errors.length > 0) return show({ detail: '', errors })
    // An override that breaks the contract is not added without a warning.
    if (!isCurrent && (await ask()).violations.length > 0) return
    await undoable('addOverride', { body: JSON.parse(of) }, ({ id }) => `Override ${id} was added.`)
    go(href('overrides'))
  }
  const isBroken = isCurrent && verdict.check.violations.length > 0
  /** The properties of the input for a text of the draft. */
  const inputOf = (name: Exclude<keyof Draft, 'params' | 'numbers'>, field: string = name) => ({
    value: draft[name],
    onChange: (value: string) => set({ [name]: value }),
    error: errorOf(field)
  })
  return (
    <form ref={form} class="fields" noValidate onSubmit={submit(add)}>
      <GeneralErrors texts={general} />
      <fieldset>
        <legend>Which requests</legend>
        <SelectField
          label="Operation"
          {...inputOf('operation')}
          onChange={(id) => set({ operation: id, params: {} })}
          options={[['', '—'], ...operations.map(optionOf)]}
        />
        {operation?.params.map((name) => (
          <TextField
            key={name}
            label={`Path: ${name}`}
            hint="Empty: any."
            error={errorOf('match.path')}
            value={draft.params[name] ?? ''}
            onChange={(value) => set({ params: { ...draft.params, [name]: value } })}
          />
        ))}
        <TextField
          label="Query"
          hint="Such as page_size=10. The request may have other parameters too."
          {...inputOf('query', 'match.query')}
        />
        <TextField label="Body holds (JSON)" rows={3} {...inputOf('matchBody', 'match.body')} />
        <TextField
          label="Times"
          hint="The number of requests it answers. Empty: until it is removed."
          inputMode="numeric"
          {...inputOf('times')}
        />
      </fieldset>
      <fieldset>
        <legend>What they get</legend>
        {outcomes.length > 0 && (
          <SelectField
            label="Documented example"
            value=""
            onChange={fillIn}
            options={[['', 'fill in from…'], ...outcomes.map(({ label }, at) => [String(at), label] as const)]}
          />
        )}
        <TextField
          label="Status"
          hint="Empty: the usual answer, with the delay or fault below."
          inputMode="numeric"
          {...inputOf('status')}
        />
        <TextField label="Body (JSON)" rows={8} {...inputOf('body')} />
        <SelectField label="Delay" {...inputOf('delay')} options={[['', 'none'], ...Object.keys(delays)]} />
        {draft.delay !== '' &&
          delays[draft.delay].map((name) => (
            <TextField
              key={name}
              label={name === 'sigma' ? 'sigma' : `${name} (ms)`}
              inputMode="decimal"
              value={draft.numbers[name] ?? ''}
              onChange={(value) => set({ numbers: { ...draft.numbers, [name]: value } })}
            />
          ))}
        <SelectField
          label="Fault"
          hint="The connection breaks instead of an answer."
          {...inputOf('fault')}
          options={[['', 'none'], ...Object.entries(faults)]}
        />
      </fieldset>
      {isCurrent && <Verdict check={verdict.check} />}
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

function optionOf({ id, code, method, path }: OperationInfo): [value: string, text: string] {
  return [id, `${code} ${id}: ${method} ${path}`]
}

/** What the contract says about the answer. */
function Verdict({ check: { violations, notes } }: { check: OverrideCheck }) {
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
