import { useEffect, useMemo, useState } from 'preact/hooks'
import type { JournalEntry } from '../../../engine/contract/types.gen.js'
import { base, Refused } from '../client.js'
import { useCall } from '../load.js'
import { usualUsers } from '../outgoing/outgoing.js'
import { Action } from '../parts/action.js'
import { Copy } from '../parts/copy.js'
import { Head, Pending } from '../parts/page.js'
import { count } from '../parts/text.js'
import { until, within } from '../ribbon/events.js'
import { Ribbon, useMomentProblem } from '../ribbon/ribbon.js'
import { useEvents } from '../ribbon/timeline.js'
import { momentShown, route } from '../route.js'
import { ShareJournal } from '../share/share-journal.js'
import { emptyJournal } from '../undo/empty-journal.js'
import { playScenario } from '../undo/undo.js'
import { Exchange } from './exchange/exchange.js'
import { useJournal } from './journal.js'
import { List } from './list.js'
import { readQuery } from './query.js'
import { QueryBar } from './query-bar.js'

/** First steps for a mock that has no requests yet. */
function Welcome() {
  const { sandbox } = route.value
  const { value } = useCall('listScenarios')
  const tokenOf = (user: string) => (sandbox === 'default' ? user : `${user}~${sandbox}`)
  const curl = `curl ${base}/api/persona/1 -H 'Authorization: Bearer ${tokenOf('admin')}'`
  return (
    <section class="welcome" aria-label="How to begin">
      <h2>Nothing was asked yet</h2>
      <p>Requests appear here as they come. Point your app to this address, with the token of a user:</p>
      <Snippet name="address" text={base} />
      <div class="buttons">
        {usualUsers.map((user) => (
          <Copy
            key={user}
            name={`token of ${user}`}
            label={`Bearer ${tokenOf(user)}`}
            text={() => `Bearer ${tokenOf(user)}`}
          />
        ))}
      </div>
      <h3>Or try one now</h3>
      <Snippet name="curl" text={curl} />
      <h3>Or play a scenario</h3>
      <ul class="scenarios">
        {value?.scenarios.slice(0, 6).map(({ name, description }) => (
          <li key={name}>
            <Action label={`Play ${name}`} run={() => playScenario(name)}>
              {name}
            </Action>
            <bdi class="quiet">{description}</bdi>
          </li>
        ))}
      </ul>
      <h3>Or add endpoints of your own</h3>
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

const none: readonly JournalEntry[] = []

/** The live journal, and one exchange in full. */
export function Requests() {
  const { query: address, rest } = route.value
  const text = address.get('q') ?? ''
  const stretch = address.get('stretch')
  const { query, error: mistake } = readQuery(text)
  const [asked, ask] = useState(query)
  const [isPaused, pause] = useState(false)
  const [isHeld, hold] = useState(false)
  // A query is sent when it is valid, and not for every key.
  const wanted = mistake === undefined ? JSON.stringify(query) : undefined
  useEffect(() => {
    const timer = setTimeout(() => wanted !== undefined && ask(JSON.parse(wanted)), 120)
    return () => clearTimeout(timer)
  }, [wanted])
  const { loaded, journal, take } = useJournal(asked, isHeld || isPaused)
  useEffect(() => {
    if (!isHeld && !isPaused) take()
  }, [isHeld, isPaused])
  const error = mistake ?? (loaded.error instanceof Refused ? loaded.error.reasons : undefined)
  const chosen = rest[0]
  const at = momentShown()
  const events = useEvents(journal?.shown ?? none)
  const isRefused = useMomentProblem() !== undefined
  const entries = useMemo(() => {
    if (isRefused) return none
    return stretch === null ? until(journal?.shown ?? none, events, at) : within(journal?.shown ?? none, stretch)
  }, [journal?.shown, stretch, at, at && events, isRefused])
  const isEmpty = journal?.shown.length === 0 && journal.waiting.length === 0 && text === ''
  return (
    <>
      <Head title="Requests">
        <QueryBar error={error} />
        <p class="quiet number" aria-live="off">
          {journal && count(entries.length, 'exchange')}
          {journal && journal.dropped > 0 && `, and ${journal.dropped.toLocaleString('en')} older dropped`}
          {at !== undefined && !isRefused && stretch === null && ' until then'}
          {isPaused && ', paused'}
        </p>
        <div class="buttons">
          <button type="button" aria-pressed={isPaused} onClick={() => pause(!isPaused)}>
            Pause
          </button>
          <ShareJournal query={asked} />
          <Action run={emptyJournal}>Clear</Action>
        </div>
      </Head>
      {journal && (!isEmpty || events.length > 1 || momentShown()) && <Ribbon events={events} isFilter />}
      <div class={chosen === undefined ? 'panes' : 'panes open'}>
        {(!isEmpty || chosen !== undefined) && (
          <section aria-label="Journal" class="first">
            {journal ? (
              <List entries={entries} waiting={journal.waiting.length} chosen={chosen} onHold={hold} take={take} />
            ) : (
              !error && <Pending loaded={loaded} />
            )}
          </section>
        )}
        {isEmpty && chosen === undefined && <Welcome />}
        {chosen !== undefined && <Exchange key={chosen} id={chosen} />}
      </div>
    </>
  )
}
