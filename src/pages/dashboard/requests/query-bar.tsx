import { useId, useRef, useState } from 'preact/hooks'
import { type Choice, Choices, comboboxOf, moved } from '../parts/choices.js'
import { useKeys } from '../parts/keys.js'
import { sayFailed } from '../parts/toasts.js'
import { route, setQuery } from '../route.js'
import { loadVocabulary, suggest, type Vocabulary, wordAt } from './suggestions.js'

/** Filters the journal. The text is in the address, so that it can be shared. */
export function QueryBar({ error }: { error: string | undefined }) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [vocabulary, setVocabulary] = useState<Vocabulary>()
  const [isOpen, open] = useState(false)
  const [active, setActive] = useState(-1)
  const [caret, setCaret] = useState(0)
  const text = route.value.query.get('q') ?? ''
  const choices = isOpen ? suggest(wordAt(text, caret), vocabulary) : []
  useKeys({ '/': () => input.current?.focus() })

  const follow = () => {
    setCaret(input.current?.selectionStart ?? 0)
    setActive(-1)
  }
  const change = (next: string) => {
    setQuery({ q: next })
    open(true)
    follow()
  }
  const take = ({ id: word }: Choice) => {
    const start = caret - wordAt(text, caret).length
    const isWhole = !word.endsWith(':')
    const before = text.slice(0, start) + word + (isWhole ? ' ' : '')
    const next = before + text.slice(caret).trimStart()
    setQuery({ q: next })
    requestAnimationFrame(() => {
      input.current?.setSelectionRange(before.length, before.length)
      follow()
    })
  }
  const press = (event: KeyboardEvent) => {
    const next = moved(event.key, active, choices.length, true)
    const choice = choices[active]
    if (next !== undefined) setActive(next)
    else if (event.key === 'Enter' && choice) take(choice)
    else if (event.key === 'Escape' && choices.length > 0) open(false)
    else if (event.key === 'Enter' || event.key === 'Escape') input.current?.blur()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <search class="query" data-key="/">
      <input
        ref={input}
        id={id}
        type="search"
        aria-label="Filter requests"
        placeholder="Filter: words, op:getFile, status:4xx, user:basic, …"
        value={text}
        aria-invalid={error === undefined ? undefined : 'true'}
        aria-describedby={`${id}-error`}
        {...comboboxOf(`${id}-list`, choices, active)}
        onInput={(event) => change(event.currentTarget.value)}
        onKeyDown={press}
        onClick={follow}
        onKeyUp={(event) => ['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(event.key) && follow()}
        onFocus={() => {
          open(true)
          follow()
          if (!vocabulary) void loadVocabulary().then(setVocabulary, sayFailed)
        }}
        onBlur={() => open(false)}
      />
      <Choices id={`${id}-list`} label="Suggestions" choices={choices} active={active} onChoose={take} />
      <p id={`${id}-error`} class="error" role="status">
        {error}
      </p>
    </search>
  )
}
