import { useState } from 'preact/hooks'
import type { AssumptionEntry, JournalDetail } from '../../../../engine/contract/types.gen.js'
import { call } from '../../client.js'
import { useCall } from '../../load.js'
import { type Outgoing, outgoingOf, usualUsers, whyNoReplay } from '../../outgoing/outgoing.js'
import { Action } from '../../parts/action.js'
import { LineSelect } from '../../parts/line.js'
import { route } from '../../route.js'
import { inThrowAway } from '../../undo/throw-away.js'
import { Sides } from './sides.js'

/** The same request under another choice, or as another user, next to the unchanged one. Both are sent to copies. */
export function WhatIf({ exchange }: { exchange: JournalDetail }) {
  const [sides, setSides] = useState<[JournalDetail, JournalDetail]>()
  const [user, setUser] = useState(exchange.user ?? '')
  const [id, setId] = useState('')
  const [choice, setChoice] = useState('')
  const { value } = useCall('getAssumptions')
  if (whyNoReplay(exchange) !== undefined) return null
  const named = new Set(exchange.assumptions)
  const open = (value?.assumptions ?? []).filter(({ fixed }) => !fixed)
  const entry = open.find((it) => it.id === id)
  const names = new Set([...(exchange.user ? [exchange.user] : []), ...usualUsers])
  const compare = async () => {
    const { sandbox } = route.value
    const who = exchange.user
    const changed = { user: user || null, choices: entry && choice ? { [id]: choice } : {} }
    const asItIs = await sendElsewhere(outgoingOf(exchange), sandbox, { user: who, choices: {} })
    setSides([asItIs, await sendElsewhere(outgoingOf(exchange), sandbox, changed)])
  }
  return (
    <section class="what-if" aria-label="What if">
      <h3>What if</h3>
      <p class="quiet">
        Sends the request twice into copies of the sandbox as it is now: unchanged, and with what you choose here.
      </p>
      <div class="line">
        <LineSelect label="As user" value={user} onChange={setUser} options={[...names, ['', 'nobody']]} />
        <label>
          <span>Assumption</span>
          <select
            value={id}
            onChange={(event) => {
              const next = open.find((it) => it.id === event.currentTarget.value)
              setId(event.currentTarget.value)
              setChoice(choicesOf(next)[0] ?? '')
            }}
          >
            <option value="">as it is</option>
            <optgroup label="It rests on">{open.filter((it) => named.has(it.id)).map(Option)}</optgroup>
            <optgroup label="Others of this operation">
              {open.filter((it) => !named.has(it.id) && concerns(it, exchange)).map(Option)}
            </optgroup>
          </select>
        </label>
        {entry && <LineSelect label="Choice" value={choice} onChange={setChoice} options={choicesOf(entry)} />}
        <Action run={compare}>Compare</Action>
      </div>
      {sides && (
        <Sides left={{ label: 'As it is', exchange: sides[0] }} right={{ label: 'What if', exchange: sides[1] }} />
      )}
    </section>
  )
}

function Option({ id, choice }: AssumptionEntry) {
  return (
    <option key={id} value={id}>
      {id} (now {choice})
    </option>
  )
}

/** The choices that are not in force. */
function choicesOf(entry: AssumptionEntry | undefined): string[] {
  if (!entry) return []
  return Object.keys(entry.choices).filter((name) => name !== entry.choice && !name.includes('<'))
}

/** Whether an assumption concerns the operation of an exchange. Its place names operations by id or code, or all. */
function concerns({ place }: AssumptionEntry, { operation }: JournalDetail): boolean {
  return operation !== null && place.some((it) => it === operation || it === 'all')
}

/** The difference in the copy. */
interface Variant {
  user: string | null
  choices: Record<string, string>
}

/**
 * Sends a request in a copy of the sandbox, which is dropped afterwards, and resolves to the exchange there. Nothing
 * changes in the sandbox itself.
 */
async function sendElsewhere(
  { method, url, headers: given, body: sent }: Outgoing,
  from: string,
  { user, choices }: Variant
): Promise<JournalDetail> {
  return inThrowAway(async (fork) => {
    if (Object.keys(choices).length > 0) await call('changeAssumptions', { body: choices as never }, fork)
    const { authorization: _, ...headers } = given
    const hasText = !['GET', 'HEAD'].includes(method) && sent !== undefined && 'text' in sent
    const body = { method, url, user, headers, ...(hasText && { text: sent.text }) }
    const answer = await call('callOperation', { body }, fork)
    const id = Object.entries(answer.headers).find(
      ([name]) => name.toLowerCase() === 'x-mock-request-id'
    )?.[1] as string
    return call('getRequest', { path: { id } }, fork)
  }, from)
}
