import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { api, tokensIn } from '../api.js'
import { call } from '../client.js'
import { Button, sayFailed, useKeys } from '../parts/actions.js'
import { type Choice, useListbox } from '../parts/choices.js'
import { route, setQuery } from '../route.js'
import { several } from '../state/labels.js'

export type Query = Record<string, string>

/** The keys of the query bar, with what they mean. */
const keys: Record<string, string> = {
  status: '404,503, 4xx, 400..499, >=400, or 0 for a broken connection',
  method: 'POST, or POST,PUT',
  op: 'the operation',
  user: 'who sent it, or nobody',
  client: 'what sent it, such as Chrome or curl, or none',
  source: 'what gave the answer',
  test: 'a text in X-Test-Case, such as "signs in"',
  took: 'milliseconds, such as >100',
  touched: `a row that was read or changed, such as ${api.row}, or a collection`,
  changed: 'a row or a collection that was changed',
  id: 'the exchange, such as r50',
  assumed: 'an assumption that the answer depends on',
  body: 'a text in a body',
  violations: 'whether something broke the contract',
  unmatched: 'whether no operation matches'
}

export const failures = 'status:>=400,0'

/** The terms of a query. Quotes keep spaces together. */
export function termsIn(text: string): string[] {
  return text.match(/(?:"[^"]*"?|[^\s"])+/g) ?? []
}

/** The query for the control API, which checks it. A term without a value is left out: it is not finished. */
export function readQuery(text: string): Query {
  const terms = termsIn(text).flatMap((term) => {
    if (/^-?(GET|HEAD|POST|PUT|PATCH|DELETE)$/.test(term)) return term.replace(/^-?/, '$&method:')
    const word = term.replace(/,$/, '').replace(/^-?[a-z]+:(?!\/\/)/i, (key) => key.toLowerCase())
    return /^-?[a-z]+:(?:[<>]=?)?$/.test(word) ? [] : [word]
  })
  return terms.length > 0 ? { query: terms.join(' ') } : {}
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
  const [{ operations }, { assumptions }, { collections }, { rows }, { requests }] = await Promise.all([
    call('listOperations'),
    call('getAssumptions'),
    call('listCollections'),
    call('listRows', { path: { collection: api.collection }, query: { limit: 100 } }),
    call('listRequests', { query: { limit: 1000 } })
  ])
  const names = collections.map(({ name, description: about }) => ({ value: name, hint: `${several(name)}: ${about}` }))
  const valuesOf = (nameOf: (entry: (typeof requests)[number]) => string | undefined) =>
    [...new Set(requests.flatMap((it) => nameOf(it) ?? []))].map((value) => ({ value }))
  const roles = rows as unknown as { role?: string }[]
  const users = tokensIn(rows)
    .map((key, at) => ({ key, role: roles[at]?.role ?? '' }))
    .sort((a, b) => common.indexOf(b.key) - common.indexOf(a.key))
  return {
    op: operations.map(({ id, method, path }) => ({ value: id, hint: `${method} ${path}` })),
    status: ['2xx', '3xx', '4xx', '5xx', '>=400', '0'].map((value) => ({ value })),
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((value) => ({ value })),
    took: ['>10', '>100', '>1000'].map((value) => ({ value })),
    user: [...users.map(({ key, role }) => ({ value: key, hint: role })), { value: 'nobody', hint: 'no known token' }],
    source: sources.map((value) => ({ value })),
    test: valuesOf((it) => it.test_case),
    client: [...valuesOf((it) => it.client), { value: 'none', hint: 'no User-Agent' }],
    assumed: assumptions.map(({ id, question }) => ({ value: id, hint: question })),
    touched: names,
    changed: names,
    missed: names,
    violations: flags,
    unmatched: flags
  }
}

function wordAt(text: string, caret: number): string {
  return text.slice(0, caret).split(/\s/).at(-1) ?? ''
}

function suggest(word: string, vocabulary: Vocabulary): Choice[] {
  const minus = word.startsWith('-') ? '-' : ''
  const [key, value = ''] = word.includes(':') ? word.slice(minus.length).split(/:(.*)/s) : []
  const choice = (id: string, hint?: string) => ({ id: minus + id, label: minus + id, hint })
  const valuesOf = (key: string, text: string) => {
    const comma = text.lastIndexOf(',') + 1
    const start = text.slice(comma).toLowerCase()
    const fitting = (vocabulary[key] ?? []).filter((it) => it.value.toLowerCase().includes(start))
    return fitting.slice(0, most).map((it) => choice(queryText({ [key]: text.slice(0, comma) + it.value }), it.hint))
  }
  if (key !== undefined) return valuesOf(key, value)
  const name = word.slice(minus.length).toLowerCase()
  const fitting = Object.entries(keys).filter(([key]) => key.startsWith(name))
  return [...fitting.map(([key, hint]) => choice(`${key}:`, hint)), ...(name.length < 3 ? [] : valuesOf('op', name))]
}

/** Whether an error is about this term: it names the term, its key or a value of it. */
function isAtFault(term: string, error = ''): boolean {
  const text = term.replace(/^-/, '').replaceAll('"', '')
  return [text, ...text.split(/[:,]/)].some((it) => it !== '' && error.includes(`"${it}"`))
}

/** A query without the terms that an error is about. Undefined: it is about none of them. */
export function withoutFaults({ query = '' }: Query, error: string): Query | undefined {
  const terms = termsIn(query)
  const good = terms.filter((term) => !isAtFault(term, error))
  return good.length === terms.length || good.length === 0 ? undefined : { query: good.join(' ') }
}

/** A query as terms that are edited and removed one by one. While a term is being typed, it cannot be wrong. */
export function QueryBar({ error }: { error: string | undefined }) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [vocabulary, setVocabulary] = useState<Vocabulary>()
  const [isOpen, open] = useState(false)
  const [caret, setCaret] = useState(0)
  /** The text in the input. It ends the query, unless that was changed elsewhere. */
  const [typed, setTyped] = useState('')
  /** The query before a term of it was edited. */
  const unedited = useRef<string | undefined>(undefined)
  /** What is selected once the text is there. */
  const nextSelection = useRef<[start: number, end: number] | undefined>(undefined)
  const text = route.value.query.get('q') ?? ''
  const draft = text.endsWith(typed) ? typed : ''
  const terms = termsIn(text.slice(0, text.length - draft.length))
  const choices = isOpen ? suggest(wordAt(draft, caret), vocabulary ?? {}) : []
  const isFailures = terms.includes(failures)
  const isWrong = error !== undefined && draft === '' && !terms.some((it) => isAtFault(it, error))

  const write = (terms: readonly string[], draft: string, selection?: [start: number, end: number]) => {
    nextSelection.current = selection
    setTyped(draft)
    setQuery({ q: [...terms, draft].filter(Boolean).join(' ') })
  }
  /** A space ends a term, unless it is in quotes. */
  const type = (draft: string, selection?: [number, number]) => {
    const isEnded = /\s$/.test(draft) && draft.split('"').length % 2 === 1
    open(!isEnded)
    if (isEnded) write([...terms, ...termsIn(draft)], '')
    else write(terms, draft, selection)
  }
  const without = (at: number) => terms.filter((_, index) => index !== at)
  const edit = (at: number) => {
    input.current?.focus()
    open(true)
    unedited.current ??= text
    write(without(at), terms[at] ?? '', [0, terms[at]?.length ?? 0])
  }
  const remove = (at: number) => {
    input.current?.focus()
    write(without(at), draft)
  }
  const showFailures = () => write(isFailures ? without(terms.indexOf(failures)) : [...terms, failures], draft)
  useKeys({ '/': () => input.current?.focus(), f: showFailures })

  const follow = () => {
    setCaret(input.current?.selectionStart ?? 0)
    listbox.reset()
  }
  const take = ({ id: word }: Choice) => {
    const start = caret - wordAt(draft, caret).length
    const before = draft.slice(0, start) + word + (word.endsWith(':') ? '' : ' ')
    type(before + draft.slice(caret).trimStart(), [before.length, before.length])
  }
  useLayoutEffect(() => {
    if (nextSelection.current === undefined || document.activeElement !== input.current) return
    input.current?.setSelectionRange(...nextSelection.current)
    nextSelection.current = undefined
    follow()
  }, [draft, terms.length])
  const listbox = useListbox({ label: 'Suggestions', choices, onChoose: take })
  const press = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey } = event
    if ((ctrlKey || metaKey) && key === 'a' && terms.length > 0) write([], text, [0, text.length])
    else if (key === 'Backspace' && draft === '' && terms.length > 0) edit(terms.length - 1)
    else if (key === 'ArrowDown' && !isOpen) open(true)
    else if (key === 'Escape' && choices.length > 0) open(false)
    else if (!listbox.press(event)) {
      if (key !== 'Enter' && key !== 'Escape') return
      if (key === 'Escape' && unedited.current !== undefined) setQuery({ q: unedited.current })
      input.current?.blur()
    }
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <search class="query">
      <div class="terms" data-key="/">
        {terms.map((term, at) => (
          <span key={`${at} ${term}`} class={isAtFault(term, error) ? 'chip bad' : 'chip'}>
            <Button
              class="code"
              text={term}
              aria-label={`Edit ${term}`}
              aria-invalid={isAtFault(term, error) || undefined}
              title={isAtFault(term, error) ? error : undefined}
              run={() => edit(at)}
            />
            <Button text="×" aria-label={`Remove ${term}`} run={() => remove(at)} />
          </span>
        ))}
        <input
          ref={input}
          type="search"
          aria-label="Filter requests"
          placeholder={terms.length > 0 ? '' : `Filter: words, status:>=400, -user:basic, touched:${api.row}, …`}
          value={draft}
          aria-invalid={isWrong ? 'true' : undefined}
          aria-describedby={id}
          {...listbox.input}
          onInput={(event) => {
            type(event.currentTarget.value)
            follow()
          }}
          onKeyDown={press}
          onClick={follow}
          onKeyUp={({ key }) => ['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(key) && follow()}
          onFocus={() => {
            // After a finished term, the list would cover the results.
            open(text === '')
            follow()
            if (!vocabulary) void loadVocabulary().then(setVocabulary, sayFailed)
          }}
          onBlur={() => {
            open(false)
            setTyped('')
            unedited.current = undefined
          }}
        />
      </div>
      <Button aria-pressed={isFailures} run={showFailures}>
        Failures <kbd>F</kbd>
      </Button>
      {listbox.list}
      <p id={id} class="error" role="status">
        {draft === '' && error}
      </p>
    </search>
  )
}
