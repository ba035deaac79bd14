import { useEffect, useRef, useState } from 'preact/hooks'
import type { OverrideCheck } from '../../../contract/types.gen.js'
import { call, Refused } from '../client.js'
import { useLoad } from '../load.js'
import { type OperationInfo, readOperations } from '../operations.js'
import { useErrors } from '../parts/errors.js'
import { Head, Pending } from '../parts/page.js'
import { sayFailed } from '../parts/toasts.js'
import { go, href } from '../route.js'
import { undoable } from '../undo/undo.js'
import { type Draft, draftFrom, emptyDraft, notJson, overrideOf } from './draft.js'
import { WhatTheyGet } from './what-they-get.js'
import { WhichRequests } from './which-requests.js'

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
