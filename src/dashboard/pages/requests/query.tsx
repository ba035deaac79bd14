import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { api, tokensIn } from '../api.js'
import { call } from '../client.js'
import { sayFailed, useKeys } from '../parts/actions.js'
import { type Choice, useListbox } from '../parts/choices.js'
import { route, setQuery } from '../route.js'
import { several } from '../state/labels.js'

export type Query = Record<string, string>

/** The keys of the query bar, with what they mean. The control API has the same names, except for op. */
export const keys: Record<string, string> = {
  op: 'the operation',
  status: '404, or 4xx, or 0 for a broken connection',
  user: 'who sent it, or nobody',
  source: 'what gave the answer',
  assumed: 'an assumption that the answer depends on',
  changed: 'a collection whose rows changed',
  body: 'a text in a body',
  violations: 'whether something broke the contract',
  unmatched: 'whether no operation matches'
}

/** The parsed query, or its error. Quotes group words. A key without a value is left out. */
export function readQuery(text: string): { query: Query; error?: string } {
  const query: Query = {}
  const bare: string[] = []
  const words = text.replace(/\b([a-z]+):(?=\s|$)/gi, '').matchAll(/(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/gi)
  for (const [, name, quoted, plain] of words) {
    const value = quoted ?? plain ?? ''
    const key = name?.toLowerCase()
    if (key === undefined) {
      bare.push(value)
      continue
    }
    const parameter = key === 'op' ? 'operation' : key
    if (!Object.hasOwn(keys, key))
      return { query, error: `There is no key "${key}:". Keys: ${Object.keys(keys).join(', ')}.` }
    if (parameter in query) return { query, error: `"${key}:" is there twice. Leave one out.` }
    query[parameter] = value
  }
  if (bare.length > 0) query.q = bare.join(' ')
  return { query }
}

export function queryText(words: Record<string, string | number>): string {
  return Object.entries(words)
    .map(([key, value]) => `${key}:${/\s/.test(String(value)) ? `"${value}"` : value}`)
    .join(' ')
}

type Vocabulary = Record<string, { value: string; hint?: string }[]>

const most = 50
/** Users of every fixture set come first. */
const common = [...api.users].reverse()
/** As X-Mock-Source has them. */
const sources = ['rule', 'collection', 'example', 'invented', 'override', 'page', 'fallback', 'refusal', 'control']
const flags = [{ value: 'true' }, { value: 'false' }]

async function loadVocabulary(): Promise<Vocabulary> {
  const [{ operations }, { assumptions }, { collections }, { rows }] = await Promise.all([
    call('listOperations'),
    call('getAssumptions'),
    call('listCollections'),
    call('listRows', { path: { collection: api.collection }, query: { limit: 100 } })
  ])
  const roles = rows as unknown as { role?: string }[]
  const users = tokensIn(rows)
    .map((key, at) => ({ key, role: roles[at]?.role ?? '' }))
    .sort((a, b) => common.indexOf(b.key) - common.indexOf(a.key))
  return {
    op: operations.map(({ id, method, path }) => ({ value: id, hint: `${method} ${path}` })),
    status: ['2xx', '3xx', '4xx', '5xx', '0'].map((value) => ({ value })),
    user: [...users.map(({ key, role }) => ({ value: key, hint: role })), { value: 'nobody', hint: 'no known token' }],
    source: sources.map((value) => ({ value })),
    assumed: assumptions.map(({ id, question }) => ({ value: id, hint: question })),
    changed: collections.map(({ name, description }) => ({ value: name, hint: `${several(name)}: ${description}` })),
    violations: flags,
    unmatched: flags
  }
}

function wordAt(text: string, caret: number): string {
  return text.slice(0, caret).split(/\s/).at(-1) ?? ''
}

function suggest(word: string, vocabulary: Vocabulary): Choice[] {
  const [key, value] = word.includes(':') ? word.split(/:(.*)/s) : [undefined, word]
  const valuesOf = (key: string) => {
    const fitting = (vocabulary[key] ?? []).filter((it) => it.value.toLowerCase().includes((value ?? '').toLowerCase()))
    return fitting.slice(0, most).map((it) => choice(`${key}:${it.value}`, it.hint))
  }
  const choice = (id: string, hint?: string) => ({ id, label: id, hint })
  if (key !== undefined) return valuesOf(key)
  const fitting = Object.entries(keys).filter(([name]) => name.startsWith(word.toLowerCase()))
  return [...fitting.map(([name, hint]) => choice(`${name}:`, hint)), ...(word.length < 3 ? [] : valuesOf('op'))]
}

export function QueryBar({ error }: { error: string | undefined }) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [vocabulary, setVocabulary] = useState<Vocabulary>()
  const [isOpen, open] = useState(false)
  const [caret, setCaret] = useState(0)
  /** Where the caret belongs once the text is there. */
  const wanted = useRef<number | undefined>(undefined)
  const text = route.value.query.get('q') ?? ''
  const choices = isOpen ? suggest(wordAt(text, caret), vocabulary ?? {}) : []
  useKeys({ '/': () => input.current?.focus() })

  const follow = () => {
    setCaret(input.current?.selectionStart ?? 0)
    listbox.reset()
  }
  const take = ({ id: word }: Choice) => {
    const start = caret - wordAt(text, caret).length
    const isWhole = !word.endsWith(':')
    const before = text.slice(0, start) + word + (isWhole ? ' ' : '')
    wanted.current = before.length
    setQuery({ q: before + text.slice(caret).trimStart() })
  }
  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    input.current?.setSelectionRange(wanted.current, wanted.current)
    wanted.current = undefined
    follow()
  }, [text])
  const listbox = useListbox({ label: 'Suggestions', choices, onChoose: take })
  const press = (event: KeyboardEvent) => {
    const { key } = event
    if (key === 'Escape' && choices.length > 0) open(false)
    else if (!listbox.press(event)) {
      if (key !== 'Enter' && key !== 'Escape') return
      input.current?.blur()
    }
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <search class="query" data-key="/">
      <input
        ref={input}
        type="search"
        aria-label="Filter requests"
        placeholder="Filter: words, op:getFile, status:4xx, user:basic, …"
        value={text}
        aria-invalid={error === undefined ? undefined : 'true'}
        aria-describedby={id}
        {...listbox.input}
        onInput={(event) => {
          setQuery({ q: event.currentTarget.value })
          open(true)
          follow()
        }}
        onKeyDown={press}
        onClick={follow}
        onKeyUp={({ key }) => ['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(key) && follow()}
        onFocus={() => {
          open(true)
          follow()
          if (!vocabulary) void loadVocabulary().then(setVocabulary, sayFailed)
        }}
        onBlur={() => open(false)}
      />
      {listbox.list}
      <p id={id} class="error" role="status">
        {error}
      </p>
    </search>
  )
}
