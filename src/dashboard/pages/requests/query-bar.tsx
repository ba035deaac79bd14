import { useId, useRef, useState } from 'preact/hooks'
import { call } from '../client.js'
import { type Choice, Choices, comboboxOf, moved } from '../parts/choices.js'
import { useKeys } from '../parts/keys.js'
import { sayFailed } from '../parts/toasts.js'
import { route, setQuery } from '../route.js'
import { several } from '../state/labels.js'
import { keys } from './query.js'

/** The values that each key can have here. */
type Vocabulary = Record<string, { value: string; hint?: string }[]>

const most = 50
/** Users of every fixture set come first. */
const common = ['basic', 'curator', 'admin']
const flags = [{ value: 'true' }, { value: 'false' }]

async function loadVocabulary(): Promise<Vocabulary> {
  const [{ operations }, { assumptions }, { collections }, { rows }] = await Promise.all([
    call('listOperations'),
    call('getAssumptions'),
    call('listCollections'),
    call('listRows', { path: { collection: 'users' }, query: { limit: 100 } })
  ])
  const users = (rows as unknown as { key: string; role: string }[]).sort(
    (a, b) => common.indexOf(b.key) - common.indexOf(a.key)
  )
  return {
    op: operations.map(({ id, method, path }) => ({ value: id, hint: `${method} ${path}` })),
    status: ['2xx', '3xx', '4xx', '5xx', '0'].map((value) => ({ value })),
    user: [...users.map(({ key, role }) => ({ value: key, hint: role })), { value: 'nobody', hint: 'no known token' }],
    assumed: assumptions.map(({ id, question }) => ({ value: id, hint: question })),
    changed: collections.map(({ name, description }) => ({ value: name, hint: `${several(name)}: ${description}` })),
    violations: flags,
    unmatched: flags
  }
}

/** The word that ends at the caret. */
function wordAt(text: string, caret: number): string {
  return text.slice(0, caret).split(/\s/).at(-1) ?? ''
}

/** The suggestions for the word at the caret. */
function suggest(word: string, vocabulary: Vocabulary | undefined): Choice[] {
  const [key, value] = word.includes(':') ? word.split(/:(.*)/s) : [undefined, word]
  const has = (text: string) => text.toLowerCase().includes((value ?? '').toLowerCase())
  if (key !== undefined) {
    return (vocabulary?.[key] ?? [])
      .filter((it) => has(it.value))
      .slice(0, most)
      .map((it) => ({ id: `${key}:${it.value}`, label: `${key}:${it.value}`, hint: it.hint }))
  }
  const fitting = Object.entries(keys).filter(([name]) => name.startsWith(word.toLowerCase()))
  const choices: Choice[] = fitting.map(([name, { hint }]) => ({ id: `${name}:`, label: `${name}:`, hint }))
  if (word.length < 3) return choices
  const operations = (vocabulary?.op ?? []).filter((it) => has(it.value))
  return [
    ...choices,
    ...operations.slice(0, most).map((it) => ({ id: `op:${it.value}`, label: `op:${it.value}`, hint: it.hint }))
  ]
}

/** Filters the journal. The text is in the URL, so that it can be shared. */
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
