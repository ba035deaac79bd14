import { useRef, useState } from 'preact/hooks'
import { call, Refused } from '../client.js'
import { useLoad } from '../load.js'
import { type OperationInfo, readOperations } from '../operations.js'
import { useErrors } from '../parts/errors.js'
import { Head, Pending } from '../parts/page.js'
import { say, sayFailed } from '../parts/toasts.js'
import { go, href } from '../route.js'
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
  const add = async (event: Event) => {
    event.preventDefault()
    const errors = notJson(draft)
    show(errors.length > 0 ? { detail: '', errors } : undefined)
    if (errors.length > 0) return
    try {
      const { id } = await call('addOverride', { body: overrideOf(draft) })
      say(`Override ${id} was added.`)
      go(href('overrides'))
    } catch (error) {
      if (error instanceof Refused) show(error.problem)
      else sayFailed(error as Error)
    }
  }
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
      <div class="buttons sticky">
        <button type="submit" class="primary">
          Add
        </button>
        <a class="button" href={href('overrides')}>
          Cancel
        </a>
      </div>
    </form>
  )
}
