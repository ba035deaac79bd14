import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { AssumptionEntry } from '../../../engine/contract/types.gen.js'
import { base, call, hasControl, useLoad } from '../client.js'
import { type OpenapiDocument, type Operation, readDocument } from '../operations.js'
import { isHidden, isUpload } from '../outgoing/outgoing.js'
import { sayFailed, useKeys } from '../parts/actions.js'
import { Head, Loaded } from '../parts/page.js'
import { count } from '../parts/text.js'
import { go, href, route } from '../route.js'
import { Description, Ledger, Method, Summary } from './describe.js'
import { draftFrom, draftOf, readDraft, withAddress } from './draft.js'
import { Form, type FormStart, LastRequests } from './form.js'
import { placeOf, type Schemas } from './schema.js'

const any = 'any'

/** All operations on the left, the description of one in the middle, and a request of it on the right. */
export function Explorer() {
  // Together, so that an assumption and the bounds that it decides change at once.
  const load = async () => {
    const ledger = hasControl.value ? (await call('getAssumptions')).assumptions : []
    return { ...(await readDocument()), ledger }
  }
  const loaded = useLoad(load, `${route.value.sandbox} ${hasControl.value}`)
  return (
    <Loaded from={loaded} isForm>
      {(parts) => <Parts {...parts} />}
    </Loaded>
  )
}

type PartsProps = { document: OpenapiDocument; operations: readonly Operation[]; ledger: AssumptionEntry[] }

function Parts({ document, operations, ledger }: PartsProps) {
  const { rest, query } = route.value
  const [name] = rest
  const from = query.get('from') ?? undefined
  const entries = useMemo(
    () => ({ ...document['x-assumptions'], ...Object.fromEntries(ledger.map((it) => [it.id, it])) }),
    [document, ledger]
  )
  const groups = useMemo(() => groupsOf(document, operations), [operations])
  const operation = operations.find(({ id }) => id === name)
  const schemas = document.components?.schemas ?? {}
  const description = useMemo(
    () => operation && <Description key={name} operation={operation} schemas={schemas} />,
    [operation]
  )
  return (
    <Ledger.Provider value={entries}>
      <div class={`explorer ${operation || name === any ? 'chosen' : ''}`}>
        <Sidebar groups={groups} chosen={name} schemas={schemas} />
        {operation && <Summary operation={operation} />}
        {name === any && (
          <header class="summary">
            <Head title="Any path" />
            <p class="quiet">Your own method, path, headers and body. The request is in the journal, like any other.</p>
          </header>
        )}
        {(operation || name === any) && (
          // Before the description, so that the keyboard is there at once.
          <Bench key={`${name} ${from}`} name={name as string} {...{ from, operation }} />
        )}
        {description}
        {!operation && name !== any && <Start {...{ document, operations }} missing={name} />}
      </div>
    </Ledger.Provider>
  )
}

/** The operations by tag, in the order of the document. */
function groupsOf({ tags = [] }: OpenapiDocument, operations: readonly Operation[]): Group[] {
  const names = new Set([...tags.map(({ name }) => name), ...operations.map(({ tag }) => tag)])
  return [...names].flatMap((tag) => {
    const { 'x-displayName': title = tag } = tags.find((it) => it.name === tag) ?? {}
    const tagged = operations.filter((it) => it.tag === tag)
    return tagged.length === 0 ? [] : [{ title, operations: tagged }]
  })
}

type Group = { title: string; operations: readonly Operation[] }
type StartProps = Pick<PartsProps, 'document' | 'operations'> & { missing: string | undefined }

/** What is there before an operation is chosen. `missing`: the address names one that the document does not have. */
function Start({ document: { info }, operations, missing }: StartProps) {
  return (
    <article class="description">
      <Head title="API explorer">
        <a href={`${base}/openapi.json`}>openapi.json</a>
      </Head>
      {missing !== undefined && <p class="problem">There is no operation {missing}.</p>}
      <p>
        {info.title} {info.version}: {count(operations.length, 'operation')}. Press <kbd>/</kbd> to find one. Values
        that work are filled in.
      </p>
      <LastRequests />
    </article>
  )
}

type SidebarProps = { groups: readonly Group[]; chosen: string | undefined; schemas: Schemas }

/** The operations by tag. The arrow keys move, Enter opens. */
function Sidebar({ groups, chosen, schemas }: SidebarProps) {
  const [text, setText] = useState('')
  const nav = useRef<HTMLElement>(null)
  const search = useRef<HTMLInputElement>(null)
  const as = route.value.query.get('as') ?? undefined
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = groups.map(({ title, operations }) => ({
    title,
    operations: operations.filter(({ id, method, path, summary }) => {
      const text = `${id} ${method} ${path} ${summary} ${title}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
  }))
  const direct = matches.flatMap((it) => it.operations)
  const rest = words.length === 0 ? [] : groups.flatMap((it) => it.operations).filter((it) => !direct.includes(it))
  const reasons = new Map(rest.map((it) => [it.id, placeOf(words, it.documented, schemas)]))
  const others = rest.filter(({ id }) => reasons.get(id) !== undefined)
  const shown = [...matches, { title: 'By a field or an answer', operations: others }]
  const all = [...direct, ...others]
  const [first] = all
  /** The link that Tab reaches. From there it is the arrow keys. */
  const stop = (all.find(({ id }) => id === chosen) ?? first)?.id
  useKeys({ '/': () => search.current?.select() })
  const reveal = () => {
    const list = nav.current?.querySelector('.list')
    const link = list?.querySelector<HTMLElement>('[aria-current]')
    if (!list || !link) return
    const top = link.offsetTop - list.scrollTop
    if (top < 0 || top > list.clientHeight) list.scrollTop += top - list.clientHeight / 2
  }
  useLayoutEffect(reveal, [chosen, groups.length])
  /** Below a desktop's width, the list is there only while it has the focus. */
  const leave = () => (document.activeElement as HTMLElement).blur()
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const stops = [...(nav.current?.querySelectorAll<HTMLElement>('input, a') ?? [])]
    if (step !== undefined) stops[stops.indexOf(document.activeElement as HTMLElement) + step]?.focus()
    else if (event.key === 'Enter' && event.target === search.current && first) {
      go(href('send', [first.id], { as }))
      leave()
    } else if (event.key === 'Escape') text === '' ? leave() : setText('')
    else return
    event.preventDefault()
  }
  return (
    <nav ref={nav} class="operations" aria-label="Operations" onKeyDown={press}>
      <div class="query" data-key="/">
        <input
          ref={search}
          type="search"
          aria-label="Find an operation"
          placeholder="Find an operation"
          autoComplete="off"
          spellcheck={false}
          value={text}
          onFocus={reveal}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </div>
      <div class="list">
        {shown.map(({ title, operations }) =>
          operations.length === 0 ? null : (
            <section key={title} aria-label={title}>
              <h2>{title}</h2>
              {operations.map(({ id, method, summary }) => (
                <a
                  key={id}
                  href={href('send', [id], { as })}
                  title={summary}
                  tabIndex={id === stop ? 0 : -1}
                  aria-current={id === chosen ? 'page' : undefined}
                  onClick={leave}
                >
                  <bdi>{id}</bdi> <Method name={method} />
                  {reasons.has(id) && <bdi class="reason quiet">{reasons.get(id)}</bdi>}
                </a>
              ))}
            </section>
          )
        )}
        {first === undefined && <p class="quiet">No operation has these words.</p>}
        <a href={href('send', [any], { as })} aria-current={chosen === any ? 'page' : undefined} onClick={leave}>
          Any path
        </a>
      </div>
    </nav>
  )
}

type BenchProps = { name: string; from: string | undefined; operation: Operation | undefined }

function Bench({ name, from, operation }: BenchProps) {
  const [start, begin] = useState<FormStart>()
  const loaded = useLoad(async () => (hasControl.value ? (await call('listCollections')).collections : []), name)
  useEffect(() => void startOf(operation, name, from).then(begin), [])
  return (
    <div class="bench">
      <Loaded from={start ? loaded : { error: loaded.error }} isForm>
        {(collections) => start && <Form {...{ name, from, start, operation, collections }} />}
      </Loaded>
    </div>
  )
}

/** The unfinished request, that of an exchange, or one with working values; then the values in the URL. */
async function startOf(operation: Operation | undefined, name: string, from: string | undefined): Promise<FormStart> {
  const { query } = route.peek()
  const before = readDraft(name, from)
  if (before) return { draft: withAddress(before, query) }
  try {
    if (from !== undefined) {
      const exchange = await call('getRequest', { path: { id: from } })
      const { omitted } = exchange.request
      const lost = isUpload(exchange.request)
        ? 'The journal does not keep files: choose them again.'
        : omitted !== undefined
          ? `The body was not kept: ${omitted}.`
          : isHidden(exchange)
            ? 'The journal hides secrets: replace each *** before you send it.'
            : undefined
      return { draft: withAddress(draftFrom(exchange, operation), query), lost }
    }
  } catch (error) {
    sayFailed(error as Error)
  }
  return { draft: withAddress(draftOf(operation), query) }
}
