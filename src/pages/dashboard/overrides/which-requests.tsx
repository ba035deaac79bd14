import type { OperationInfo } from '../operations.js'
import { Field } from '../parts/field.js'
import type { PartProps } from './part.js'

/** The part of the form for the matching requests. */
export function WhichRequests({
  draft,
  set,
  operation,
  errorOf,
  operations
}: PartProps & { operations: OperationInfo[] }) {
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
