import type { CollectionInfo, RequestCheck } from '../../../engine/contract/types.gen.js'
import { Combobox } from '../parts/combobox.js'
import { Field, TextField } from '../parts/field.js'
import { findRows } from '../state/find-rows.js'
import type { DraftProps } from './draft.js'
import { collectionOf } from './ids.js'
import type { OperationForm, Parameter } from './operation.js'

interface Props extends DraftProps {
  operation: OperationForm
  check: RequestCheck | undefined
  collections: readonly CollectionInfo[]
}

/** The parameters of path and query. Ids are suggested by the names of their rows. */
export function Parameters({ draft, set, operation, check, collections }: Props) {
  const shown = operation.parameters.filter(({ in: place }) => place === 'path' || place === 'query')
  if (shown.length === 0) return null
  return (
    <>
      {shown.map((parameter) => {
        const { name, in: place } = parameter
        const values = place === 'path' ? draft.path : draft.query
        const value = values[name] ?? ''
        const isMissing = place === 'path' && value === ''
        return (
          <ParameterInput
            key={`${place} ${name}`}
            parameter={parameter}
            value={value}
            collection={collectionOf(name, operation.path, collections)}
            error={isMissing ? 'Give a value.' : errorsAt(check, place, name)}
            onChange={(next) => set({ [place]: { ...values, [name]: next } })}
          />
        )
      })}
    </>
  )
}

function ParameterInput({
  parameter: { name, in: place, required, description, values, type },
  value,
  collection,
  error,
  onChange
}: {
  parameter: Parameter
  value: string
  collection: string | undefined
  error: string | undefined
  onChange: (value: string) => void
}) {
  const label = (
    <>
      {name}{' '}
      <span class="quiet">
        {place}, {type}
        {!required && ', optional'}
      </span>
    </>
  )
  const matching = values?.includes(value)
    ? values
    : values?.filter((it) => it.toLowerCase().includes(value.toLowerCase()))
  const load = matching
    ? () => matching.map((id) => ({ id, label: id }))
    : collection !== undefined
      ? () => findRows(collection, /^\d+$|-/.test(value) ? '' : value)
      : undefined
  const labels = { label, hint: description, error }
  if (!load) return <TextField {...labels} value={value} onChange={onChange} />
  return (
    <Field {...labels}>
      {(shared) => (
        <Combobox
          shared={shared}
          value={value}
          label={values ? `Values of ${name}` : `Rows of ${collection}`}
          placeholder={collection === undefined ? undefined : `a name or an id of ${collection}`}
          load={load}
          onInput={onChange}
          onChoose={({ id }) => onChange(id)}
        />
      )}
    </Field>
  )
}

/** The errors of a parameter. */
function errorsAt(check: RequestCheck | undefined, place: string, name: string): string | undefined {
  const problems = (check?.problems ?? []) as { loc?: (string | number)[]; msg: string }[]
  const texts = problems.filter(({ loc }) => loc?.[0] === place && loc[1] === name).map(({ msg }) => msg)
  return texts.length > 0 ? texts.join('. ') : undefined
}
