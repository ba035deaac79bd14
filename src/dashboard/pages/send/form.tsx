import { useEffect, useRef, useState } from 'preact/hooks'
import type { CollectionInfo, RequestCheck } from '../../../engine/contract/types.gen.js'
import { call, Refused } from '../client.js'
import { pretty } from '../json/text.js'
import { changes } from '../live.js'
import { paramsIn } from '../operations.js'
import { asCurl } from '../outgoing/as-curl.js'
import { asFetch, asOpenapiFetch } from '../outgoing/as-fetch.js'
import { sendRequest } from '../outgoing/send.js'
import { Copy } from '../parts/copy.js'
import { TextField } from '../parts/field.js'
import { useKeys } from '../parts/keys.js'
import { useLater } from '../parts/later.js'
import { LineSelect } from '../parts/line.js'
import { Status } from '../parts/status.js'
import { Short } from '../parts/text.js'
import { wallTime } from '../parts/time.js'
import { sayFailed } from '../parts/toasts.js'
import { inWords, WrongPlaces } from '../requests/exchange/findings.js'
import { explorerAddress, go, href, replace, route } from '../route.js'
import { inThrowAway } from '../undo/throw-away.js'
import { Answers, type UserAnswer } from './answers.js'
import { addressOf, type FormStart } from './beginning.js'
import { FormBody, JsonBody } from './body.js'
import { callOf, type Draft, type DraftProps, draftOf, type Files, methods, outgoingFrom, urlOf } from './draft.js'
import { keepDraft, type PastRequest, past, remember, takings } from './memory.js'
import type { OperationForm } from './operation.js'
import { Parameters } from './parameters.js'
import { Together, Users } from './users.js'

interface Props {
  /** The id of an operation, or any. */
  name: string
  from: string | undefined
  start: FormStart
  operation: OperationForm | undefined
  collections: readonly CollectionInfo[]
}

/** The request on the left; the answers on the right. */
export function Form({ name, from, start, operation, collections }: Props) {
  const [draft, setDraft] = useState(start.draft)
  const [files, setFiles] = useState<Files>({})
  const [answers, setAnswers] = useState<readonly UserAnswer[]>()
  const [isBusy, setBusy] = useState(false)
  const [wantsApart, wantApart] = useState(false)
  const results = useRef<HTMLElement>(null)
  const check = useCheck(draft, operation, files)
  const { sandbox } = route.value
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }))
  useEffect(() => {
    const timer = setTimeout(() => {
      const { page, rest } = route.peek()
      if (page !== 'send' || rest[0] !== name) return
      keepDraft(name, from, draft)
      replace(href('send', [name], { ...addressOf(draft, operation), from }))
    }, 250)
    return () => clearTimeout(timer)
  }, [draft])

  const parts = { draft, set, operation }
  const missing = operation?.parameters.find((it) => it.in === 'path' && !draft.path[it.name])
  const isApart = wantsApart && draft.users.length > 1
  const canSend = !isBusy && missing === undefined && draft.users.length > 0
  const send = async () => {
    if (!canSend) return
    setBusy(true)
    setAnswers(undefined)
    const got: UserAnswer[] = []
    const sendAs = async (user: string, place: string) => {
      const sent = await sendRequest(outgoingFrom(draft, operation, files, user), place)
      const { id } = sent
      const exchange =
        id === undefined ? undefined : await call('getRequest', { path: { id } }, place).catch(() => undefined)
      got.push({ user, sent, exchange, isInCopy: place !== sandbox })
      setAnswers([...got])
    }
    try {
      // One after the other, so that the order is always the same.
      const sendAll = async (place: (user: string) => Promise<void>) => {
        for (const user of draft.users) await place(user)
      }
      if (!isApart) await sendAll((user) => sendAs(user, sandbox))
      // The sandbox may change meanwhile, but this copy does not.
      else await inThrowAway((start) => sendAll((user) => inThrowAway((copy) => sendAs(user, copy), start)), sandbox)
      remember({
        at: new Date().toISOString(),
        operation: name,
        method: operation?.method ?? draft.method,
        url: urlOf(draft, operation),
        draft,
        answers: got.map(({ user, sent: { status, id }, isInCopy }) => ({
          user,
          status,
          id: isInCopy ? undefined : id
        }))
      })
      results.current?.scrollIntoView({ block: 'nearest' })
    } catch (error) {
      sayFailed(error as Error)
    }
    setBusy(false)
  }
  useKeys({ 'Ctrl enter': () => void send() })
  const take = (entry: PastRequest) => {
    keepDraft(entry.operation, undefined, entry.draft)
    takings.value += 1
    go(href('send', [entry.operation]))
  }
  const outgoing = () => outgoingFrom(draft, operation, files, draft.users[0] ?? '')
  return (
    <div class="bench">
      <form
        class="fields panel"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <Target {...parts} />
        {start.lost !== undefined && <p class="note">{start.lost}</p>}
        {operation && <Parameters {...parts} operation={operation} check={check} collections={collections} />}
        {operation?.body?.kind === 'form' ? (
          <FormBody draft={draft} set={set} fields={operation.body.fields} files={files} setFiles={setFiles} />
        ) : (
          hasBody(operation, draft) && <JsonBody {...parts} collections={collections} />
        )}
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
        <Verdict {...parts} check={check} />
        <Users users={draft.users} onChange={(users) => set({ users })} />
        {draft.users.length > 1 && <Together isApart={isApart} onChange={wantApart} />}
        <div class="buttons sticky">
          <button type="submit" class="primary" disabled={!canSend} aria-keyshortcuts="Control+Enter">
            {draft.users.length > 1 ? `Send ${draft.users.length} times` : 'Send'} <kbd>Ctrl ↵</kbd>
          </button>
          <Copy name="curl" text={() => asCurl(outgoing(), sandbox)} />
          <Copy name="fetch" text={() => asFetch(outgoing(), sandbox)} />
          {operation && <Copy name="openapi-fetch" text={() => asOpenapiFetch(outgoing(), operation.path, sandbox)} />}
          <button
            type="button"
            onClick={() => {
              setDraft(draftOf(operation))
              setAnswers(undefined)
            }}
          >
            Start over
          </button>
        </div>
      </form>
      <section ref={results} class="results" aria-label="Answers" aria-busy={isBusy}>
        <p class="hidden" role="status">
          {answers && !isBusy && answers.map(({ user, sent }) => `${user || 'nobody'}: ${sent.status}`).join(', ')}
        </p>
        {answers ? (
          <Answers answers={answers} />
        ) : (
          <p class="quiet">{isBusy ? 'Sending…' : 'The answer comes here. It is in the journal, too.'}</p>
        )}
        <PastList onTake={take} />
      </section>
    </div>
  )
}

/** Method and address: of the operation, or free. */
function Target({ operation, draft, set }: DraftProps) {
  if (operation) {
    return (
      <div class="target">
        <p>
          <span class="method">{operation.method}</span> <bdi class="code">{urlOf(draft, operation)}</bdi>
        </p>
        <p class="quiet">
          <span>{operation.summary}.</span>
          <a href={href('requests', [], { q: `op:${operation.id}` })}>Its exchanges</a>{' '}
          <a href={href('assumptions', [], { of: operation.id })}>Its assumptions</a>{' '}
          <a href={explorerAddress(operation.id)}>In the API explorer</a>
        </p>
      </div>
    )
  }
  return (
    <div class="line">
      <LineSelect
        class="narrow"
        label="Method"
        value={draft.method}
        onChange={(method) => set({ method })}
        options={[...new Set([...methods, draft.method])]}
      />
      <label class="wide">
        <span>Path and query</span>
        <input
          type="text"
          class="code"
          autoComplete="off"
          spellcheck={false}
          value={draft.url}
          onInput={(event) => set({ url: event.currentTarget.value })}
        />
      </label>
    </div>
  )
}

function hasBody(operation: OperationForm | undefined, { method, body }: Draft): boolean {
  if (operation) return operation.body !== undefined || (body !== '' && !['GET', 'HEAD'].includes(operation.method))
  return !['GET', 'HEAD'].includes(method)
}

/** What the contract says about a request while the user types. Undefined: it cannot be checked. */
function useCheck(draft: Draft, operation: OperationForm | undefined, files: Files): RequestCheck | undefined {
  const asked = JSON.stringify(callOf(draft, operation, files))
  const check = () =>
    call('checkCall', { body: JSON.parse(asked) }).catch((error) => {
      if (error instanceof Refused) return undefined
      throw error
    })
  return useLater(check, `${asked} ${changes.value}`, 200).value
}

/** What this tab sent. Each request can be edited again. */
function PastList({ onTake }: { onTake: (entry: PastRequest) => void }) {
  if (past.value.length === 0) return null
  return (
    <section class="past" aria-label="Sent before">
      <h2>Sent before</h2>
      <ul class="panel">
        {past.value.map((entry) => (
          <li key={entry.at}>
            <button type="button" class="plain-row" onClick={() => onTake(entry)}>
              <span class="quiet number">{wallTime(entry.at).slice(0, 8)}</span>
              <span class="method">{entry.method}</span> <Short text={entry.url} most={70} />
              {entry.answers.map(({ user, status }) => (
                <span key={user} class="quiet">
                  {user || 'nobody'} <Status status={status} />
                </span>
              ))}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What the contract says about the request, and one step to correct it. */
function Verdict({ check, draft, operation, set }: DraftProps & { check: RequestCheck | undefined }) {
  if (!check) return null
  const { held, problems, violations, advice, corrected, near_misses = [] } = check
  const correct = () => {
    if (!corrected) return
    const body = corrected.body === undefined ? '' : pretty(corrected.body)
    if (!operation) return set({ url: corrected.url, body })
    const [, search = ''] = corrected.url.split('?')
    const values = new URLSearchParams(search)
    const query = Object.fromEntries(Object.keys(draft.query).map((name) => [name, values.getAll(name).join(',')]))
    set({ query, more: '', body, path: { ...draft.path, ...paramsIn(operation, corrected.url) } })
  }
  return (
    <section class={`verdict ${held ? 'is-good' : 'is-bad'}`} aria-label="What the contract says" aria-live="polite">
      {held && <p>The request keeps the contract.</p>}
      {check.operation === null && (
        <>
          <p>No operation has this method and path.</p>
          <ul>
            {near_misses.map(({ operation, method, path }) => (
              <li key={operation}>
                <span class="method">{method}</span> <bdi>{path}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      <WrongPlaces problems={problems} advice={advice} violations={violations} />
      {corrected && (
        <div class="buttons">
          <button type="button" onClick={correct}>
            Correct it {inWords(advice ?? [])}
          </button>
        </div>
      )}
    </section>
  )
}
