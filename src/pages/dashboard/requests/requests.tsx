import { useEffect, useMemo, useState } from 'preact/hooks'
import type { JournalEntry } from '../../../contract/types.gen.js'
import { Refused } from '../client.js'
import { Action } from '../parts/action.js'
import { Head, Pending } from '../parts/page.js'
import { count } from '../parts/text.js'
import { useMomentProblem } from '../ribbon/moment-problem.js'
import { Ribbon } from '../ribbon/ribbon.js'
import { until, within } from '../ribbon/stretch.js'
import { useEvents } from '../ribbon/timeline.js'
import { momentShown, route } from '../route.js'
import { ShareJournal } from '../share/share-journal.js'
import { emptyJournal } from '../undo/empty-journal.js'
import { Exchange } from './exchange/exchange.js'
import { useJournal } from './journal.js'
import { List } from './list.js'
import { readQuery } from './query.js'
import { QueryBar } from './query-bar.js'
import { Welcome } from './welcome.js'

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
  // A query is asked for when it has no mistake, and not for every key.
  const wanted = mistake === undefined ? JSON.stringify(query) : undefined
  useEffect(() => {
    const timer = setTimeout(() => wanted !== undefined && ask(JSON.parse(wanted)), 120)
    return () => clearTimeout(timer)
  }, [wanted])
  const { loaded, journal, take } = useJournal(asked, isHeld || isPaused)
  useEffect(() => {
    if (!isHeld && !isPaused) take()
  }, [isHeld, isPaused])
  const refusal = loaded.error instanceof Refused ? loaded.error.problem : undefined
  const error = mistake ?? refusal?.errors?.map(({ detail }) => detail).join(' ') ?? refusal?.detail
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
