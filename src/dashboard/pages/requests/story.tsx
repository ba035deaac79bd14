import type { ComponentChildren } from 'preact'
import type { JournalDetail, JournalMessage, RequestCheck } from '../../../engine/contract/types.gen.js'
import { api } from '../api.js'
import { type Remark, short } from '../json/values.js'
import { JsonText } from '../json/view.js'
import { outgoingOf, whyNoReplay } from '../outgoing/outgoing.js'
import { resend } from '../outgoing/send.js'
import { faultText } from '../overrides.js'
import { Button } from '../parts/actions.js'
import { plainly } from '../parts/errors.js'
import { Bullets, count, Long, Moment, milliseconds, Status, Terms, wallTime } from '../parts/text.js'
import { href } from '../route.js'
import { RowChanges } from '../state/differences.js'
import { rowLabel } from '../state/labels.js'

export function Story({ exchange }: { exchange: JournalDetail }) {
  const { time, real_time, request, response, url, status, duration_ms, timing, changes, checks, violations } = exchange
  const marks = marksOf(exchange)
  const checkOf = (name: string) => checks.find(({ check }) => check === name)
  const toneOf = (check: { held: boolean } | undefined) => (check ? (check.held ? 'good' : 'bad') : 'plain')
  const reply = checkOf('response')
  // An override answers in the place of the steps between.
  const isShown = (trace: unknown) => Boolean(trace) || exchange.source !== 'override'
  const isFine = status < 400 && status !== 0 && violations.length === 0
  const reading = timing.read === undefined ? timing.parse : timing.read + (timing.parse ?? 0)
  return (
    <ol class="story">
      <Step title="Received" took={reading}>
        <p class="quiet">
          {wallTime(new Date(Date.parse(real_time) - duration_ms).toISOString())} here, <Moment at={time} /> by the
          mock's clock
        </p>
        <Message name="Request" message={request} marks={marks.request} url={url} />
      </Step>
      <Step title="User" took={timing.user} tone={isDenied(exchange) ? 'bad' : 'plain'}>
        <Who exchange={exchange} />
      </Step>
      <Step when={isShown(checkOf('request'))} title="Checks" took={timing.check} tone={toneOf(checkOf('request'))}>
        <RequestChecks exchange={exchange} />
        <Findings exchange={exchange} />
      </Step>
      <Step when={isShown(exchange.rule)} title="Rule" took={timing.rule}>
        <Rule exchange={exchange} />
      </Step>
      <Step when={isShown(changes[0])} title="Rows changed" took={timing.keep} tone={changes[0] && 'accent'}>
        <RowChanges changes={changes} />
      </Step>
      <Step when={isShown(reply)} title="Check of the answer" took={timing['check reply']} tone={toneOf(reply)}>
        {!reply && <p class="quiet">Not reached.</p>}
        {reply?.held && <p>It matches the contract.</p>}
        {reply && <Bullets texts={reply.problems.map(({ msg }) => String(msg))} />}
      </Step>
      <Step title="Sent" took={timing.write} tone={isFine ? 'good' : 'bad'}>
        <p>
          <Status status={status} violations={violations} />{' '}
          <span class="quiet number">{milliseconds(duration_ms)} in all</span>
        </p>
        <Message name="Response" message={response} marks={marks.response} />
      </Step>
    </ol>
  )
}

const isDenied = ({ status }: JournalDetail) => status === 401 || status === 403

type StepProps = {
  when?: boolean
  title: string
  took: number | undefined
  tone?: string | undefined
  children: ComponentChildren
}

function Step({ when = true, title, took, tone = 'plain', children }: StepProps) {
  if (!when) return null
  return (
    <li class={`step is-${tone}`}>
      <section aria-label={title}>
        <h3>
          {title}
          {took !== undefined && <span class="quiet number">{milliseconds(took)}</span>}
        </h3>
        {children}
      </section>
    </li>
  )
}

function Who({ exchange }: { exchange: JournalDetail }) {
  const { user, request } = exchange
  const reason = request.headers.authorization === undefined ? 'the request had no token' : 'no user has its token'
  const sendAs = (user: string) => resend(outgoingOf({ ...exchange, user }), `as ${user}`)
  const others = api.users.filter((other) => other !== user)
  return (
    <>
      <p>{user ?? `None: ${reason}.`}</p>
      {isDenied(exchange) && whyNoReplay(exchange) === undefined && (
        <div class="buttons">
          {others.map((other) => (
            <Button key={other} text={`Send as ${other}`} run={() => sendAs(other)} />
          ))}
        </div>
      )}
    </>
  )
}

export function WhyRefused({ exchange }: { exchange: JournalDetail }) {
  const { refused = [], source, refusal, response, operation } = exchange
  const { detail } = (response.body ?? {}) as { detail?: unknown }
  const why = operation === null ? 'no operation has this method and path' : detail
  const [first = refusal && typeof why === 'string' ? why : '', ...others] = refused
  if (first === '' || source === 'override') return null
  const [, place, said = first] = /^((?:body|query|path|header|cookie)\b\S*): (.*)$/s.exec(first) ?? []
  return (
    <p class="problem">
      Refused: <bdi>{said.replace(/^Value error, |\.$/g, '')}</bdi>
      {place && [', in ', <code key="place">{place}</code>]}
      {others.length > 0 && `, and ${count(others.length, 'more mistake')}`}.
    </p>
  )
}

function Rule({ exchange }: { exchange: JournalDetail }) {
  const { rule, source, operation, refusal, fault, rests_on, reads } = exchange
  const rows = new Map(reads.map((touch) => [`${touch.collection} ${touch.id}`, touch]))
  return (
    <>
      <p>
        {rule === null ? <span class="quiet">Not reached.</span> : <code>{rule}</code>}
        {rule === null && source === 'refusal' && ' The request was refused before it.'}
        {rule !== null && source !== 'rule' && ` Answered by: ${source}.`}
        {operation === null && ' No operation of the interface matches.'}
        {fault !== undefined && ` ${faultText(fault)}.`}
        {refusal !== undefined && [' Refused as ', <code key="reason">{refusal}</code>]}
      </p>
      <h4>Depends on</h4>
      {rests_on.length === 0 && <p class="quiet">The description only.</p>}
      <ul>
        {rests_on.map(({ id, question, choice }) => (
          <li key={id}>
            <a href={href('assumptions', [], { q: id })}>{id}</a> is {choice} <span class="quiet">{question}</span>
          </li>
        ))}
      </ul>
      {rows.size > 0 && (
        <details>
          <summary>{count(rows.size, 'row')} read</summary>
          <ul class="inline">
            {[...rows].map(([name, { collection, id }]) => (
              <li key={name}>
                <a href={href('state', [collection, id])}>{rowLabel(collection, id)}</a>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

type MessageProps = { name: 'Request' | 'Response'; message: JournalMessage; marks: Remark[]; url?: string }

function Message({ name, message: { headers, body, frames, omitted }, marks, url }: MessageProps) {
  const remarks = url === undefined ? marks : within(marks, 'body')
  return (
    <section aria-label={name}>
      <h4 class="hidden">{name}</h4>
      {url !== undefined && <Parameters url={url} marks={marks} />}
      <details>
        <summary>Headers ({Object.keys(headers).length})</summary>
        <Terms class="headers" list={Object.entries(headers)} value={(text) => <Long text={text} />} />
      </details>
      {frames ? (
        <Frames {...frames} />
      ) : body === undefined ? (
        <p class="quiet">{omitted === undefined ? 'No body.' : `The body is not kept: ${omitted}.`}</p>
      ) : (
        <JsonText label={`Body of the ${name.toLowerCase()}`} value={body} marks={remarks} />
      )}
    </section>
  )
}

const ends = { whole: 'whole', cut: 'cut', error: 'ended by an error', gone: 'ended, because the client left' }

/** The values of a stream, with their times. */
function Frames({ count: total, end, values }: NonNullable<JournalMessage['frames']>) {
  return (
    <>
      <p>
        {count(total, 'value')}, {end === undefined ? 'still being sent' : ends[end]}
      </p>
      <ol class="frames" aria-label="Values">
        {values.map(({ at_ms, value }, at) => (
          <li key={at}>
            <span class="quiet number">{milliseconds(at_ms)}</span>{' '}
            <Long text={typeof value === 'string' ? value : JSON.stringify(value)} />
          </li>
        ))}
      </ol>
    </>
  )
}

/** The query, with the remarks on it and on the path. */
function Parameters({ url, marks }: { url: string; marks: Remark[] }) {
  const search = new URLSearchParams(url.split('?').slice(1).join('?'))
  const query = Object.fromEntries([...search.keys()].map((name) => [name, search.getAll(name).join(', ')]))
  const remarks = [...within(marks, 'query'), ...marks.filter(({ place }) => place[0] === 'path')]
  if (search.size + remarks.length === 0) return null
  return <JsonText label="Query" value={query} marks={remarks} />
}

/** The remarks on places of a request (body, query, path), and of a response's body. */
function marksOf({ checks, violations }: JournalDetail): Record<'request' | 'response', Remark[]> {
  const marks = { request: [] as Remark[], response: [] as Remark[] }
  for (const { check, problems } of checks) {
    // Problems without a place are violations, whose sentence names it.
    for (const { type, loc, msg } of problems as readonly object[] as readonly Problem[]) {
      // The position of a mistake in JSON is not a place in a value.
      if (loc && type !== 'json_invalid') marks[check].push({ place: loc, text: msg })
    }
  }
  for (const violation of violations) {
    const input = /^((?:body|query|path)\.\S+) (.*)$/s.exec(violation)
    if (input) marks.request.push({ place: (input[1] as string).split('.'), text: input[2] as string })
    // ajv's format: a JSON pointer and a sentence.
    const reply = /^\/(\S*) (.*)$/s.exec(violation)
    if (reply) marks.response.push({ place: (reply[1] as string).split('/').filter(Boolean), text: reply[2] as string })
  }
  return marks
}

/** The remarks on one part of a request, with places relative to it. */
function within(marks: Remark[], part: string): Remark[] {
  return marks.filter(({ place }) => place[0] === part).map(({ place, text }) => ({ place: place.slice(1), text }))
}

type Problem = { type?: string; loc?: (string | number)[]; msg: string; input?: unknown; ctx?: { error?: string } }
type Advice = NonNullable<JournalDetail['advice']>[number]

function RequestChecks({ exchange }: { exchange: JournalDetail }) {
  const { checks, advice = [], violations } = exchange
  const check = checks.find((it) => it.check === 'request')
  if (!check) return <p class="quiet">Not reached.</p>
  return <WrongPlaces {...check} advice={advice} violations={violations} />
}

/** What the contract says of a request. */
export function WrongPlaces(check: Pick<RequestCheck, 'held' | 'problems' | 'advice' | 'violations'>) {
  const { held, problems, advice = [], violations } = check
  const wrong = (problems as readonly object[] as readonly Problem[]).filter(({ loc }) => loc !== undefined)
  const unknown = violations.filter((violation) => violation.endsWith('is not in the contract'))
  return (
    <>
      {held && <p>The request matches the contract.</p>}
      {wrong.length > 0 && (
        <>
          <p>{count(wrong.length, 'problem')}:</p>
          <ul class="wrong">
            {wrong.map((problem) => {
              const place = problem.loc?.join('.')
              return <Wrong key={place} problem={problem} advice={advice.find((it) => it.loc.join('.') === place)} />
            })}
          </ul>
        </>
      )}
      <Bullets
        title={wrong.length > 0 ? 'It also violates the contract here:' : 'Accepted, but it violates the contract:'}
        texts={unknown}
      />
    </>
  )
}

function Wrong({ problem, advice }: { problem: Problem; advice: Advice | undefined }) {
  const { type, loc = [], msg, input, ctx } = problem
  // The position of a mistake in JSON is not a place in the contract.
  const isMalformed = type === 'json_invalid'
  const hasInput = !isMalformed && input !== undefined && input !== null && type !== 'missing'
  return (
    <li>
      <p>
        <code>{isMalformed ? 'body' : loc.join('.')}</code> {hasInput && <code>{short(input)}</code>}
        {hasInput && ' '}
        {isMalformed ? `is not JSON: ${ctx?.error ?? msg}, at character ${loc[1]}` : plainly(msg)}
      </p>
      {advice?.says !== undefined && <p class="quiet">The contract: {advice.says}</p>}
      {advice?.value !== undefined && (
        <p class="quiet">
          Valid: <code>{short(advice.value)}</code>
        </p>
      )}
    </li>
  )
}

/** What a correction does: with a value, without a field. */
export function inWords(advice: readonly Advice[]): string {
  const words = advice.flatMap(({ loc, value, remove }) => {
    if (remove) return [`without ${loc.at(-1)}`]
    return value === undefined ? [] : [`with ${loc.at(-1)}: ${short(value)}`]
  })
  return words.length <= 2 ? words.join(', ') : `with ${words.length} corrections`
}

function Findings({ exchange }: { exchange: JournalDetail }) {
  const { operation, near_misses = [], suggestions = [], failure } = exchange
  return (
    <>
      {operation === null && near_misses.length > 0 && <h4>Did you mean</h4>}
      {operation === null && <NearMisses list={near_misses} />}
      {suggestions.length > 0 && <h4>What to do</h4>}
      {suggestions.length > 0 && (
        <ul>
          {suggestions.map(({ do: what, text, override, openapi = override }) => (
            <li key={what}>
              {text}
              {openapi !== undefined && <pre>{JSON.stringify(openapi, undefined, 2)}</pre>}
            </li>
          ))}
        </ul>
      )}
      {failure !== undefined && <pre class="failure">{failure}</pre>}
    </>
  )
}

export function NearMisses({ list }: { list: NonNullable<JournalDetail['near_misses']> }) {
  return (
    <ul>
      {list.map(({ operation, method, path, difference }) => (
        <li key={operation}>
          <span class="method">{method}</span> <bdi>{path}</bdi> <span class="quiet">{difference}</span>
        </li>
      ))}
    </ul>
  )
}
