import { useState } from 'preact/hooks'
import type { AssumptionEntry, JournalDetail, JournalEntry } from '../../../engine/contract/types.gen.js'
import { api } from '../api.js'
import { call, useCall } from '../client.js'
import { differences, isSame } from '../json/values.js'
import { Diff } from '../json/view.js'
import { callOf, outgoingOf, whyNoReplay } from '../outgoing/outgoing.js'
import { Button } from '../parts/actions.js'
import { SelectField } from '../parts/fields.js'
import { Loaded } from '../parts/page.js'
import { count, milliseconds, Status, wallTime } from '../parts/text.js'
import { exchangeHref, route } from '../route.js'
import { RowChanges } from '../state/differences.js'
import { inThrowAway } from '../undo.js'

export function Compared({ exchange, id }: { exchange: JournalDetail; id: string }) {
  const loaded = useCall('getRequest', { path: { id } })
  return (
    <section class="what-if" aria-label="Comparison">
      <h3>
        Compared with {id} <a href={exchangeHref(exchange.id, { with: undefined })}>End</a>
      </h3>
      <Loaded from={loaded}>
        {(other) => <Sides left={{ label: id, exchange: other }} right={{ label: exchange.id, exchange }} />}
      </Loaded>
    </section>
  )
}

type ExchangesProps = { list: readonly JournalEntry[]; to: (entry: JournalEntry) => string; onChoose?: () => void }

export function Exchanges({ list, to, onChoose }: ExchangesProps) {
  return (
    <ul class="others">
      {list.map((entry) => (
        <li key={entry.id}>
          <a href={to(entry)} onClick={onChoose}>
            {entry.id} <Status status={entry.status} /> {entry.method} <bdi class="code">{entry.url}</bdi>
          </a>{' '}
          <span class="quiet number">
            {entry.user ?? 'nobody'}, {wallTime(entry.real_time)}
          </span>
        </li>
      ))}
    </ul>
  )
}

/** The same request under another choice, or as another user, next to the unchanged one. Both are sent to copies. */
export function WhatIf({ exchange }: { exchange: JournalDetail }) {
  const [sides, setSides] = useState<[JournalDetail, JournalDetail]>()
  const [user, setUser] = useState(exchange.user ?? '')
  const [wish, setWish] = useState('')
  const { value } = useCall('getAssumptions')
  if (whyNoReplay(exchange) !== undefined) return null
  const open = (value?.assumptions ?? []).filter(({ fixed }) => !fixed)
  const isOperation = (name: string) => exchange.operation !== null && [exchange.operation, 'all'].includes(name)
  const users = new Set([...(exchange.user ? [exchange.user] : []), ...api.users])
  const compare = async () => {
    const unchanged = await sendToCopy(exchange, exchange.user)
    const [id, choice] = wish.split('=') as [string, string?]
    setSides([unchanged, await sendToCopy(exchange, user || null, choice === undefined ? choice : { [id]: choice })])
  }
  const isUsed = (it: AssumptionEntry) => exchange.assumptions.includes(it.id)
  // Those that the answer depends on come first.
  const candidates = [...open.filter(isUsed), ...open.filter((it) => !isUsed(it) && it.place.some(isOperation))]
  const wishes = candidates.flatMap(({ id, choice: now, choices }) => {
    const others = Object.keys(choices).filter((name) => name !== now && !name.includes('<'))
    return others.map((name) => [`${id}=${name}`, `${id}: ${name} (now ${now})`] as const)
  })
  return (
    <section class="what-if" aria-label="What if">
      <h3>What if</h3>
      <p class="quiet">
        Sends the request twice into copies of the sandbox as it is now: unchanged, and with what you choose here.
      </p>
      <div class="line">
        <SelectField label="As user" value={user} onChange={setUser} options={[...users, ['', 'nobody']]} />
        <SelectField label="Assumption" value={wish} onChange={setWish} options={[['', 'as it is'], ...wishes]} />
        <Button text="Compare" run={compare} />
      </div>
      {sides && (
        <Sides left={{ label: 'As it is', exchange: sides[0] }} right={{ label: 'What if', exchange: sides[1] }} />
      )}
    </section>
  )
}

/** Sends a request in a copy of the sandbox, which is dropped afterwards, and resolves to the exchange there. */
async function sendToCopy(exchange: JournalDetail, user: string | null, choices?: object): Promise<JournalDetail> {
  const outgoing = outgoingOf(exchange)
  delete outgoing.headers.authorization
  return inThrowAway(async (copy) => {
    if (choices) await call('changeAssumptions', { body: choices as never }, copy)
    const { headers } = await call('callOperation', { body: callOf({ ...outgoing, user }) }, copy)
    const header = Object.entries(headers).find(([name]) => name.toLowerCase() === 'x-mock-request-id')
    return call('getRequest', { path: { id: String(header?.[1]) } }, copy)
  }, route.peek().sandbox)
}

type Side = { label: string; exchange: JournalDetail }

function Sides({ left, right }: Record<'left' | 'right', Side>) {
  const sent = differences(left.exchange.request.body, right.exchange.request.body)
  const answered = differences(left.exchange.response.body, right.exchange.response.body)
  return (
    <div class="compared">
      <div class="two">
        <Summary {...left} other={right.exchange} />
        <Summary {...right} other={left.exchange} />
      </div>
      {sent.length > 0 && <h4>{count(sent.length, 'difference')} in the request</h4>}
      {sent.length > 0 && <Diff list={sent} label="Differences of the requests" />}
      <h4>{answered.length === 0 ? 'The same answer' : `${count(answered.length, 'difference')} in the answer`}</h4>
      {answered.length > 0 && <Diff list={answered} label="Differences of the answers" />}
    </div>
  )
}

/** One side. What both depend on is left out. */
function Summary({ label, exchange, other }: Side & { other: JournalDetail }) {
  const { method, url, status, user, duration_ms, rests_on, changes, refusal } = exchange
  return (
    <section aria-label={label}>
      <h4>{label}</h4>
      <p>
        <Status status={status} /> <span class="method">{method}</span> <bdi class="code">{url}</bdi>
      </p>
      <p class="quiet">
        as {user ?? 'nobody'}, {milliseconds(duration_ms)}
        {refusal !== undefined && `, refused as ${refusal}`}
      </p>
      {!isSame(rests_on, other.rests_on) && (
        <p class="quiet">Depends on {rests_on.map(({ id, choice }) => `${id} (${choice})`).join(', ')}</p>
      )}
      {changes.length > 0 && <RowChanges changes={changes} />}
    </section>
  )
}
