import { setQuery } from '../route.js'
import { choicesOf, type Field } from './form/fields.js'
import { worded } from './labels.js'

/** A filter for each column: a text that is in the field, or one of its values. It is in the address. */
export function Filters({ columns, where }: { columns: readonly Field[]; where: string }) {
  const texts = textsIn(where)
  const change = (field: string, text: string) => {
    const next = Object.fromEntries(Object.entries({ ...texts, [field]: text }).filter(([, it]) => it !== ''))
    setQuery({ where: Object.keys(next).length > 0 ? JSON.stringify(next) : undefined, page: undefined })
  }
  return (
    <fieldset class="filters columns">
      <legend class="hidden">Filters by column</legend>
      {columns.map((field) => {
        const { name } = field
        const choices = choicesOf(field)
        const text = texts[name] ?? ''
        return (
          <label key={name} htmlFor={`filter-${name}`}>
            <span title={name}>{worded(name)}</span>
            {choices ? (
              <select id={`filter-${name}`} value={text} onChange={(event) => change(name, event.currentTarget.value)}>
                <option value="">any</option>
                {choices.map((value) => (
                  <option key={value} value={`=${value}`}>
                    {value}
                  </option>
                ))}
                {field.types.includes('null') && <option value="=null">null</option>}
              </select>
            ) : (
              <input
                id={`filter-${name}`}
                type="search"
                value={text}
                onInput={(event) => change(name, event.currentTarget.value)}
              />
            )}
          </label>
        )
      })}
      {where !== '' && (
        <button type="button" onClick={() => setQuery({ where: undefined, page: undefined })}>
          Clear the filters
        </button>
      )}
    </fieldset>
  )
}

/** A broken filter in the address counts as none here; the control API says what is wrong with it. */
function textsIn(where: string): Record<string, string> {
  try {
    return JSON.parse(where)
  } catch {
    return {}
  }
}
