import { useState } from 'preact/hooks'
import type { JournalDetail, NewOverride, OverrideCheck, OverrideEntry } from '../../engine/contract/types.gen.js'
import { call, Refused, useCall, useLoad } from './client.js'
import { jsonIn } from './json/values.js'
import { methods, nameOf, outcomes, targetOf } from './next-time.js'
import { type Operation, paramsIn, readOperations } from './operations.js'
import { Button, Link, useKeys } from './parts/actions.js'
import { useLater } from './parts/choices.js'
import { FillIn, GeneralErrors, SelectField, TextField, useForm } from './parts/fields.js'
import { Head, Loaded, Table } from './parts/page.js'
import { Bullets, count, Note, Short, Status, milliseconds as shortTime } from './parts/text.js'
import { Timeline } from './ribbon/ribbon.js'
import { atMoment, go, href, route } from './route.js'
import { headerLines, headersIn } from './send/draft.js'
import { undoable } from './undo.js'

export function Overrides() {
  const { rest, query } = route.value
  const from = query.get('from') ?? undefined
  const [id] = rest
  return id === undefined ? <InForce /> : <OverrideForm key={`${id} ${from}`} {...{ id, from }} />
}

function InForce() {
  const query = atMoment()
  const isPast = query.at !== undefined
  const loaded = useCall('listOverrides', { query }, { live: true })
  const removeAll = () => undoable('deleteOverrides', {}, ({ removed }) => `${count(removed, 'override')} removed.`)
  return (
    <>
      <Head title="Overrides">
        {!isPast && (
          <div class="buttons">
            <Link text="Add an override" class="primary" href={href('overrides', ['new'])} />
            <Button text="Remove all" run={removeAll} disabled={!loaded.value?.overrides.length} />
          </div>
        )}
      </Head>
      <Timeline />
      <p class="quiet">
        An override answers chosen requests of an operation or a path, delays them or breaks their connection. The
        newest one is tried first.
      </p>
      <Loaded from={loaded}>{({ overrides }) => <List overrides={overrides} isPast={isPast} />}</Loaded>
    </>
  )
}

/** An override in the list. `by` is the exchange that used it up. */
type Listed = OverrideEntry & { by?: string }

/** The latest overrides that are used up. The moments before their last answers have them. */
async function usedUp(current: OverrideEntry[]): Promise<Listed[]> {
  const { requests } = await call('listRequests', { query: { query: 'override:any -override:Prefer', limit: 200 } })
  const { moments, earliest } = await call('getHistory')
  const numberOf = (id: string | null | undefined) => Number(id?.slice(1) ?? 0)
  const ids = new Set(requests.map(({ override }) => override).filter((id) => current.every((it) => it.id !== id)))
  const listed = [...ids].slice(0, 10).map(async (id) => {
    const by = requests.find(({ override }) => override === id)?.id
    const before = numberOf(by) - 1
    const moment = moments.findLast((it) => numberOf(it.after_request) <= before)
    const at = numberOf(moment?.after_request) === before ? (moment?.id ?? earliest) : `r${before}`
    const { overrides } = await call('listOverrides', { query: { at } }).catch(() => ({ overrides: [] }))
    return overrides.flatMap((it) => (it.id === id && it.remaining === 1 ? [{ ...it, by }] : [])) as Listed[]
  })
  return (await Promise.all(listed)).flat()
}

function List({ overrides, isPast }: { overrides: OverrideEntry[]; isPast: boolean }) {
  const load = async () => (isPast ? [] : usedUp(overrides))
  const past = useLoad(load, `used up ${isPast} ${overrides.map(({ id }) => id).join(' ')}`).value ?? []
  const items: Listed[] = [...overrides, ...past]
  if (items.length === 0) return <p class="empty">There is none: every answer comes from the state.</p>
  const again = ({ id: _, used, remaining, off, start, weather, by, ...body }: Listed) => add(body as NewOverride)
  const turn = ({ id, off = false }: OverrideEntry) =>
    undoable('switchOverride', { path: { id }, body: { off: !off } }, `Override ${id} is ${off ? 'on' : 'off'}.`)
  const remove = ({ id }: OverrideEntry) => undoable('deleteOverride', { path: { id } }, `Override ${id} was removed.`)
  const actions = (it: Listed) => {
    if (it.by !== undefined) return <Button text="Again" about={it.id} run={() => again(it)} />
    return (
      <>
        {!it.weather && <Link text="Edit" about={it.id} href={href('overrides', [it.id])} />}
        <Button text={it.off ? 'Switch on' : 'Switch off'} about={it.id} run={() => turn(it)} />
        <Button text="Remove" about={it.id} run={() => remove(it)} />
      </>
    )
  }
  return (
    <Table
      label="Overrides"
      caption="Overrides, the newest first"
      items={items}
      keyOf={({ id }) => id}
      rowClass={({ off, by }) => (off || by ? 'unused' : undefined)}
      columns={{
        Id: ({ id }) => id,
        Operation: (it) => nameOf(it),
        Requests: ({ match, rate }) => (
          <>
            {rate !== undefined && `${rate * 100} % of `}
            {match && wordsOf(match) ? <Short text={wordsOf(match)} /> : <span class="quiet">all</span>}
          </>
        ),
        Answer: (it) => <Answer override={it} />,
        Used: ({ used, remaining, by }) =>
          by === undefined ? (
            `${used}${remaining === undefined ? '' : ` (${remaining} left)`}`
          ) : (
            <>
              {used + 1}, used up by <a href={href('requests', [by])}>{by}</a>
            </>
          ),
        ...(!isPast && { Actions: actions })
      }}
    />
  )
}

export function Answer({ override }: { override: OverrideEntry }) {
  const { status, body, headers, example, delay, fault, off, chunks, cutAfter, sequence, weather } = override
  return (
    <span class="answer">
      {off && <span class="tag plain">off</span>}
      {weather && <span class="tag plain">weather {weather}</span>}
      {status !== undefined && <Status status={status} />}
      {sequence?.map((turn, at) =>
        Object.keys(turn).length === 0 ? 'usual' : <Answer key={at} override={turn as OverrideEntry} />
      )}
      {body !== undefined && <Short text={JSON.stringify(body)} most={60} />}
      {headers && <span class="tag plain">{Object.keys(headers).join(', ')}</span>}
      {chunks && <span class="tag plain">{count(chunks.length, 'chunk')}</span>}
      {cutAfter !== undefined && <span class="tag warn">cut after {cutAfter}</span>}
      {example !== undefined && `example ${example}`}
      {fault !== undefined && <span class="tag warn">{faults[fault]}</span>}
      {delay && <span class="tag plain">{delayText(delay)}</span>}
    </span>
  )
}

function delayText({ milliseconds, lower, upper, median, maxValue }: NonNullable<OverrideEntry['delay']>): string {
  if (milliseconds !== undefined) return `delayed by ${shortTime(milliseconds)}`
  if (median === undefined) return `delayed by ${lower} to ${upper} ms`
  return `delayed by about ${median} ms${maxValue === undefined ? '' : `, at most ${maxValue}`}`
}

function wordsOf(match: NonNullable<OverrideEntry['match']>): string {
  const parts = Object.entries(match).flatMap(([name, value]) =>
    typeof value === 'object' && !Array.isArray(value) ? Object.entries(value ?? {}) : [[name, value] as const]
  )
  return parts.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ')
}

const faults = {
  CONNECTION_RESET_BY_PEER: 'The connection is reset',
  EMPTY_RESPONSE: 'The connection ends without an answer',
  MALFORMED_RESPONSE_CHUNK: 'The answer breaks off in the middle',
  RANDOM_DATA_THEN_CLOSE: 'The answer is noise'
} as const

export function faultText(name: string): string {
  const text = faults[name as keyof typeof faults]
  return text === undefined ? `The connection broke: ${name}` : `${text} (${name})`
}

/** Each kind of delay, and its numbers with their labels. */
const delays: Record<string, [label: string, numbers: Record<string, string>]> = {
  fixed: ['always the same', { milliseconds: 'Milliseconds' }],
  uniform: ['between two values', { lower: 'At least (ms)', upper: 'At most (ms)' }],
  lognormal: ['mostly short, rarely long', { median: 'Median (ms)', sigma: 'Spread (sigma)', maxValue: 'At most (ms)' }]
}
const numbersOf = (delay = '') => Object.entries(delays[delay]?.[1] ?? {})

/** An override as the form's texts, by field. Empty texts are left out. */
type Draft = Record<string, string>

function answerTexts(answer: Partial<NewOverride>): Draft {
  const { body, headers = {}, delay, chunks, sequence } = answer
  const isText = typeof body === 'string'
  return {
    ...textsIn(answer, ['status', 'fault', 'first', 'every', 'cutAfter']),
    ...{ form: isText ? 'text' : '', body: isText ? body : json(body) },
    ...{ headers: headerLines(headers), chunks: json(chunks), sequence: json(sequence), delay: delay?.type ?? '' },
    ...Object.fromEntries(Object.entries(delay ?? {}).map(([name, amount]) => [`delay.${name}`, String(amount)]))
  }
}

function draftOf(override: Partial<NewOverride>): Draft {
  const { path = {}, query, body } = override.match ?? {}
  return {
    ...textsIn(override, ['operation', 'method', 'path', 'times', 'rate']),
    ...Object.fromEntries(Object.entries(path).map(([name, value]) => [`match.path.${name}`, String(value)])),
    ...{ 'match.query': String(new URLSearchParams(query as Record<string, string>)), 'match.body': json(body) },
    ...answerTexts(override)
  }
}

const json = (value: unknown) => (value === undefined ? '' : JSON.stringify(value, undefined, 2))

function textsIn(override: Partial<NewOverride>, names: readonly (keyof NewOverride)[]): Draft {
  return Object.fromEntries(names.map((name) => [name, String(override[name] ?? '')]))
}

function overrideFrom(exchange: JournalDetail, operations: Operation[]): Partial<NewOverride> {
  const { operation, url, status, response } = exchange
  const path = paramsIn(operations.find(({ id }) => id === operation)?.path ?? '', url)
  const query = Object.fromEntries(new URLSearchParams(url.split('?').slice(1).join('?')))
  return { ...targetOf(exchange), match: { path, query }, body: response.body, ...(status !== 0 && { status }) }
}

/** The texts that have not the form of their field: JSON, with the browser's message, or headers. */
function malformed(draft: Draft): { field: string; detail: string }[] {
  const fields = ['match.body', 'chunks', 'sequence', ...(draft.form === 'text' ? [] : ['body'])]
  const line = draft.headers?.split('\n').find((it) => it.trim() !== '' && Object.keys(headersIn(it)).length === 0)
  const headers = line === undefined ? [] : [{ field: 'headers', detail: `Not a header: ${line}` }]
  const json = fields.flatMap((field) => {
    try {
      if (draft[field]) JSON.parse(draft[field])
      return []
    } catch (error) {
      return [{ field, detail: `This is not JSON: ${(error as Error).message}. A text needs quotes.` }]
    }
  })
  return [...json, ...headers]
}

/** The errors of a form: those that only the page can see, and those of the contract in the other fields. */
async function checked(draft: Draft): Promise<{ errors: ReturnType<typeof malformed>; violations: string[] }> {
  const errors = malformed(draft)
  const others = Object.fromEntries(Object.entries(draft).filter(([name]) => errors.every((it) => it.field !== name)))
  try {
    return { errors, ...(await call('checkOverride', { body: overrideOf(others) })) }
  } catch (error) {
    if (!(error instanceof Refused) || !error.problem.errors) throw error
    return { errors: [...errors, ...error.problem.errors], violations: [] }
  }
}

/** The input for the control API. Invalid numbers are sent as texts, so that the contract rejects them. */
function overrideOf(draft: Draft): NewOverride {
  const { operation, delay, form } = draft
  const part = (field: string, read: (text: string) => unknown = jsonIn) =>
    draft[field] ? { [field.split('.').at(-1) as string]: read(draft[field]) } : {}
  const path = Object.entries(draft).filter(([field, text]) => field.startsWith('match.path.') && text !== '')
  const match = {
    ...(path.length > 0 && { path: Object.fromEntries(path.map(([field, text]) => [field.slice(11), text])) }),
    ...part('match.query', (text) => Object.fromEntries(new URLSearchParams(text))),
    ...part('match.body')
  }
  const amounts = numbersOf(delay).map(([name]) => part(`delay.${name}`))
  return {
    ...(operation ? { operation } : { ...part('method', String), ...part('path', String) }),
    ...(Object.keys(match).length > 0 && { match }),
    ...part('body', form === 'text' ? String : jsonIn),
    ...part('headers', headersIn),
    ...(delay && { delay: Object.assign({ type: delay }, ...amounts) }),
    ...part('fault', String),
    ...Object.assign({}, ...['status', ...more, 'times', 'rate'].map((field) => part(field)))
  }
}

/** The fields of an answer that is sent value by value. */
const streamed = ['chunks', 'first', 'every', 'cutAfter']
const more = [...streamed, 'sequence']

const fields: Record<string, [label: string, hint?: string]> = {
  operation: ['Operation'],
  method: ['Method'],
  path: ['Path', 'Such as /api/things/{id}: {id} is any segment.'],
  'match.path': ['Path'],
  'match.query': ['Query contains', 'Such as page_size=10. The request may have other parameters too.'],
  'match.body': ['Body contains (JSON)'],
  times: ['Times', 'The number of requests it answers. Empty: until it is removed.'],
  rate: ['Rate', 'The share of requests it answers: 0.2 is one in five. Empty: all.'],
  status: ['Status', 'Empty: the usual answer, delayed or broken as chosen below.'],
  form: ['Format of the body'],
  body: ['Body'],
  headers: ['Headers', 'One per line, such as Retry-After: 1.'],
  delay: ['Delay'],
  fault: ['Fault', 'The connection breaks instead of an answer.'],
  chunks: ['Chunks (JSON list)', 'The values of a stream, sent one by one in the place of the body.'],
  first: ['Before the first (ms)'],
  every: ['Between two (ms)'],
  cutAfter: ['Cut after', 'The number of values after which the connection breaks.'],
  sequence: [
    'Sequence (JSON list)',
    'An answer for each request in turn, in the place of those above, such as [{"status": 503}, {}]. The last one repeats.'
  ]
}

const numbers = Object.values(delays).flatMap(([, all]) => Object.keys(all))
const names = [...Object.keys(fields), ...numbers.map((name) => `delay.${name}`)]

/** The form of a new override (`new`), or of one in force. */
function OverrideForm({ id, from }: { id: string; from: string | undefined }) {
  const edited = id === 'new' ? undefined : id
  const loaded = useLoad(async () => {
    const operations = await readOperations()
    if (edited !== undefined)
      return { operations, start: draftOf((await call('getOverride', { path: { id } })) as NewOverride), edited }
    if (from === undefined) return { operations, start: {} }
    return { operations, start: draftOf(overrideFrom(await call('getRequest', { path: { id: from } }), operations)) }
  }, `${id} ${from}`)
  return (
    <>
      <Head title={edited === undefined ? 'Add an override' : `Edit override ${edited}`} />
      <Loaded from={loaded} isForm>
        {(parts) => <Form {...parts} />}
      </Loaded>
    </>
  )
}

const add = (body: NewOverride) => undoable('addOverride', { body }, ({ id }) => `Override ${id} was added.`)

/** Replaces an override in its place of the list, or adds it again if it is used up by now. */
async function replace(id: string, body: NewOverride): Promise<void> {
  const { overrides } = await call('listOverrides')
  const old = overrides.find((it) => it.id === id)
  const { off, weather, start, used } = old ?? {}
  const edited = {
    ...{ off, weather, start, used, id },
    ...(body.body === undefined && { example: old?.example }),
    ...body
  }
  const list = old ? overrides.map((it) => (it === old ? edited : it)) : [edited, ...overrides]
  await undoable('replaceOverrides', { body: { overrides: list as NewOverride[] } }, `Override ${id} was changed.`)
}

type FormProps = { operations: Operation[]; start: Draft; edited?: string | undefined }

function Form({ operations, start, edited }: FormProps) {
  const { form, texts: draft, setTexts: setDraft, general, errorOf, inputOf, show, submit } = useForm(names, start)
  const operation = operations.find(({ id }) => id === draft.operation)
  const choose = (operation: string) => {
    const others = Object.entries(draft).filter(([field]) => !field.startsWith('match.path.'))
    setDraft({ ...Object.fromEntries(others), operation })
  }
  // It stays as the user opens it, also while a field is empty.
  const [isOpen] = useState(more.some((field) => start[field]))
  const body = overrideOf(draft)
  // While the form is being filled in, a missing value is not an error yet.
  const isReady = (draft.operation || draft.path) && malformed(draft).length === 0
  const check = () => call('checkOverride', { body })
  const latestCheck = useLater(() => check().catch(() => undefined), isReady ? JSON.stringify(body) : undefined, 250)
  const verdict = latestCheck.isCurrent ? latestCheck.value : undefined
  const save = async () => {
    if (edited !== undefined && draft === start) return go(href('overrides'))
    const { errors, violations } = await checked(draft)
    if (errors.length > 0) return show({ detail: '', errors })
    // An override that breaks the contract is not added without a warning.
    if (!verdict && violations.length > 0) return
    await (edited === undefined ? add(body) : replace(edited, body))
    go(href('overrides'))
  }
  const fieldOf = (name: string) => {
    const [label = name, hint] = fields[name] ?? []
    return { label, hint, ...inputOf(name) }
  }
  useKeys({ 'Ctrl enter': () => form.current?.requestSubmit() })
  const fill = (answer: Partial<NewOverride>) => setDraft({ ...draft, ...answerTexts(answer) })
  const verb = edited === undefined ? 'Add' : 'Save'
  return (
    <form ref={form} class="fields override" noValidate onSubmit={submit(save)}>
      <GeneralErrors texts={general} />
      <fieldset>
        <legend>Which requests</legend>
        <SelectField
          class="wide"
          {...fieldOf('operation')}
          onChange={choose}
          options={[
            ['', 'none: a method and a path'],
            ['*', 'any operation'],
            ...operations.map(({ id, code, method, path }) => [id, `${code} ${id}: ${method} ${path}`] as const)
          ]}
        />
        {!draft.operation && <SelectField {...fieldOf('method')} options={[['', 'any'], ...methods]} />}
        {!draft.operation && <TextField {...fieldOf('path')} />}
        {Object.keys(paramsIn(operation?.path ?? '')).map((name) => {
          const input = inputOf(`match.path.${name}`, 'match.path')
          return <TextField key={name} label={`Path: ${name}`} hint="Empty: any." {...input} />
        })}
        <TextField class="wide" {...fieldOf('match.query')} />
        <TextField class="wide" rows={3} {...fieldOf('match.body')} />
        <TextField inputMode="numeric" {...fieldOf('times')} />
        <TextField inputMode="decimal" {...fieldOf('rate')} />
      </fieldset>
      <fieldset>
        <legend>What they get</legend>
        <FillIn
          label="Preset"
          examples={outcomes.map(([name, answer, does]) => [`${name}: ${does}`, answer] as const)}
          onChoose={fill}
        />
        <FillIn
          label="Documented example"
          examples={(operation?.outcomes ?? []).map((it) => [it.label, it] as const)}
          onChoose={({ status, body }) => setDraft({ ...draft, status: String(status), form: '', body: json(body) })}
        />
        <TextField inputMode="numeric" {...fieldOf('status')} />
        <SelectField {...fieldOf('form')} options={[['', 'JSON'], 'text']} />
        <TextField class="wide" rows={8} {...fieldOf('body')} label={`Body (${draft.form || 'JSON'})`} />
        <TextField class="wide" rows={2} {...fieldOf('headers')} />
        <SelectField
          {...fieldOf('delay')}
          options={[['', 'none'], ...Object.entries(delays).map(([name, [label]]) => [name, label] as const)]}
        />
        {numbersOf(draft.delay).map(([name, label]) => (
          <TextField key={name} label={label} inputMode="decimal" {...inputOf(`delay.${name}`)} />
        ))}
        <SelectField {...fieldOf('fault')} options={[['', 'none'], ...Object.entries(faults)]} />
        <details open={isOpen || more.some((field) => errorOf(field)) || undefined}>
          <summary>Stream and sequence</summary>
          <TextField rows={3} {...fieldOf('chunks')} />
          {streamed.slice(1).map((name) => (
            <TextField key={name} inputMode="numeric" {...fieldOf(name)} />
          ))}
          <TextField rows={3} {...fieldOf('sequence')} />
        </details>
      </fieldset>
      {verdict && <Verdict {...verdict} />}
      <div class="buttons sticky">
        <button type="submit" class="primary" aria-keyshortcuts="Control+Enter">
          {verdict && verdict.violations.length > 0 ? `${verb} anyway` : verb} <kbd>Ctrl ↵</kbd>
        </button>
        <Link text="Cancel" href={href('overrides')} />
      </div>
    </form>
  )
}

function Verdict({ violations, notes }: OverrideCheck) {
  const isBad = violations.length > 0
  if (!isBad && notes.length === 0) return null
  return (
    <section class={`verdict ${isBad ? 'is-bad' : ''}`} aria-label="What the contract says" role="status">
      <Bullets
        title="The answer breaks the contract, and each request that gets it has a violation:"
        texts={violations}
      />
      {notes.map((text) => (
        <Note key={text} class="quiet" text={text} />
      ))}
    </section>
  )
}
