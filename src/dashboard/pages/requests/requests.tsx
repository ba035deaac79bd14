import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { JournalDetail, JournalEntry } from '../../../engine/contract/types.gen.js'
import { api } from '../api.js'
import { base, Refused, useCall } from '../client.js'
import { NextTime, targetOf } from '../next-time.js'
import { isHidden, outgoingOf, whyNoReplay } from '../outgoing/outgoing.js'
import { asCurl, resend } from '../outgoing/send.js'
import { Button, Copy, DialogButton, Link, say, sayFailed, useKeys } from '../parts/actions.js'
import { useLater } from '../parts/choices.js'
import { Options } from '../parts/fields.js'
import { Head, Loaded } from '../parts/page.js'
import { count, grouped, Long, milliseconds, Status } from '../parts/text.js'
import { until, within } from '../ribbon/events.js'
import { none, Ribbon, useEvents, useMomentProblem } from '../ribbon/ribbon.js'
import { atMoment, exchangeHref, href, route, setQuery } from '../route.js'
import { ShareExchange, ShareJournal } from '../share/share.js'
import { Reason } from '../state/history.js'
import { emptyJournal, playScenario } from '../undo.js'
import { Compared, Exchanges, WhatIf } from './compare.js'
import { groupNames, type Journal, List, linesOf, orderMistake, useChangedChoices, useJournal } from './journal.js'
import { QueryBar, readQuery } from './query.js'
import { inWords, Story, WhyRefused } from './story.js'

function Welcome() {
  const { sandbox } = route.value
  const { value } = useCall('listScenarios')
  const tokenOf = (user: string) => `Bearer ${sandbox === 'default' ? user : `${user}~${sandbox}`}`
  return (
    <section class="welcome" aria-label="How to begin">
      <h2>Nothing has been requested yet</h2>
      <p>Requests appear here as they come. Point your app to this address, with the token of a user:</p>
      <Snippet name="address" text={base} />
      <div class="buttons">
        {api.users.map((user) => (
          <Copy key={user} name={`token of ${user}`} label={tokenOf(user)} text={() => tokenOf(user)} />
        ))}
      </div>
      <h3>Or try one now</h3>
      <Snippet name="curl" text={`curl ${base}${api.path} -H 'Authorization: ${tokenOf(api.users[0] ?? '')}'`} />
      <h3>Or play a scenario</h3>
      <ul class="scenarios">
        {value?.scenarios.slice(0, 6).map(({ name, description }) => (
          <li key={name}>
            <Button text={name} aria-label={`Play ${name}`} run={() => playScenario(name)} />
            <bdi class="quiet">{description}</bdi>
          </li>
        ))}
      </ul>
      <h3>Or add your own endpoints</h3>
      <p class="quiet">Start the mock with the OpenAPI document of your service, and it answers its operations too.</p>
      <Snippet name="command" text="npx knowledge-chat-mock --with ./openapi.yaml" />
    </section>
  )
}

function Snippet({ name, text }: { name: string; text: string }) {
  return (
    <div class="snippet panel">
      <code>{text}</code>
      <Copy name={name} label={`Copy ${name}`} text={() => text} />
    </div>
  )
}

export function Requests() {
  const { query: address, rest } = route.value
  const text = address.get('q') ?? ''
  const stretch = address.get('stretch')
  const query = readQuery(text)
  const [isPaused, pause] = useState(false)
  const [isHeld, hold] = useState(false)
  // A query is not sent for every key.
  const delayedQuery = useLater(() => query, JSON.stringify(query), 120).value ?? query
  const { loaded, journal, take } = useJournal(delayedQuery, isHeld || isPaused)
  useEffect(() => {
    if (!isHeld && !isPaused) take()
  }, [isHeld, isPaused])
  const chosen = rest[0]
  const { at } = atMoment()
  const all = journal?.shown ?? none
  const events = useEvents(all)
  const isRefused = useMomentProblem() !== undefined
  const entries = useMemo(() => {
    if (isRefused) return none
    return stretch === null ? until(all, events, at) : within(all, stretch)
  }, [all, stretch, at, at && events, isRefused])
  const [sort, by] = [address.get('sort') ?? '', address.get('group') ?? '']
  const refused = loaded.error instanceof Refused ? loaded.error.reasons : undefined
  const error = journal?.mistake ?? refused ?? orderMistake(sort, by)
  const still = useRef<Journal['delayed']>(none)
  if (!isHeld && !isPaused) still.current = journal?.delayed ?? none
  const delayed = stretch === null && at === undefined ? still.current : none
  const lines = useMemo(() => [...delayed, ...linesOf(entries, sort, by)], [delayed, entries, sort, by])
  useChangedChoices()
  const isEmpty = journal?.shown.length === 0 && journal.waiting.length === 0 && text === ''
  return (
    <>
      <Head title="Requests">
        <QueryBar error={error} />
        <p class="quiet number" aria-live="off">
          {journal && count(entries.length, 'exchange')}
          {journal && journal.dropped > 0 && `, and ${grouped(journal.dropped)} older dropped`}
          {at !== undefined && !isRefused && stretch === null && ' until then'}
          {isPaused && ', paused'}
        </p>
        <div class="buttons">
          <select aria-label="Group" value={by} onChange={(event) => setQuery({ group: event.currentTarget.value })}>
            <Options options={[['', 'no groups'], ...groupNames]} />
          </select>
          <Button text="Pause" aria-pressed={isPaused} run={() => pause(!isPaused)} />
          <ShareJournal query={delayedQuery} />
          <Button text="Clear" run={emptyJournal} />
        </div>
      </Head>
      {journal && (!isEmpty || events.length > 1 || at) && <Ribbon events={events} use="filter" />}
      <div class={chosen === undefined ? 'panes' : 'panes open'}>
        {!isEmpty && (
          <section aria-label="Journal" class="first">
            <Loaded from={{ ...loaded, value: journal }}>
              {({ waiting }) => (
                <List entries={lines} sort={sort} waiting={waiting.length} chosen={chosen} onHold={hold} take={take} />
              )}
            </Loaded>
          </section>
        )}
        {isEmpty && chosen === undefined && <Welcome />}
        {chosen !== undefined && <Exchange key={chosen} id={chosen} entry={entries.find(({ id }) => id === chosen)} />}
      </div>
    </>
  )
}

function Exchange({ id, entry }: { id: string; entry: JournalEntry | undefined }) {
  const loaded = useCall('getRequest', { path: { id } })
  const other = route.value.query.get('with')
  // At once, for the keys that follow.
  const request = entry ?? loaded.value
  return (
    <section class="exchange panel" aria-label="Exchange">
      <div class="back">
        {request && <NextTime target={targetOf(request)} />}
        <a aria-label="Close" title="Close (Esc)" href={exchangeHref(undefined, { with: undefined })}>
          ✕
        </a>
      </div>
      {loaded.error instanceof Refused && (
        <Link text="All exchanges" href={exchangeHref(undefined, { q: undefined })} />
      )}
      <Loaded from={loaded}>
        {(exchange) => (
          <>
            <header>
              <h2>
                <span class="method">{exchange.method}</span> <Long text={exchange.url} />
              </h2>
              <p class="facts">
                <Status status={exchange.status} violations={exchange.violations} />
                {exchange.operation === null && 'no operation'}
                {exchange.operation !== null && (
                  <a href={href('send', [exchange.operation])} title="In the API explorer">
                    {exchange.operation}
                  </a>
                )}
                <span class="quiet">
                  {id}, as {exchange.user ?? 'nobody'}, {milliseconds(exchange.duration_ms)}
                </span>
              </p>
              <WhyRefused exchange={exchange} />
              <Reason exchange={exchange} />
              <Actions exchange={exchange} />
            </header>
            {other !== null && <Compared key={other} exchange={exchange} id={other} />}
            <Story exchange={exchange} />
            <WhatIf key={exchange.id} exchange={exchange} />
          </>
        )}
      </Loaded>
    </section>
  )
}

function Actions({ exchange }: { exchange: JournalDetail }) {
  const { sandbox } = route.value
  const { id, operation, method, corrected, advice = [] } = exchange
  const reason = whyNoReplay(exchange)
  const replay = () => resend(outgoingOf(exchange), 'again')
  const correct = () => {
    const { body: _, ...outgoing } = { ...outgoingOf(exchange), url: corrected?.url as string }
    const sent = corrected?.body === undefined ? {} : { body: { text: JSON.stringify(corrected.body) } }
    return resend({ ...outgoing, ...sent }, 'corrected')
  }
  useKeys({ r: () => reason === undefined && void (corrected ? correct() : replay()).then(say, sayFailed) })
  return (
    <div class="buttons">
      {corrected && <Button text={`Resend ${inWords(advice)}`} class="primary" run={correct} />}
      <Button text="Replay" class={corrected ? undefined : 'primary'} disabled={reason !== undefined} run={replay} />
      {!['CONNECT', 'TRACE'].includes(method) && (
        <Link text="Edit and resend" href={href('send', [operation ?? 'any'], { from: id })} />
      )}
      <Copy name="curl" text={() => asCurl(outgoingOf(exchange), sandbox)} />
      <ShareExchange exchange={exchange} />
      <Link text="Make an override of this" href={href('overrides', ['new'], { from: id })} />
      <DialogButton text="Compare…" title="Compare with">
        {(close) => <Others exchange={exchange} onChoose={close} />}
      </DialogButton>
      {reason !== undefined && <p class="quiet">{reason}</p>}
      {isHidden(exchange) && <p class="quiet">What the journal hides is sent and copied as ***.</p>}
    </div>
  )
}

function Others({ exchange: { id, operation }, onChoose }: { exchange: JournalDetail; onChoose: () => void }) {
  const query = operation === null ? { unmatched: true } : { operation }
  const { value } = useCall('listRequests', { query: { ...query, limit: 20 } })
  const others = value?.requests.filter((other) => other.id !== id) ?? []
  if (value && others.length === 0) return <p>There is no other exchange of this operation.</p>
  return <Exchanges list={others} to={(other) => exchangeHref(id, { with: other.id })} onChoose={onChoose} />
}
