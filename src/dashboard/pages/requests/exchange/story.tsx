import type { ComponentChildren } from 'preact'
import type { JournalDetail, JournalMessage, Touch } from '../../../../engine/contract/types.gen.js'
import { JsonText } from '../../json/json.js'
import type { JsonPath, Remark } from '../../json/json-lines.js'
import { outgoingOf, usualUsers, whyNoReplay } from '../../outgoing/outgoing.js'
import { resend } from '../../outgoing/send.js'
import { faultText } from '../../overrides/draft.js'
import { Action } from '../../parts/action.js'
import { Status } from '../../parts/status.js'
import { count, Long } from '../../parts/text.js'
import { Moment, milliseconds, wallTime } from '../../parts/time.js'
import { href } from '../../route.js'
import { rowLabel } from '../../state/labels.js'
import { RowChanges } from './changes.js'
import { Findings, RequestChecks } from './findings.js'

/** Sends a request that its user may not send, as another user. */
function SendAs({ exchange }: { exchange: JournalDetail }) {
  if (whyNoReplay(exchange) !== undefined) return null
  return (
    <div class="buttons">
      {usualUsers
        .filter((user) => user !== exchange.user)
        .map((user) => (
          <Action key={user} run={() => resend(outgoingOf({ ...exchange, user }), `as ${user}`)}>
            Send as {user}
          </Action>
        ))}
    </div>
  )
}

/** What happened to a request, step by step. */
export function Story({ exchange }: { exchange: JournalDetail }) {
  const { time, real_time, request, response, url, status, duration_ms, timing, changes, checks, violations } = exchange
  const marks = marksOf(exchange)
  const reply = checks.find(({ check }) => check === 'response')
  const asked = checks.find(({ check }) => check === 'request')
  return (
    <ol class="story">
      <Step title="Received" took={sum(timing.read, timing.parse)}>
        <p class="quiet">
          {wallTime(real_time)} here, <Moment at={time} /> by the mock's clock
        </p>
        <Message name="Request" message={request} marks={marks.request} url={url} />
      </Step>
      <Step title="Who it was" took={timing.user} tone={status === 401 || status === 403 ? 'bad' : undefined}>
        <Who exchange={exchange} />
      </Step>
      <Step title="Checks" took={timing.check} tone={asked ? (asked.held ? 'good' : 'bad') : undefined}>
        <RequestChecks exchange={exchange} />
        <Findings exchange={exchange} />
      </Step>
      <Step title="Rule" took={timing.rule}>
        <Rule exchange={exchange} />
      </Step>
      <Step title="Rows changed" took={timing.keep} tone={changes.length > 0 ? 'accent' : undefined}>
        <RowChanges changes={changes} />
      </Step>
      <Step
        title="Check of the answer"
        took={timing['check reply']}
        tone={reply ? (reply.held ? 'good' : 'bad') : undefined}
      >
        {!reply && <p class="quiet">Not reached.</p>}
        {reply?.held && <p>It keeps the contract.</p>}
        {reply && !reply.held && (
          <ul>
            {reply.problems.map(({ msg }) => (
              <li key={String(msg)}>{String(msg)}</li>
            ))}
          </ul>
        )}
      </Step>
      <Step
        title="Sent"
        took={timing.write}
        tone={status >= 400 || status === 0 || violations.length > 0 ? 'bad' : 'good'}
      >
        <p>
          <Status status={status} violations={violations} />{' '}
          <span class="quiet number">{milliseconds(duration_ms)} in all</span>
        </p>
        <Message name="Response" message={response} marks={marks.response} />
      </Step>
    </ol>
  )
}

function sum(...times: (number | undefined)[]): number | undefined {
  const numbers = times.filter((time) => time !== undefined)
  return numbers.length > 0 ? numbers.reduce((all, time) => all + time) : undefined
}

function Step({
  title,
  took,
  tone = 'plain',
  children
}: {
  title: string
  took?: number | undefined
  tone?: 'good' | 'bad' | 'accent' | 'plain' | undefined
  children: ComponentChildren
}) {
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
  const { user, status, response, request } = exchange
  const said = (response.body as { detail?: unknown } | undefined)?.detail
  const token = request.headers.authorization === undefined ? 'It had no token' : 'No user has its token'
  return (
    <>
      <p>{user === null ? `Nobody. ${token}.` : user}</p>
      {(status === 401 || status === 403) && (
        <>
          {typeof said === 'string' && <p class="problem">{said}</p>}
          <SendAs exchange={exchange} />
        </>
      )}
    </>
  )
}

function Rule({ exchange }: { exchange: JournalDetail }) {
  const { rule, operation, refusal, override, fault, rests_on, reads, response, status } = exchange
  const said = (response.body as { detail?: unknown } | undefined)?.detail
  return (
    <>
      <p>
        {rule === null ? <span class="quiet">Not reached.</span> : <code>{rule}</code>}
        {operation === null && ' No operation of the interface matches.'}
        {override !== undefined && (
          <> Answered by {override === 'Prefer' ? 'Prefer' : <a href={href('overrides')}>override {override}</a>}.</>
        )}
        {fault !== undefined && <> {faultText(fault)}.</>}
        {refusal !== undefined && (
          <>
            {' '}
            Refused as <code>{refusal}</code>.
          </>
        )}
      </p>
      {refusal !== undefined && status !== 401 && status !== 403 && typeof said === 'string' && (
        <p class="problem">{said}</p>
      )}
      <h4>Rests on</h4>
      {rests_on.length === 0 && <p class="quiet">The description alone.</p>}
      <ul>
        {rests_on.map(({ id, question, choice }) => (
          <li key={id}>
            <a href={href('assumptions', [], { q: id })}>{id}</a> is {choice} <span class="quiet">{question}</span>
          </li>
        ))}
      </ul>
      <Reads touches={reads} />
    </>
  )
}

function Reads({ touches }: { touches: Touch[] }) {
  const once = new Map(touches.map((touch) => [`${touch.collection} ${touch.id}`, touch]))
  if (once.size === 0) return null
  return (
    <details>
      <summary>{count(once.size, 'row')} read</summary>
      <ul class="inline">
        {[...once].map(([name, { collection, id }]) => (
          <li key={name}>
            <a href={href('state', [collection, id])}>{rowLabel(collection, id)}</a>
          </li>
        ))}
      </ul>
    </details>
  )
}

interface Props {
  name: 'Request' | 'Response'
  message: JournalMessage
  marks: Remark[]
  /** The URL of a request, to show its parameters. */
  url?: string
}

/** A request or a response: parameters, headers and body. */
function Message({ name, message: { headers, body, omitted }, marks, url }: Props) {
  const isRequest = url !== undefined
  return (
    <section aria-label={name}>
      <h4 class="hidden">{name}</h4>
      {isRequest && <Parameters url={url} marks={marks} />}
      <details>
        <summary>Headers ({Object.keys(headers).length})</summary>
        <dl class="headers">
          {Object.entries(headers).map(([header, value]) => (
            <div key={header}>
              <dt>{header}</dt>
              <dd>
                <Long text={value} />
              </dd>
            </div>
          ))}
        </dl>
      </details>
      {body !== undefined && (
        <JsonText
          label={`Body of the ${name.toLowerCase()}`}
          value={body}
          marks={isRequest ? within(marks, 'body') : marks}
        />
      )}
      {body === undefined && (
        <p class="quiet">{omitted === undefined ? 'No body.' : `The body is not kept: ${omitted}.`}</p>
      )}
    </section>
  )
}

/** The query parameters, with the problems of query and path. */
function Parameters({ url, marks }: { url: string; marks: Remark[] }) {
  const pairs = [...new URLSearchParams(url.split('?').slice(1).join('?'))]
  const inQuery = within(marks, 'query')
  const names = pairs.map(([name]) => name)
  const others = [...inQuery.filter(({ place }) => !names.includes(String(place[0]))), ...within(marks, 'path')]
  if (pairs.length + others.length === 0) return null
  return (
    <dl class="headers">
      {pairs.map(([name, value], at) => {
        const remarks = inQuery.filter(({ place }) => place[0] === name).map(({ text }) => text)
        return (
          <div key={at} class={remarks.length > 0 ? 'offending' : undefined}>
            <dt>
              <bdi>{name}</bdi>
            </dt>
            <dd>
              <Long text={value} /> <span class="remark">{remarks.join('; ')}</span>
            </dd>
          </div>
        )
      })}
      {others.map(({ place, text }) => (
        <div key={place.join('.')} class="offending">
          <dt>
            <bdi>{place.join('.')}</bdi>
          </dt>
          <dd>
            <span class="remark">{text}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Remarks on places of a request (body, query, path) and of a response's body. */
interface ExchangeRemarks {
  request: Remark[]
  response: Remark[]
}

type InputError = { type?: string; loc?: JsonPath; msg: string }

/** The problems and violations of an exchange, with their places. */
function marksOf({ checks, violations }: JournalDetail): ExchangeRemarks {
  const marks: ExchangeRemarks = { request: [], response: [] }
  for (const { check, problems } of checks) {
    // Problems without a place are violations, whose sentence names it.
    for (const { type, loc, msg } of problems as InputError[]) {
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
