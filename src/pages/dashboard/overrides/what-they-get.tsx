import { Field } from '../parts/field.js'
import { type Draft, delays, faults } from './draft.js'
import type { PartProps } from './part.js'

/** The part of the form for the effect: an answer, a delay, a fault. */
export function WhatTheyGet({ draft, set, operation, errorOf }: PartProps) {
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
