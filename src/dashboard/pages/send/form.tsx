import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { CollectionInfo, JournalDetail, RequestCheck } from '../../../engine/contract/types.gen.js'
import { api, tokensIn } from '../api.js'
import { call, changes, hasControl, Refused, useCall } from '../client.js'
import { jsonIn, pretty } from '../json/values.js'
import { JsonText } from '../json/view.js'
import { type Operation, paramsIn } from '../operations.js'
import { type ReceivedAnswer, sendRequest } from '../outgoing/send.js'
import { Answer, faultText } from '../overrides.js'
import { Button, sayFailed, useKeys } from '../parts/actions.js'
import { Combobox, useLater } from '../parts/choices.js'
import { plainly } from '../parts/errors.js'
import { Check, Field, FillIn, Options, SelectField, TextField } from '../parts/fields.js'
import { count, Long, milliseconds, Status } from '../parts/text.js'
import { Exchanges } from '../requests/compare.js'
import { inWords, NearMisses, WhyRefused, WrongPlaces } from '../requests/story.js'
import { href, replace, route } from '../route.js'
import { Samples, ShareExchange } from '../share/share.js'
import { RowChanges } from '../state/differences.js'
import { findRows } from '../state/fields.js'
import { addressOf, checkedCall, type Draft, draftOf, type FormParts, keepDraft, outgoingFrom, urlOf } from './draft.js'

/** `lost`: what the journal does not have of the exchange. */
export type FormStart = { draft: Draft; lost?: string | undefined }
type Props = Pick<FormParts, 'operation' | 'collections'> & { name: string; from: string | undefined; start: FormStart }

export function Form({ name, from, start, operation, collections }: Props) {
  const [draft, setDraft] = useState(start.draft)
  const [files, setFiles] = useState<FormParts['files']>({})
  const [answers, setAnswers] = useState<readonly UserAnswer[]>()
  const [isBusy, setBusy] = useState(false)
  const results = useRef<HTMLElement>(null)
  const sentDraft = useRef<Draft>(undefined)
  const check = useCheck({ draft, operation, files })
  const { sandbox } = route.value
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }))
  useLayoutEffect(() => keepDraft(name, from, draft), [draft])
  useEffect(() => {
    const timer = setTimeout(() => {
      const { page, rest } = route.peek()
      if (page !== 'send' || rest[0] !== name) return
      replace(href('send', [name], { ...addressOf(draft, operation), from }))
    }, 250)
    return () => clearTimeout(timer)
  }, [draft])

  const parts = { draft, set, operation, check, collections, files, setFiles }
  const { users } = draft
  const method = operation?.method ?? draft.method
  const missing = operation?.parameters.find((it) => it.in === 'path' && !draft.path[it.name])
  const canSend = !isBusy && missing === undefined && users.length > 0
  const send = async () => {
    sentDraft.current = draft
    if (!canSend) return
    setBusy(true)
    setAnswers(undefined)
    const received: UserAnswer[] = []
    try {
      // One after the other, so that the order is always the same.
      for (const user of users) {
        const sent = await sendRequest(outgoingFrom(draft, operation, files, user), sandbox)
        const { id } = sent
        const exchange =
          id === undefined ? undefined : await call('getRequest', { path: { id } }, sandbox).catch(() => undefined)
        received.push({ user, sent, exchange })
        setAnswers([...received])
      }
    } catch (error) {
      sayFailed(error as Error)
    }
    setBusy(false)
  }
  // Once they are there, and again when the verdict above them grows.
  const show = () => results.current?.scrollIntoView({ block: 'nearest' })
  useLayoutEffect(() => (sentDraft.current === draft ? show() : undefined), [answers, check])
  useKeys({ 'Ctrl enter': () => void send() })
  const startOver = () => {
    setDraft(draftOf(operation))
    setAnswers(undefined)
  }
  const { kind } = operation?.body ?? {}
  const canHaveBody = !['GET', 'HEAD'].includes(method) && (!operation || draft.body !== '')
  const outgoing = outgoingFrom(draft, operation, files, users[0] ?? '')
  return (
    <>
      <form
        class="fields panel"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <h2 class="hidden">Send a request</h2>
        <Target {...parts} />
        {start.lost !== undefined && <p class="note">{start.lost}</p>}
        <Parameters {...parts} />
        <FormBody {...parts} />
        {kind !== 'form' && (kind || canHaveBody) && <TextBody {...parts} />}
        <details class="extras" open={draft.headers !== '' || draft.more !== '' || undefined}>
          <summary>{operation ? 'More headers and parameters' : 'Headers'}</summary>
          {operation && (
            <TextField
              label="More of the query"
              hint="Such as odd=1: parameters that the operation does not have."
              value={draft.more}
              onChange={(more) => set({ more })}
            />
          )}
          <TextField
            label="Headers"
            hint="One per line, such as Prefer: code=404."
            rows={2}
            value={draft.headers}
            onChange={(headers) => set({ headers })}
          />
        </details>
        <Verdict {...parts} />
        {operation && <Forced operation={operation} />}
        <Users users={users} onChange={(users) => set({ users })} />
        <div class="buttons sticky">
          <button type="submit" class="primary" disabled={!canSend} aria-keyshortcuts="Control+Enter">
            {users.length > 1 ? `Send ${users.length} times` : 'Send'} <kbd>Ctrl ↵</kbd>
          </button>
          <Button text="Start over" run={startOver} />
        </div>
      </form>
      <section ref={results} class="results" aria-label="Answers" aria-busy={isBusy}>
        <p class="hidden" role="status">
          {answers && !isBusy && answers.map(({ user, sent }) => `${user || 'nobody'}: ${sent.status}`).join(', ')}
        </p>
        {!answers && isBusy && <p class="quiet">Sending…</p>}
        {answers && <h2 class="hidden">Answers</h2>}
        {answers && (
          <div class="answers">
            {answers.map((answer, at) => (
              <Received key={at} answer={answer} first={at === 0 ? undefined : answers[0]} />
            ))}
          </div>
        )}
      </section>
      <Samples outgoing={outgoing} path={operation?.path} />
      <LastRequests />
    </>
  )
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

function Target({ operation, draft, set }: FormParts) {
  if (operation) {
    return (
      <p class="called">
        <span class="method">{operation.method}</span> <bdi class="code">{urlOf(draft, operation)}</bdi>
      </p>
    )
  }
  return (
    <div class="line">
      <SelectField
        class="narrow"
        label="Method"
        value={draft.method}
        onChange={(method) => set({ method })}
        options={[...new Set([...methods, draft.method])]}
      />
      <TextField class="wide" label="Path and query" value={draft.url} onChange={(url) => set({ url })} />
    </div>
  )
}

/** What the contract says about a request while the user types. Undefined: it cannot be checked. */
function useCheck({ draft, operation, files }: Pick<FormParts, 'draft' | 'operation' | 'files'>): FormParts['check'] {
  const body = JSON.stringify(checkedCall(draft, operation, files))
  const check = () =>
    call('checkCall', { body: JSON.parse(body) }).catch((error) => {
      if (error instanceof Refused) return undefined
      throw error
    })
  return useLater(check, `${body} ${changes.value}`, 200).value
}

function Verdict({ check, draft, operation, set }: FormParts) {
  if (!check) return null
  const { held, advice, corrected, near_misses = [] } = check
  const correct = () => {
    if (!corrected) return
    const body = corrected.body === undefined ? '' : pretty(corrected.body)
    if (!operation) return set({ url: corrected.url, body })
    const [, search = ''] = corrected.url.split('?')
    const values = new URLSearchParams(search)
    const query = Object.fromEntries(Object.keys(draft.query).map((name) => [name, values.getAll(name).join(',')]))
    set({ query, more: '', body, path: { ...draft.path, ...paramsIn(operation.path, corrected.url) } })
  }
  return (
    <section class={`verdict ${held ? 'is-good' : 'is-bad'}`} aria-label="What the contract says" aria-live="polite">
      {check.operation === null && <p>No operation has this method and path.</p>}
      {check.operation === null && <NearMisses list={near_misses} />}
      <WrongPlaces {...check} />
      {corrected && (
        <div class="buttons">
          <Button text={`Correct it ${inWords(advice ?? [])}`} run={correct} />
        </div>
      )}
    </section>
  )
}

function Users({ users, onChange }: { users: string[]; onChange: (users: string[]) => void }) {
  const { value } = useCall('listRows', { path: { collection: api.collection }, query: { limit: 200 } })
  const all = tokensIn(value?.rows)
  const shown = [...api.users, '', ...users.filter((it) => it !== '' && !api.users.includes(it))]
  const others = all.filter((key) => !shown.includes(key))
  return (
    <fieldset class="steps users">
      <legend>Send as</legend>
      {shown.map((user) => (
        <Check
          key={user}
          isOn={users.includes(user)}
          onChange={(isOn) => onChange(shown.filter((it) => (it === user ? isOn : users.includes(it))))}
        >
          {user || 'nobody'}
        </Check>
      ))}
      {others.length > 0 && (
        <select
          aria-label="Another user"
          value=""
          onChange={({ currentTarget: { value: key } }) => key !== '' && onChange([...users, key])}
        >
          <Options options={[['', 'another…'], ...others]} />
        </select>
      )}
    </fieldset>
  )
}

function Forced({ operation: { id } }: { operation: Operation }) {
  const { value } = useCall('listOverrides', {}, { live: true })
  const forced = value?.overrides.filter((it) => it.operation === id && !it.off && it.remaining !== 0) ?? []
  return forced.map((override) => (
    <p key={override.id} class="note">
      <a href={href('overrides')}>Override {override.id}</a> answers{' '}
      {override.remaining === undefined ? 'all requests' : count(override.remaining, 'more request')}:{' '}
      <Answer override={override} />
    </p>
  ))
}

/** The latest exchanges, to be edited and sent again. */
export function LastRequests() {
  const { value } = useCall('listRequests', { query: { limit: 8 } }, { live: true })
  if (!value?.requests.length) return null
  return (
    <section class="past" aria-label="Last requests">
      <h2>Last requests</h2>
      <Exchanges list={value.requests} to={({ id, operation }) => href('send', [operation ?? 'any'], { from: id })} />
    </section>
  )
}

type UserAnswer = { user: string; sent: ReceivedAnswer; exchange: JournalDetail | undefined }

function Received({ answer, first }: { answer: UserAnswer; first: UserAnswer | undefined }) {
  const { sent, exchange } = answer
  const { status, id, took, text } = sent
  const [name, nameOfFirst] = [answer.user || 'nobody', first?.user || 'nobody']
  const isSame = first?.sent.status === status && first.sent.text === text
  const { violations = [], changes = [] } = exchange ?? {}
  return (
    <section class="card panel" aria-label={`Answer to ${name}`}>
      <h3>
        {name} <Status status={status} />
        <span class="quiet number">{milliseconds(took)}</span>
        {id !== undefined && hasControl.value && <a href={href('requests', [id])}>{id}</a>}
      </h3>
      {exchange && <WhyRefused exchange={exchange} />}
      {violations.length > 0 && (
        <p>
          <span class="tag bad">{count(violations.length, 'violation')}</span> <Long text={violations.join('; ')} />
        </p>
      )}
      {status === 0 && <p>{exchange?.fault === undefined ? 'There was no answer' : faultText(exchange.fault)}.</p>}
      {changes.length > 0 && <h4>Rows changed</h4>}
      {changes.length > 0 && <RowChanges changes={changes} />}
      {isSame && <p class="quiet">The same answer as {nameOfFirst}.</p>}
      {!isSame && text === '' && status !== 0 && <p class="quiet">No body.</p>}
      {!isSame && text !== '' && <JsonText value={jsonIn(text)} label={`Answer's body to ${name}`} />}
      {exchange && (
        <div class="buttons">
          <ShareExchange exchange={exchange} />
        </div>
      )}
    </section>
  )
}

/** The parameters of path and query. Ids are suggested by the names of their rows. */
export function Parameters({ draft, set, operation, check, collections }: FormParts) {
  return operation?.parameters.map(({ name, in: place, required, description, values, type }) => {
    if (place !== 'path' && place !== 'query') return null
    const value = draft[place][name] ?? ''
    const onChange = (next: string) => set({ [place]: { ...draft[place], [name]: next } })
    const labels = {
      label: <Labelled name={name} about={`${place}, ${type}`} isOptional={!required} />,
      hint: description,
      error: place === 'path' && value === '' ? 'Enter a value.' : errorsAt(check, place, name)
    }
    const key = `${place} ${name}`
    const collection = collectionOf(name, operation.path, collections)
    if (!values && collection === undefined) {
      return <TextField key={key} {...labels} value={value} onChange={onChange} />
    }
    const load = () => {
      if (!values) return findRows(collection as string, /^\d+$|-/.test(value) ? '' : value)
      const isWhole = values.includes(value)
      const matching = values.filter((it) => isWhole || it.toLowerCase().includes(value.toLowerCase()))
      return matching.map((id) => ({ id, label: id }))
    }
    return (
      <Field key={key} {...labels}>
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
  })
}

function Labelled({ name, about, isOptional }: { name: string; about: string; isOptional: boolean }) {
  return (
    <>
      {name} <span class="quiet">{isOptional ? `${about}, optional` : about}</span>
    </>
  )
}

function errorsAt(check: RequestCheck | undefined, place: string, name: string): string | undefined {
  const problems = (check?.problems ?? []) as { loc?: (string | number)[]; msg: string }[]
  const texts = problems.filter(({ loc }) => loc?.[0] === place && loc[1] === name).map(({ msg }) => plainly(msg))
  return texts.join(' ') || undefined
}

function TextBody({ draft: { body }, set, operation }: FormParts) {
  const { kind, type, examples = {} } = operation?.body ?? {}
  return (
    <>
      <TextField
        label={kind === 'text' ? `Body (${type})` : 'Body (JSON)'}
        rows={Math.min(22, Math.max(5, body.split('\n').length + 1))}
        value={body}
        onChange={(body) => set({ body })}
      />
      <div class="line">
        <FillIn
          label="Example"
          examples={Object.entries(examples)}
          onChoose={(value) => set({ body: pretty(value) })}
        />
      </div>
    </>
  )
}

function FormBody({ draft, set, operation, files, setFiles }: FormParts) {
  return operation?.body?.fields.map(({ name, required, description, isFile, isList }) => {
    const type = isFile ? (isList ? 'files' : 'file') : 'text'
    const label = <Labelled name={name} about={type} isOptional={!required} />
    if (isFile) {
      return (
        <Field key={name} label={label} hint={description}>
          {(shared) => (
            <input
              {...shared}
              type="file"
              multiple={isList}
              onChange={(event) => setFiles({ ...files, [name]: [...(event.currentTarget.files ?? [])] })}
            />
          )}
        </Field>
      )
    }
    return (
      <TextField
        key={name}
        label={label}
        hint={description}
        value={draft.fields[name] ?? ''}
        onChange={(value) => set({ fields: { ...draft.fields, [name]: value } })}
      />
    )
  })
}

/** The collection whose ids a parameter or field has, by its name and the path that it is in. */
function collectionOf(name: string, path: string, collections: readonly CollectionInfo[]): string | undefined {
  const references = collections.flatMap(({ fields }) => fields.filter((it) => it.references !== undefined))
  const target = references.find((field) => field.name === name || field.name === `${name}s`)?.references
  if (target !== undefined) return target
  // `/api/notes/{id}` is of notes.
  const [, base] = (name === 'id' ? /\/([^/{}]+)\/\{id\}/.exec(path) : /^(.+?)(?:_ids?|Ids?)$/.exec(name)) ?? []
  if (base === undefined) return undefined
  const stem = singular(base)
  return collections.find(({ name }) => singular(name) === stem || singular(name).endsWith(`_${stem}`))?.name
}

/** `openOrders` as open_order. */
function singular(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
    .replace(/s$/, '')
}
